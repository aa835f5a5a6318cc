"""A rolling upgrade under load: three nodes of one work tree are restarted one by one with another.

    python -m chaos.upgrade ../before .

Between two restarts the cluster is mixed, and every node is asked for everything. When all run the new code,
what was accepted must be there, each job done, and the nodes byte-equal. A single node's folder goes the same
way: written by the old code, killed, and opened by the new.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from chaos.gaps import Gaps
from chaos.group import Group
from chaos.history import History
from chaos.judge import fetch_documents, judge
from chaos.load import Load
from chaos.process import Server, free_port
from chaos.timeline import Timeline

#: How long the cluster is left alone after each restart.
MIXED_S = 4.0
JOBS = 500


def words(tree: Path) -> tuple[str, ...]:
    """What to put in front of a command so that it runs the code of this tree."""
    return ("env", "-C", str(tree), f"PYTHONPATH={tree}")


def rolling(folder: Path, old: Path, new: Path) -> list[str]:
    group = Group(folder, 3, grounds=(lambda _: words(old),))
    history, timeline = History(), Timeline()
    try:
        group.form()
        load = Load(*group.ports, history=history, producers=2, workers=3, seed=1)
        gaps = Gaps(group.ports)
        load.start()
        gaps.start()
        time.sleep(MIXED_S)
        for number, (node_id, server) in enumerate(group.servers.items(), 1):
            before = len(history.acked)
            server.terminate()
            replace(server, old, new)
            server.start()
            group.until(lambda: group.voters() == 3, "all nodes have a vote again")
            time.sleep(MIXED_S)
            print(
                f"{node_id} has the new code, {number} of 3; {group.leader()} leads; "
                f"{len(history.acked) - before} jobs done meanwhile"
            )
        # Until now a node of the old code might have had to read what is noted of the members.
        group.until(lambda: knows_keys(group), "every node knows the keys of all")
        gaps.stop()
        problems = load.stop()
        print(gaps.sentence())
        return problems + judge(group, history, timeline, {})
    finally:
        group.close()


def knows_keys(group: Group) -> bool:
    bodies = [group.status(node_id) for node_id in group.servers]
    return all(body is not None and all(node.get("key") for node in body["nodes"]) for body in bodies)


def replace(server: Server, old: Path, new: Path) -> None:
    at = server.command.index("env")
    server.command[at : at + len(words(old))] = words(new)


def folder_of_one(folder: Path, old: Path, new: Path) -> list[str]:
    """Killed with jobs in all states, some of them in the journal only."""
    server = Server(folder / "one", free_port(), before=words(old))
    try:
        server.start()
        jobs = [{"queue": f"q{number % 7}", "payload": {"n": number}} for number in range(JOBS)]
        ids = server.post("/api/v1/enqueue/batch", {"jobs": jobs})[1]["job_ids"]
        for _ in range(20):
            claimed = server.post("/api/v1/fetch", {"queues": ["q1", "q2"], "timeout": 1})[1]
            server.post(f"/api/v1/ack/{claimed['job_id']}", {"result": 1})
        server.post(f"/api/v1/jobs/{ids[0]}/hold", {"reason": "look"})
        server.post("/api/v1/schedules", {"name": "s", "queue": "q0", "cron": "0 0 1 1 *"})
        before = fetch_documents(server.address, ids)
        server.kill()
        replace(server, old, new)
        server.start()
        after = fetch_documents(server.address, ids)
        problems = [f"{job_id} changed" for job_id in ids if not _same(before[job_id], after.get(job_id))]
        code, said = server.doctor()
        return problems + ([said] if code else [])
    finally:
        server.close()


def _same(before: dict[str, object], after: dict[str, object] | None) -> bool:
    """New code may show more of a job."""
    return after is not None and before.items() <= after.items()


def main() -> None:
    parser = argparse.ArgumentParser(description="Upgrade a cluster and a folder from one tree to another.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    arguments = parser.parse_args()
    old, new = arguments.old.resolve(), arguments.new.resolve()
    with tempfile.TemporaryDirectory(prefix="corvo-upgrade-") as folder:
        problems = folder_of_one(Path(folder), old, new)
        print(f"the folder of one node: {'FAIL' if problems else 'PASS'}")
        problems += rolling(Path(folder), old, new)
    for problem in problems[:50]:
        print(problem)
    print("FAIL" if problems else "PASS")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
