import pytest

from tests.support.access import first_key
from tests.support.node import running


@pytest.fixture
async def node(tmp_path):
    async with running(tmp_path / "data") as node:
        yield node


@pytest.fixture
async def client(node):
    return node.client


@pytest.fixture
async def admin(client):
    """A client with the first key of the node, which is shut by it."""
    return await first_key(client)
