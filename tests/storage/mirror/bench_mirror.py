"""Figures of the mirror at a million jobs. Not a test: nothing is asserted, everything is printed.

    python -m tests.storage.mirror.bench_mirror [jobs] [folder]

The folder (default /tmp/corvo-bench-mirror) keeps its LevelDB between runs; remove it when done.
"""

import json
import random
import resource
import shutil
import sys
import threading
import time
from pathlib import Path

from corvo.core.events import EventRecord
from corvo.core.job import Commit, Job, JobError, Lease, Verb, encode
from corvo.core.priority import Priority
from corvo.core.queue import Queue, encode_queue
from corvo.core.states import JobState
from corvo.storage import keys
from corvo.storage.leveldb import LevelDbKv
from corvo.storage.meta import FORMAT, Meta, encode_meta
from corvo.storage.mirror import database, files, rebuild
from corvo.storage.mirror.mirror import Mirror
from corvo.storage.mirror.search import search
from corvo.storage.mirror.search.fulltext import full_text
from corvo.storage.mirror.search.query import Query, Sort
from tests.storage.mirror.support import hold

START_NS = 1_700_000_000_000_000_000
QUEUES = 10
S = JobState
FLUSH_ROWS = 2_048


def say(name, figure):
    print(f"{name:58} {figure}", flush=True)


def make_job(rng, number):
    """About a hundred bytes of payload; ten queues; half of the jobs completed, an eighth dead."""
    at_ns = START_NS + number * 1_000_003
    state = JobState(rng.choice((1, 1, 2, 5, 5, 5, 5, 6)))
    payload = {
        "user_id": rng.randrange(10**6),
        "action": rng.choice(["send", "mail", "bill", "sync"]),
        "email": f"user{number}@example.com",
        "n": round(rng.random(), 6),
    }
    return Job(
        id=f"job_01J8{number:022}",
        queue=f"queue-{rng.randrange(QUEUES)}",
        state=state,
        priority=Priority(rng.choice((2, 2, 2, 1, 0))),
        payload=json.dumps(payload).encode(),
        created_ns=at_ns,
        order_ns=at_ns,
        attempt=0 if state is S.PENDING else 1,
        tags={"env": "prod", "team": f"t{rng.randrange(50)}"},
        lease=Lease(number, at_ns, 60_000, f"w{number % 20}", "h") if state is S.ACTIVE else None,
        commit=Commit(number, Verb.ACK, S.COMPLETED, 1) if state is S.COMPLETED else None,
        started_ns=None if state is S.PENDING else at_ns + 5,
        completed_ns=at_ns + 9 if state is S.COMPLETED else None,
        failed_ns=at_ns + 9 if state is S.DEAD else None,
        error_count=int(state is S.DEAD),
        last_error="it broke" if state is S.DEAD else None,
    )


def make_store(path, jobs):
    kv = LevelDbKv(path, create=True)
    rng = random.Random(1)
    counts = {f"queue-{n}": [0] * len(JobState) for n in range(QUEUES)}
    writes = {}
    for number in range(jobs):
        job = make_job(rng, number)
        counts[job.queue][job.state] += 1
        writes[keys.job(job.id)] = encode(job)
        if job.error_count:
            writes[keys.error(job.id, 0)] = encode(JobError(1, job.created_ns, "it broke"))
        if len(writes) > 5_000:
            kv.write(writes, sync=False)
            writes = {}
    for name, count in counts.items():
        writes[keys.queue(name)] = encode_queue(Queue(name, 1, count))
    writes[keys.META] = encode_meta(Meta(FORMAT, 1_000, 1, START_NS + jobs * 2_000_000, 0, 1, 2))
    kv.write(writes, sync=False)
    return kv


def rss_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4_096 / 1e6


def bench_rebuild(kv, folder, jobs):
    shutil.rmtree(folder, ignore_errors=True)
    before, cpu = time.perf_counter(), time.process_time()
    longest, last = 0.0, before
    path = None
    for progress in rebuild.build(kv, folder):
        longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
        path = progress.path
    took, cpu = time.perf_counter() - before, time.process_time() - cpu
    path = files.publish(folder, path)
    say("rebuild", f"{jobs / took:,.0f} rows/s ({took:.1f} s, {cpu:.1f} s of processor)")
    say("  longest single step", f"{longest * 1_000:.0f} ms")
    say("  file", f"{path.stat().st_size / 1e6:.0f} MB")
    say("  memory of the process", f"{rss_mb():.0f} MB")


def bench_words(mirror, jobs):
    before = time.perf_counter()
    longest = 0.0
    while True:
        began = time.perf_counter()
        if not mirror.index_words():
            break
        longest = max(longest, time.perf_counter() - began)
    took = time.perf_counter() - before
    say("full-text indexing", f"{jobs / took:,.0f} rows/s, longest round {longest * 1_000:.0f} ms")


def spin(until):
    """Rounds per second of a busy loop until the event: what another thread leaves of the interpreter."""
    start, rounds = time.perf_counter(), 0
    while not until.is_set():
        for _ in range(1_000):
            rounds += 1
    return rounds / (time.perf_counter() - start)


def undisturbed():
    ended = threading.Event()
    threading.Timer(1.0, ended.set).start()
    return spin(ended)


