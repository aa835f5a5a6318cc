"""Kill -9 under load, again and again: nothing acknowledged may be lost.

    python -m chaos.crash --rounds 20

Producers and workers run all the time; the server is killed at random moments and started again. After
each start every accepted job must be there; at the end everything is drained and all checkers and
`corvo doctor` must have nothing to say.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from chaos.checkers import ALL
from chaos.checkers.no_lost_job import Documents
from chaos.history import History
from chaos.load import Load, drain
from chaos.process import Client, Server, free_port

_IDS_PER_CALL = 1_000


def fetch_documents(port: int, job_ids: list[str]) -> Documents:
    documents: Documents = {}
    with Client(port) as client:
        for start in range(0, len(job_ids), _IDS_PER_CALL):
            chunk = job_ids[start : start + _IDS_PER_CALL]
            status, body = client.call("POST", "/api/v1/jobs/bulk-get", {"job_ids": chunk})
            assert status == 200, body
            documents |= {job["id"]: job for job in body["jobs"]}
    return documents


def run(rounds: int, seed: int, folder: Path, *flags: str) -> list[str]:
    """Sentences about everything that went wrong; none is a pass."""
    chance = random.Random(seed)
    history = History()
    server = Server(folder / "data", free_port(), *flags)
    problems: list[str] = []
    try:
        server.start()
        load = Load(server.port, history, producers=2, workers=3, seed=seed)
        load.start()
        for number in range(1, rounds + 1):
            time.sleep(chance.uniform(0.3, 1.5))
            accepted = list(history.accepted)
            server.kill()
            took_s = server.start()
            present = fetch_documents(server.port, accepted)
            missing = [job_id for job_id in accepted if job_id not in present]
            problems += [f"round {number}: {job_id} was accepted and then vanished" for job_id in missing]
            print(
                f"round {number}: {len(accepted)} accepted, {len(history.acked)} acked, up in {took_s:.2f} s"
            )
        problems += load.stop()
        if not drain(server.port, history):
            problems.append("jobs were left over that nobody could finish")
        documents = fetch_documents(server.port, list(history.accepted))
        for check in ALL:
            problems += check(history, documents)
        problems += _doctor(server, "running")
        server.kill()
        problems += _doctor(server, "stopped")
    finally:
        server.close()
    print(
        f"{len(history.accepted)} jobs accepted, {len(history.claims)} claims, {history.unknown} answers lost"
    )
    return problems


def _doctor(server: Server, how: str) -> list[str]:
    code, words = server.doctor()
    return [] if code == 0 else [f"corvo doctor on the {how} node: {words}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory(prefix="corvo-crash-") as folder:
        problems = run(arguments.rounds, seed, Path(folder))
    for problem in problems[:50]:
        print(problem)
    print("PASS" if not problems else f"FAIL: {len(problems)} problems (seed {seed})")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
