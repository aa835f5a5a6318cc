"""A process to be killed: one node that commits numbered commands as fast as it can and prints each."""

import asyncio
import sys
from pathlib import Path

import structlog

from corvo.consensus.raft_node import RaftNode
from corvo.consensus.settings import RaftSettings
from tests.consensus.raft.raft_nodes import ListMachine


class Announcer(ListMachine):
    def committed(self, position, command, ticket):
        super().committed(position, command, ticket)
        if ticket is not None:
            sys.stdout.write(f"{ticket}\n")
            sys.stdout.flush()


async def main(directory: Path, first: int, sync: str) -> None:
    machine = Announcer()
    raft = RaftNode(RaftSettings(node_id="n1", directory=directory, sync=sync), machine)
    machine.on_stored = raft.stored
    await raft.start()
    number = first
    while True:
        for _ in range(20):
            raft.propose(number.to_bytes(8, "big") + bytes(number % 3_000), number)
            number += 1
        await machine.until(lambda last=number - 1: machine.committed_tickets[-1:] == [last])


if __name__ == "__main__":
    # Only numbers go to the standard output; that the last kill tore an entry is said elsewhere.
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
