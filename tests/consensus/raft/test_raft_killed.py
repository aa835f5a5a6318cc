"""kill -9 of a real process under load: whatever it said was committed is there afterwards."""

import subprocess
import sys

import pytest

from corvo.consensus.raft_node import RaftNode
from corvo.consensus.settings import RaftSettings
from tests.consensus.raft.raft_nodes import ListMachine

ROUNDS = 3
ANSWERS_PER_ROUND = 300


def commit_until_killed(directory, first, sync):
    """The numbers that a process reported before it was killed in the middle of more."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.consensus.raft.kill_target", str(directory), str(first), sync],
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        said = [int(process.stdout.readline()) for _ in range(ANSWERS_PER_ROUND)]
        process.kill()
        rest = process.stdout.read()
    # The last line may have been cut off in the middle.
    return said + [int(line) for line in rest.split("\n")[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize("sync", ["always", "never"])
async def test_nothing_that_was_reported_as_committed_is_lost(tmp_path, sync):
    reported = []
    for number in range(ROUNDS):
        reported += commit_until_killed(tmp_path, 1_000_000 * number, sync)

    machine = ListMachine()
    raft = RaftNode(RaftSettings(node_id="n1", directory=tmp_path, sync=sync), machine)
    machine.on_stored = raft.stored
    await raft.start()
    found = [int.from_bytes(command[:8], "big") for command in machine.commands]
    await raft.stop()

    assert set(reported) <= set(found)
    assert len(found) == len(set(found))
    assert all(
        len(command) == 8 + number % 3_000 for number, command in zip(found, machine.commands, strict=True)
    )