def write_rows(mirror, jobs, pace):
    """Feed jobs as entries of 64, at full speed or at a pace; seconds and seconds of processor it took."""
    index, began, cpu = mirror.index, time.perf_counter(), time.thread_time()
    for number, at in enumerate(range(0, len(jobs), 64), start=1):
        entry = jobs[at : at + 64]
        # An entry of the state machine writes some five index keys for each job.
        writes = dict.fromkeys((b"i%d" % n for n in range(len(entry) * 5)), b"")
        mirror.add(index + number, {job.id: job for job in entry}, writes, EventRecord(1, 0, [], []))
        if len(mirror.batch) >= (FLUSH_ROWS if pace is None else pace * 0.15):
            mirror.flush()
            if pace is not None:
                time.sleep(max(0.0, (at + 64) / pace - (time.perf_counter() - began)))
    mirror.flush()
    return time.perf_counter() - began, time.thread_time() - cpu


def bench_writer(folder, jobs, count=100_000):
    rng = random.Random(2)
    fresh = [make_job(rng, jobs + number) for number in range(count)]
    changed = [_changed(job, START_NS + (jobs + count) * 2_000_000) for job in fresh]
    calm = undisturbed()
    for name, bundle, pace in (
        ("writer: new rows", fresh[: count // 2], None),
        ("writer: the same rows once more, all changed", changed[: count // 2], None),
        ("writer: new rows at 5,000 a second", fresh[count // 2 :][:15_000], 5_000),
        ("writer: new rows at 15,000 a second", fresh[count // 2 + 15_000 :], 15_000),
    ):
        ended, figures = threading.Event(), []

        def work(bundle=bundle, pace=pace, ended=ended, figures=figures):
            mirror = Mirror(folder)  # sqlite3 wants to be used by the thread that opened it.
            mirror.open()
            figures += write_rows(mirror, bundle, pace)
            ended.set()
            mirror.close()

        thread = threading.Thread(target=work)
        thread.start()
        left = spin(ended) / calm
        thread.join()
        took, cpu = figures
        rows = len(bundle)
        say(name, f"{rows / took:,.0f} rows/s beside a busy loop, {rows / cpu:,.0f} by processor time")
        say("  the busy loop keeps", f"{left:.0%} of its speed meanwhile")


def _changed(job, at_ns):
    job = job.copy()
    job.state, job.lease, job.attempt = S.COMPLETED, None, 2
    job.started_ns = job.completed_ns = at_ns + job.created_ns % 10**9
    return job


def bench_searches(path):
    db = database.open_reader(path)
    cases = {
        "page: queue + state, created_at": {"queue": "queue-3", "states": (S.COMPLETED,)},
        "page: queue, created_at": {"queue": "queue-3"},
        "page: dead, all queues": {"states": (S.DEAD,)},
        **{f"page: all, {sort.value}": {"sort": sort} for sort in Sort},
        **{f"page: queue, {sort.value}": {"sort": sort, "queue": "queue-3"} for sort in Sort},
        "page: tags, 1 in 50": {"tags": {"team": "t7"}},
        "page: tags, none": {"tags": {"team": "t777"}},
        "page: error_contains, none": {"error_contains": "nothing"},
        "page: id prefix": {"job_id_prefix": "job_01J8000000000000000077"},
        "jq: queue of a tenth, number, none": {"queue": "queue-3", "payload_jq": ".user_id == -1"},
        "jq: queue of a tenth, string, one": {
            "queue": "queue-3",
            "payload_jq": '.email == "user77@example.com"',
        },
        "jq: queue of a tenth, 1 in 4": {"queue": "queue-3", "payload_jq": '.action == "send"'},
        "jq: everything, none": {"payload_jq": ".user_id == -1"},
        "payload_contains: everything, none": {"payload_contains": "nothing at all"},
    }
    for name, members in cases.items():
        say(name, _times(lambda members=members: hold(search.search(Query(**members)), db)))
    say("page: queue + state, 1,000 rows, slowest of all", _deep_pages(db))
    for asked in ("user123456", "user12", "user", "send", "send t7", "bill sync", "nothing", "user nothing"):
        say(f"full text: {asked}", _times(lambda asked=asked: hold(full_text(asked, 50), db)))
    db.close()


def _times(act, rounds=5):
    taken = []
    for _ in range(rounds):
        before = time.perf_counter()
        act()
        taken.append((time.perf_counter() - before) * 1_000)
    return f"{min(taken):.1f} ms at best, {sorted(taken)[rounds // 2]:.1f} ms typically"


def _deep_pages(db):
    taken, cursor = [], None
    while True:
        before = time.perf_counter()
        query = Query(queue="queue-3", states=(S.COMPLETED,), limit=1_000, cursor=cursor)
        page = hold(search.search(query), db)
        taken.append((time.perf_counter() - before) * 1_000)
        cursor = page.cursor
        if cursor is None:
            return f"{max(taken[1:], default=taken[0]):.1f} ms of {len(taken)} pages"


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else "/tmp/corvo-bench-mirror")
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / f"kv-{jobs}"
    kv = LevelDbKv(store, create=False) if store.exists() else make_store(store, jobs)
    sys.setswitchinterval(0.0005)  # As a node does.
    bench_rebuild(kv, folder / "mirror", jobs)
    kv.close()
    mirror = Mirror(folder / "mirror")
    mirror.open()
    bench_words(mirror, jobs)
    bench_searches(mirror.path)
    mirror.close()
    bench_writer(folder / "mirror", jobs)
    say(
        "most memory the process ever had",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB",
    )


if __name__ == "__main__":
    main()
