"""A real server for all tests of the SDK, and names nobody else uses."""

import itertools

import pytest

from corvo.testing import LocalServer
from corvo_sdk import Client
from corvo_sdk.retrying import RetryPolicy

_numbers = itertools.count(1)

#: Tests that want a failure do not want to wait for it.
QUICK = RetryPolicy(attempts=3, base_s=0.01, most_s=0.05)


@pytest.fixture(scope="session")
def server():
    with LocalServer() as server:
        yield server


@pytest.fixture
def client(server):
    with Client(server.url, retry=QUICK) as client:
        yield client


@pytest.fixture
def queue():
    """A queue of this test's own: the server is shared."""
    return f"q{next(_numbers)}"
