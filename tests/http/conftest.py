import pytest

from tests.support.node import running


@pytest.fixture
async def node(tmp_path):
    async with running(tmp_path / "data") as node:
        yield node


@pytest.fixture
async def client(node):
    return node.client
