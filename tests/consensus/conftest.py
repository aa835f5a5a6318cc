import pytest

from tests.consensus.link.mesh_peers import Inbox, free_ports, mesh_of, settings_of
from tests.sim.timeline import Timeline


@pytest.fixture
def timeline():
    return Timeline()


@pytest.fixture
async def started():
    """Start meshes and stop them at the end."""
    meshes = []

    async def start(settings):
        mesh, inbox = mesh_of(settings), Inbox()
        await mesh.start(inbox)
        meshes.append(mesh)
        return mesh, inbox

    yield start
    for mesh in meshes:
        await mesh.stop()


@pytest.fixture
async def pair(started, tmp_path):
    settings = settings_of(["a", "b"], free_ports(2), tmp_path)
    a, inbox_a = await started(settings["a"])
    b, inbox_b = await started(settings["b"])
    await inbox_a.until(lambda: inbox_a.connected)
    await inbox_b.until(lambda: inbox_b.connected)
    return (a, inbox_a), (b, inbox_b)


@pytest.fixture
async def lonely(started, tmp_path):
    """A node whose peer never comes, for strangers to knock at."""
    settings = settings_of(["a", "b"], free_ports(2), tmp_path)
    mesh, inbox = await started(settings["a"])
    return mesh, inbox
