"""Several real nodes in the test's own loop, joined into one cluster over loopback."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

from corvo.config import Config
from corvo.consensus.api import Role
from corvo.node.node import Node
from tests.support.client import Client
from tests.support.node import _fail, until

SECRET = "a secret for tests only"


class Cluster:
    def __init__(self, folder, **settings):
        self._folder = folder
        self._settings = settings
        self.nodes = {}

    def config(self, node_id, **more):
        return Config(
            **(
                {
                    "node_id": node_id,
                    "bind": "127.0.0.1:0",
                    "raft_bind": "127.0.0.1:0",
                    "data_dir": str(self._folder / node_id),
                    "shutdown_timeout": 2_000,
                    "cluster_secret": SECRET,
                }
                | self._settings
                | more
            )
        )

    async def start(self, node_id, **more):
        """Start a node: the first begins the cluster, the others join whoever is up."""
        if self.nodes and "join" not in more:
            more["join"] = next(iter(self.nodes.values()))._seat.raft
        self.nodes[node_id] = await Node.start(self.config(node_id, **more), fail_stop=_fail)
        return self.nodes[node_id]

    async def stop(self, node_id):
        await self.nodes.pop(node_id).stop()

    def client(self, node_id):
        return Client(self.nodes[node_id].address)

    def status(self, node_id):
        return self.nodes[node_id]._raft.status()

    @property
    def leader(self):
        """The node that leads, or None."""
        leaders = [node_id for node_id in self.nodes if self.status(node_id).role is Role.LEADER]
        return leaders[0] if leaders else None

    @property
    def followers(self):
        return [node_id for node_id in self.nodes if node_id != self.leader]

    async def until_settled(self, voters):
        """Until all nodes agree on who leads and so many have a vote."""

        def settled():
            statuses = [self.status(node_id) for node_id in self.nodes]
            return (
                len({status.leader_id for status in statuses}) == 1
                and statuses[0].leader_id is not None
                and all(sum(m.is_voter for m in status.members.values()) == voters for status in statuses)
                and self.leader is not None
            )

        await until(settled, seconds=20)


@asynccontextmanager
async def cluster_of(folder, *node_ids, **settings):
    cluster = Cluster(folder, **settings)
    async with AsyncExitStack() as closing:
        closing.push_async_callback(_stop_all, cluster)
        for node_id in node_ids:
            await cluster.start(node_id)
        if node_ids:
            await cluster.until_settled(len(node_ids))
        yield cluster


async def _stop_all(cluster):
    await asyncio.gather(*(node.stop() for node in cluster.nodes.values()))
