"""A state on its way to a follower, cut off in the middle: over a real socket, into a real store."""

import asyncio
import contextlib

import pytest

from tests.cluster.test_members import contents, level
from tests.support.cluster import cluster_of
from tests.support.node import until

#: A part of the log is tried first, and that is a megabyte.
CUT_AFTER_BYTES = 3_000_000


class Proxy:
    """Stands before a node's link. Once armed it cuts the next connection that was sent too much."""

    def __init__(self):
        self.target = ""
        self.address = ""
        self.is_open = True
        self.was_cut = asyncio.Event()
        self.bytes_back = 0
        self._is_armed = False
        self._tasks = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def arm(self):
        self._is_armed, self.bytes_back = True, 0

    async def _carry(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        host, _, port = self.target.rpartition(":")
        if not self.is_open or not port:
            writer.close()
            return
        back, forth = await asyncio.open_connection(host, int(port))
        is_watched = self._is_armed
        with contextlib.suppress(OSError):
            await asyncio.wait(
                [
                    asyncio.ensure_future(self._pass_on(reader, forth, is_watched=False)),
                    asyncio.ensure_future(self._pass_on(back, writer, is_watched=is_watched)),
                ],
                return_when=asyncio.FIRST_COMPLETED,
            )
        writer.transport.abort()
        forth.transport.abort()

    async def _pass_on(self, reader, writer, *, is_watched):
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                self.bytes_back += len(data) * is_watched
                if self._is_armed and is_watched and self.bytes_back > CUT_AFTER_BYTES:
                    self._is_armed = self.is_open = False
                    self.was_cut.set()
                    return
                writer.write(data)
                await writer.drain()


def link_address(node):
    host, port = node._link.getsockname()
    return f"{host}:{port}"


async def fill(client, batches):
    for _ in range(batches):
        jobs = [{"queue": "q", "payload": "x" * 1_000}] * 20
        reply = await client.post("/api/v1/enqueue/batch", {"jobs": jobs})
        assert reply.status == 201, reply


@pytest.mark.slow
async def test_a_snapshot_that_is_cut_off_goes_on_where_it_stopped(tmp_path):
    async with Proxy() as proxy, Proxy() as way_back, cluster_of(tmp_path, snapshot_threshold=100) as cluster:
        leader = await cluster.start("n1", raft_advertise=proxy.address)
        proxy.target = link_address(leader)
        follower = await cluster.start("n2", join=proxy.address, raft_advertise=way_back.address)
        way_back.target = link_address(follower)
        await cluster.start("n3", join=proxy.address)
        await cluster.until_settled(3)
        old = await cluster.client("n1").enqueue()
        await level(cluster)

        # It misses more than the log keeps, so it is sent the whole state.
        await cluster.stop("n2")
        await fill(cluster.client("n1"), 250)
        await until(lambda: cluster.status("n1").log_first_index > cluster.status("n1").log_last_index - 150)
        # After the cut the leader would dial the follower itself, past the proxy before the leader.
        way_back.is_open = False
        proxy.arm()
        follower = await cluster.start("n2", join="", raft_advertise=way_back.address)
        await asyncio.wait_for(proxy.was_cut.wait(), 20)
        await until(lambda: not cluster.status("n1").peers["n2"].connected)

        # Until the new state is complete the old one is in use.
        assert follower._raft.stats.snapshots_installed == 0
        assert (await cluster.client("n2").job(old))["id"] == old
        await cluster.client("n1").enqueue("meanwhile")

        way_back.target = link_address(follower)
        proxy.is_open = way_back.is_open = True
        await level(cluster)
        assert leader._raft.stats.snapshots_resumed >= 1  # On a slow machine the link may break once more.
        assert leader._raft.stats.snapshots_broken_off == 0
        assert follower._raft.stats.snapshots_installed == 1
        assert contents(cluster.nodes["n1"]) == contents(cluster.nodes["n2"])
        assert (await cluster.client("n2").post("/api/v1/admin/check")).json()["problems"] == []
