"""Nodes as processes, three as a rule: formed, asked, and taken apart."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chaos.links import Links
from chaos.network import Network
from chaos.process import Address, Client, Server

SECRET = "the secret of a chaos run"


#: Prepares the ground for the node whose data goes into this folder; what to put in front of its command.
Ground = Callable[[Path], tuple[str, ...]]


class Group:
    def __init__(
        self,
        folder: Path,
        count: int = 3,
        *flags: str,
        network: Network | None = None,
        grounds: tuple[Ground, ...] = (),
    ) -> None:
        self.servers: dict[str, Server] = {}
        self.links = network or Links()
        places = {f"n{number}": self.links.place(f"n{number}") for number in range(1, count + 1)}
        self.links.start(self._running)
        for node_id, place in places.items():
            joining = () if node_id == "n1" else ("--join", places["n1"].raft_advertise)
            prepared = tuple(word for ground in grounds for word in ground(folder / node_id))
            self.servers[node_id] = Server(
                folder / node_id,
                place.http_port,
                "--node-id",
                node_id,
                "--raft-bind",
                place.raft_bind,
                "--raft-advertise",
                place.raft_advertise,
                *joining,
                *flags,
                before=(*place.before, *prepared),
                host=place.http_host,
                # Not on the command line, where every user of the machine could read it.
                environment={"CORVO_CLUSTER_SECRET": SECRET},
            )

    def _running(self) -> dict[int, str]:
        return {server.pid: node_id for node_id, server in self.servers.items() if server.is_running}

    def form(self) -> None:
        for server in self.servers.values():
            server.start()
        self.until(lambda: self.voters() == len(self.servers), "all nodes have a vote")

    def start_all(self) -> None:
        stopped = [server for server in self.servers.values() if not server.is_running]
        for server in stopped:
            server.begin()
        for server in stopped:
            server.wait_until_healthy()

    def close(self) -> None:
        for server in self.servers.values():
            server.close()
        self.links.close()

    @property
    def ports(self) -> list[Address]:
        return [server.address for server in self.servers.values()]

    # Asking

    def status(self, node_id: str, timeout_s: float = 2.0) -> dict[str, Any] | None:
        """What this node says of the cluster, or None if it does not answer."""
        server = self.servers[node_id]
        if not server.is_running:
            return None
        try:
            with Client(server.address, timeout_s=timeout_s, api_key=server.api_key) as client:
                status, body = client.call("GET", "/api/v1/cluster/status")
        except OSError:
            return None
        return body if status == 200 else None

    def leader(self) -> str | None:
        """The node that says it leads; of two, the one in the later term."""
        found = [(node_id, self.status(node_id)) for node_id in self.servers]
        leading = [(body["term"], node_id) for node_id, body in found if body and body["state"] == "Leader"]
        return max(leading)[1] if leading else None

    def voters(self) -> int:
        """How many nodes have a vote, as far as all that answer agree."""
        counts = {
            sum(node["voter"] for node in body["nodes"])
            for body in map(self.status, self.servers)
            if body is not None
        }
        return counts.pop() if len(counts) == 1 else 0

    def until_leading(self, other_than: str | None = None, seconds: float = 20.0) -> str:
        leader: list[str] = []

        def found() -> bool:
            now = self.leader()
            leader[:] = [now] if now is not None and now != other_than else []
            return bool(leader)

        self.until(found, f"a leader other than {other_than}", seconds)
        return leader[0]

    def until_level(self, seconds: float = 60.0) -> None:
        """Until all nodes have applied the same entries."""

        def level() -> bool:
            bodies = [self.status(node_id) for node_id in self.servers]
            return None not in bodies and len({body["applied_index"] for body in bodies if body}) == 1

        self.until(level, "all nodes have applied the same", seconds)

    @staticmethod
    def until(condition: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"waited {seconds:g} s in vain: {what}")
            time.sleep(0.05)
