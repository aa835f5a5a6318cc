"""Jobs through SDK workers that are killed at random, and a server that is restarted twice.

    python -m chaos.sdk --jobs 10000

Nothing may be lost, each job is committed exactly once, by a lease that a worker wrote down before it began,
and all counts agree. A job may be begun more often than once; how often that happened is printed.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from chaos.process import Server, free_port
from corvo_sdk import Client, RetryPolicy, new_job
from corvo_sdk.models.job import Event, Job

QUEUE = "work"
_BATCH = 200
#: The server is away for seconds; clients sit that out.
_PATIENT = RetryPolicy(attempts=60, base_s=0.05, most_s=1.0)


class Crowd:
    """Worker processes. One at a time is killed, and another takes its place."""

    def __init__(self, url: str, folder: Path, size: int, seed: int) -> None:
        self._url = url
        self._folder = folder
        self._chance = random.Random(seed)
        self._started = 0
        self.kills = 0
        self._ledgers: dict[int, Path] = {}
        self._processes = [self._start() for _ in range(size)]
        self._stop = threading.Event()
        self._killer = threading.Thread(target=self._kill_for_ever, daemon=True)
        self._killer.start()

    def _start(self) -> subprocess.Popen[bytes]:
        self._started += 1
        kind = "async" if self._started % 2 else "sync"
        ledger = self._folder / f"ledger-{self._started}"
        command = [sys.executable, "-m", "chaos.sdk_worker", self._url, QUEUE, str(ledger), kind]
        with (self._folder / "workers.log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        self._ledgers[process.pid] = ledger
        return process

    def _kill_for_ever(self) -> None:
        while not self._stop.wait(self._chance.uniform(0.1, 0.9)):
            number = self._chance.randrange(len(self._processes))
            ledger = self._ledgers[self._processes[number].pid]
            if not ledger.exists() or not ledger.stat().st_size:
                continue  # On a slow machine most would be killed before they have begun anything.
            self._processes[number].send_signal(signal.SIGKILL)
            self._processes[number].wait()
            self.kills += 1
            self._processes[number] = self._start()

    def calm(self) -> None:
        """No more killing."""
        self._stop.set()
        self._killer.join()

    def end(self) -> list[str]:
        """Ask all to stop: a sentence for each that did not end well."""
        self.calm()
        for process in self._processes:
            process.terminate()
        codes = [process.wait(30) for process in self._processes]
        # One that was started a moment ago may not have come to listen for signals yet.
        return [f"a worker ended with {code}" for code in codes if code not in (0, -signal.SIGTERM)]

    def begun(self) -> list[tuple[str, str, int]]:
        """Job, token and version of every beginning that was written down."""
        lines = [line for ledger in self._folder.glob("ledger-*") for line in ledger.read_text().splitlines()]
        return [(job_id, token, int(version)) for job_id, token, version in map(str.split, lines)]


def run(jobs: int, *, workers: int, seed: int, folder: Path, seconds: float) -> list[str]:
    """Sentences about everything that went wrong; none is a pass."""
    server = Server(folder / "data", free_port())
    server.start()
    url = f"http://127.0.0.1:{server.port}"
    crowd = Crowd(url, folder, workers, seed)
    problems: list[str] = []
    try:
        with Client(url, retry=_PATIENT) as client:
            produced: list[str] = []
            producer = threading.Thread(target=_produce, args=(url, jobs, produced), daemon=True)
            producer.start()
            _restart_when(client, server, jobs // 3, seconds, kill=True)
            _restart_when(client, server, 2 * jobs // 3, seconds, kill=False)
            producer.join(seconds)
            # Towards the end the killing stops, so that the last leases need not run out again and again.
            _wait_for(client, jobs - jobs // 20, seconds)
            crowd.calm()
            _wait_for(client, jobs, seconds)
            problems += crowd.end()
            problems += _check(client, produced, crowd.begun(), jobs)
            print(f"{jobs} jobs, {len(crowd.begun())} begun, {crowd.kills} workers killed, 2 restarts")
        code, words = server.doctor()
        problems += [] if code == 0 else [f"corvo doctor: {words}"]
    finally:
        crowd.calm()
        server.close()
    return problems


def _produce(url: str, jobs: int, produced: list[str]) -> None:
    with Client(url, retry=_PATIENT) as client:
        for start in range(0, jobs, _BATCH):
            numbers = range(start, min(start + _BATCH, jobs))
            made = client.enqueue_many([new_job(QUEUE, {"n": n}, max_retries=1_000) for n in numbers])
            produced += made.job_ids


def _restart_when(client: Client, server: Server, completed: int, seconds: float, *, kill: bool) -> None:
    _wait_for(client, completed, seconds)
    if kill:
        server.kill()
    else:
        server.terminate(30)
    server.start()
    print(f"server {'killed' if kill else 'stopped'} and started again at about {completed} jobs")


def _wait_for(client: Client, completed: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        done = sum(queue.completed_total for queue in client.queues.all())
        if done >= completed:
            return
        if time.monotonic() > deadline:
            raise RuntimeError(f"only {done} of {completed} jobs were done in {seconds:g} s")
        time.sleep(0.05)


# Checking


def _check(
    client: Client, produced: list[str], begun: list[tuple[str, str, int]], jobs: int
) -> Iterator[str]:
    documents = {job.id: job for job in client.jobs.get_many(produced)}
    if len(set(produced)) != jobs:
        yield f"{len(set(produced))} jobs were accepted, not {jobs}"
    tokens: dict[str, dict[str, int]] = defaultdict(dict)
    for job_id, token, version in begun:
        if token in tokens[job_id]:
            yield f"{job_id} was begun twice by the lease {token}"
        if version in tokens[job_id].values():
            yield f"{job_id} was handed out twice as version {version}"
        tokens[job_id][token] = version
    for job_id in produced:
        yield from _check_job(job_id, documents.get(job_id), tokens[job_id])
    yield from _check_counts(client, jobs)


def _check_job(job_id: str, job: Job | None, tokens: dict[str, int]) -> Iterator[str]:
    if job is None:
        yield f"{job_id} was accepted and then vanished"
    elif job.state != "completed":
        yield f"{job_id} is {job.state}"
    elif job.result["token"] not in tokens:
        yield f"{job_id} was committed by {job.result['token']}, which no worker wrote down"
    elif tokens[job.result["token"]] != job.lease_version:
        yield f"{job_id} was committed by an older lease than its last"


def _check_counts(client: Client, jobs: int) -> Iterator[str]:
    queue = client.queues.get(QUEUE)
    for name in ("enqueued", "completed", "completed_total"):
        if getattr(queue, name) != jobs:
            yield f"the queue says {name} {getattr(queue, name)}, not {jobs}"
    for name in ("pending", "active", "retrying", "scheduled", "dead", "held", "cancelled"):
        if getattr(queue, name):
            yield f"the queue says {name} {getattr(queue, name)}, not 0"
    if client.jobs.search(queue=QUEUE, state="completed", limit=1).total != jobs:
        yield "the search counts another number of completed jobs"
    completions = Counter(event.job_id for event in _events(client) if event.type == "completed")
    if len(completions) != jobs:
        yield f"{len(completions)} jobs have an event of their completion, not {jobs}"
    for job_id, count in completions.items():
        if count != 1:
            yield f"{job_id} was completed {count} times"


def _events(client: Client) -> Iterator[Event]:
    after = 0
    while events := client.server.events(after, limit=1_000):
        yield from events
        after = events[-1].seq


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="corvo-chaos-sdk-") as folder:
        problems = run(
            arguments.jobs,
            workers=arguments.workers,
            seed=arguments.seed,
            folder=Path(folder),
            seconds=arguments.seconds,
        )
    for problem in problems[:50]:
        print(problem)
    print("nothing was lost, nothing was done twice" if not problems else f"{len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
