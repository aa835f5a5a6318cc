"""The harness around the peers: what it counts, what it ends, what it prints."""

import os
import subprocess
import sys
import time

import pytest

from bench.peers import records
from bench.peers.install import PROGRAMS
from bench.peers.measure import Row
from bench.peers.processes import Process
from bench.peers.results import page

PYTHON_PROGRAM = "from common import done, produce; produce(lambda jobs: list(map(done, jobs)), bulk=7)"
NODE = ["node", "--input-type=module", "-e"]
NODE_PROGRAM = f'import {{ done, produce }} from "{PROGRAMS}/common.js"; '
NODE_PROGRAM += "await produce(async (jobs) => jobs.forEach(done), { bulk: 7 });"
COMMANDS = [[sys.executable, "-c", PYTHON_PROGRAM], [*NODE, NODE_PROGRAM, "--"]]


@pytest.mark.parametrize("command", COMMANDS, ids=["python", "node"])
def test_producers_and_handlers_write_what_the_harness_counts(tmp_path, command):
    accepted, done = tmp_path / "accepted", tmp_path / "done"
    environment = os.environ | {"PEER_DONE": str(done), "PEER_QUEUE": "q", "PEER_SERVER": "s"}
    flags = ["--first=-3", "--count=10", f"--accepted={accepted}", "--ahead=1000"]
    subprocess.run([*command, *flags], cwd=PROGRAMS, env=environment, check=True, timeout=60)
    assert records.count(accepted) == records.count(done) == 10
    assert [number for number, _ in records.read(done)] == list(range(-3, 7))
    assert all(0 <= us < 60_000_000 for _, us in records.read(accepted))


def test_producers_pause_while_too_many_wait(tmp_path):
    """Nobody works here, so they stop for good once there are more than that."""
    program = "from common import produce; produce(lambda jobs: None, bulk=10)"
    flags = ["--first=0", "--seconds=0.5", "--ahead=25", f"--accepted={tmp_path / 'accepted'}"]
    environment = os.environ | {"PEER_DONE": str(tmp_path / "done")}
    subprocess.run([sys.executable, "-c", program, *flags], cwd=PROGRAMS, env=environment, check=True)
    assert records.count(tmp_path / "accepted") == 30


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] != "Z"


def test_what_a_server_has_started_ends_with_it(tmp_path):
    """Even in a session of its own, as PostgreSQL's are."""
    noted = tmp_path / "pid"
    process = Process(["bash", "-c", f"setsid sleep 1000 & echo $! > {noted}; wait"], tmp_path / "log")
    while not noted.exists() or not noted.read_text().strip():
        assert process.is_running
        time.sleep(0.01)
    child = int(noted.read_text())
    assert is_alive(child)
    assert process.memory_mb() > 0
    process.kill()
    assert not process.is_running
    assert not is_alive(child)


def test_the_page_says_what_was_missed_and_what_did_not_work():
    rows = [
        Row("corvo", "Corvo, stream", "fsync", "lines", "1", 10_000.0, 4_000.0, 1.0, 2.0, 80.0),
        Row("celery", "Celery, Redis everysec", "AOF", "one by one", "2", 1_000.0, 400.0, 1.0, 2.0),
        Row("dramatiq", "Dramatiq, Redis everysec", "AOF", "one by one", "2", 1_000.0, 2_000.0, 1.0, 2.0),
        Row("faktory", "Faktory", "RDB", "bulks", problems=["not installed: no go"]),
    ]
    rows[1].accepted, rows[1].lost, rows[1].held = 100, 3, 2
    text = page(rows, {"lifecycle": 8_000.0, "enqueue": 1.0}, command="x", quick=False, load=0.0)
    assert "| Celery, Redis everysec | 10.00 | ≥ 8 |" in text
    assert "| Dramatiq, Redis everysec | 2.00 | ≥ 3, **missed** |" in text
    assert "| 3 of 100 | 2 | 0 |" in text
    assert "- Faktory: not installed: no go" in text
    assert "LevelDB alone, fsync, 8,000/s | 0.50 | ≥ 0.35 |" in text
