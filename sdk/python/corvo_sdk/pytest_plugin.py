"""The pytest fixture. Pytest finds it on its own wherever the package is installed, server or no server:
so this file must not import the testing aids before somebody asks for the fixture."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from corvo_sdk.testing.sandbox import Sandbox


@pytest.fixture
def corvo() -> "Iterator[Sandbox]":
    """A fresh server for this test, with its own clock."""
    from corvo_sdk.testing.sandbox import sandbox  # noqa: PLC0415 - see above

    with sandbox() as box:
        yield box
