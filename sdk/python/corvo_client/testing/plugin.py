"""The pytest fixture. Found by pytest on its own once the package is installed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from corvo_client.testing.sandbox import Sandbox


@pytest.fixture
def corvo() -> "Iterator[Sandbox]":
    """A fresh server for this test, with its own clock."""
    from corvo_client.testing.sandbox import sandbox  # noqa: PLC0415 - pytest loads this file everywhere

    with sandbox() as box:
        yield box
