"""A node with an hour of believable work behind it: for screenshots, and for trying the UI by hand.

    python -m tests.ui.showcase [--port 8080] [--jobs 100000]

The node is real; only its clock begins an hour ago and is moved through the hour while the work is done.
"""

import argparse
import asyncio
import contextlib
import random
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corvo.config import Config
from corvo.core.clock import NS_PER_S, SystemClock
from corvo.node.node import Node
from tests.ui.api import Api

_MINUTE_NS = 60 * NS_PER_S

PEOPLE = ("ann", "bela", "chidi", "dana", "eko", "farah", "gil", "hana")
TENANTS = ("acme", "globex", "initech", "umbrella")
STACK = """Traceback (most recent call last):
  File "/srv/app/worker.py", line 88, in run
    result = handlers[job.queue](job.payload)
  File "/srv/app/mail/send.py", line 41, in send
    with smtp.connect(host, timeout=30) as session:
  File "/srv/app/mail/smtp.py", line 112, in connect
    raise SmtpTimeout(f"no answer from {host} within {timeout} s")
SmtpTimeout: no answer from mx.example.com within 30 s"""


class ShiftedClock:
    """The machine's clock, some time ago."""

    def __init__(self, behind_ns: int) -> None:
        self.behind_ns = behind_ns

    def now_ns(self) -> int:
        return time.time_ns() - self.behind_ns  # noqa: TID251 - this is a clock

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()


class Work:
    """What producers and workers of a small company do."""

    QUEUES: tuple[tuple[str, float, Callable[[random.Random], dict[str, Any]]], ...] = (
        (
            "emails.send",
            60,
            lambda r: {
                "to": f"{r.choice(PEOPLE)}@example.com",
                "template": r.choice(["welcome", "receipt", "reset"]),
            },
        ),
        (
            "images.resize",
            40,
            lambda r: {
                "bucket": "media",
                "key": f"u/{r.randrange(9_999)}.jpg",
                "width": r.choice([320, 640, 1280]),
            },
        ),
        (
            "search.index",
            90,
            lambda r: {"doc": r.randrange(10**6), "kind": r.choice(["page", "user", "order"])},
        ),
        (
            "webhooks.deliver",
            25,
            lambda r: {"url": f"https://{r.choice(TENANTS)}.example/hook", "event": "order.paid"},
        ),
        ("billing.charge", 6, lambda r: {"order": r.randrange(9_999), "cents": r.randrange(500, 90_000)}),
        (
            "reports.generate",
            3,
            lambda r: {
                "report": r.choice(["sales", "churn"]),
                "user": {"id": r.randrange(99), "plan": "pro"},
            },
        ),
    )
    WORKERS = (
        ("mail-7f9c-1", "pod-mail-1", ("emails.send", "webhooks.deliver")),
        ("mail-7f9c-2", "pod-mail-2", ("emails.send", "webhooks.deliver")),
        ("media-5d2b-1", "pod-media-1", ("images.resize",)),
        ("index-9a1e-1", "pod-index-1", ("search.index",)),
        ("index-9a1e-2", "pod-index-2", ("search.index",)),
        ("office-33c0-1", "pod-office-1", ("billing.charge", "reports.generate")),
    )

    def __init__(self, api: Api, seed: int = 7) -> None:
        self.api = api
        self.random = random.Random(seed)

    def minute(self, weight: float = 1.0) -> None:
        r = self.random
        jobs = []
        for queue, rate, payload in self.QUEUES:
            for _ in range(int(rate * weight * r.uniform(0.6, 1.4)) or 1):
                tags = {"tenant": r.choice(TENANTS), "region": r.choice(["eu", "us"])}
                jobs.append({"queue": queue, "payload": payload(r), "tags": tags})
        self.api.enqueue_many(jobs)
        for worker, host, queues in self.WORKERS:
            share = int(sum(rate for queue, rate, _ in self.QUEUES if queue in queues) * weight * 0.62) + 1
            self.work(worker, host, queues, share)

    def work(self, worker: str, host: str, queues: tuple[str, ...], count: int) -> None:
        acks = []
        for job in self.api.fetch(*queues, count=count, worker=worker, host=host):
            chance = self.random.random()
            if chance < 0.02 and job["queue"] == "webhooks.deliver":
                status = self.random.choice([502, 503, 504])
                self.api.fail(job["job_id"], f"POST {job['payload']['url']} answered {status}")
            elif chance < 0.012 and job["queue"] == "emails.send":
                address = f"10.0.{self.random.randrange(9)}.{self.random.randrange(255)}:25"
                self.api.fail(
                    job["job_id"], f"SMTP timeout after 30s connecting to {address}", backtrace=STACK
                )
            elif chance < 0.01:
                self.api.fail(job["job_id"], f"KeyError: '{self.random.choice(['plan', 'width', 'kind'])}'")
            else:
                acks.append(
                    {"job_id": job["job_id"], "result": {"ok": True, "ms": self.random.randrange(5, 900)}}
                )
        for start in range(0, len(acks), 500):
            self.api("POST", "/ack/batch", {"acks": acks[start : start + 500]})

    def oddities(self) -> None:
        """One of each thing that a page can show."""
        api, r = self.api, self.random
        for n in range(14):
            error = ["card declined for order {n}", "no such user {n}", "disk quota exceeded on volume {n}"][
                n % 3
            ]
            api.kill(["billing.charge", "reports.generate"][n % 2], error.format(n=4_000 + n), {"order": n})
        api.enqueue_many([{"queue": "sync.users", "payload": {"page": n}} for n in range(340)])
        api("POST", "/queues/sync.users/pause")
        api.enqueue_many([{"queue": "pdf.render", "payload": {"doc": n}} for n in range(12)])
        api("POST", "/queues/billing.charge/concurrency", {"max": 4})
        api("POST", "/queues/emails.send/throttle", {"rate": 600, "window_ms": 60_000})
        for order, amount in ((8_812, 1_250), (8_977, 4_900), (9_004, 880)):
            held = api.enqueue(
                "billing.charge", {"order": order, "refund_eur": amount, "asked_by": r.choice(PEOPLE)}
            )
            api(
                "POST",
                f"/jobs/{held}/hold",
                {"reason": f"Refund of {amount} EUR needs a second pair of eyes"},
            )
        now_s = SystemClock().now_ns() / 1e9
        for hours in (1, 3, 8, 26):
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_s + hours * 3_600))
            api.enqueue("reports.generate", {"report": "weekly", "hours": hours}, scheduled_at=at)
        jobs = [{"queue": "images.resize", "payload": {"album": 17, "image": n}} for n in range(40)]
        api("POST", "/enqueue/batch", {"jobs": jobs, "batch": {"callback_queue": "albums.ready"}})
        extract = api.enqueue(
            "etl.extract",
            {"table": "orders", "day": "2026-11-15"},
            chain={
                "steps": [{"queue": "etl.extract"}, {"queue": "etl.transform"}, {"queue": "etl.load"}],
                "on_failure": {"queue": "alerts.page"},
            },
        )
        (job,) = api.fetch("etl.extract", worker="etl-1", host="pod-etl-1")
        assert job["job_id"] == extract
        api("POST", f"/ack/{extract}", {"result": {"rows": 48_211}})
        (job,) = api.fetch("etl.transform", worker="etl-1", host="pod-etl-1")
        beat = {
            "jobs": {job["job_id"]: {"progress": {"current": 18_400, "total": 48_211, "message": "rows"}}}
        }
        api("POST", "/heartbeat", beat)
        for name, cron, queue in (
            ("nightly-report", "30 2 * * 1-5", "reports.generate"),
            ("sync-users", "*/15 * * * *", "sync.users"),
            ("month-end", "0 6 1 * *", "billing.charge"),
        ):
            made = api(
                "POST",
                "/schedules",
                {"name": name, "cron": cron, "queue": queue, "timezone": "Europe/Berlin"},
            )
            api("POST", f"/schedules/{made['id']}/run")
        api("PUT", f"/schedules/{made['id']}", {"enabled": False})
        search = {"queue": "images.resize", "state": ["completed"]}
        api(
            "POST",
            "/jobs/bulk",
            {"action": "move", "move_to_queue": "archive", "filter": search, "async": True, "rate": 300},
        )
        hook = {"events": ["dead", "batch.completed"], "secret": "s3cr3t-of-the-showcase"}
        api("POST", "/webhooks", hook | {"url": "https://hooks.example.com/corvo"})
        self.unlucky()

    def unlucky(self) -> str:
        """A job with a long history, about to be tried again."""
        api = self.api
        job_id = api.enqueue(
            "emails.send",
            {
                "to": "ann@example.com",
                "template": "welcome",
                "user": {"id": 12345678901234567890, "plan": "pro"},
            },
            priority="critical",
            max_retries=5,
            retry_base_delay="10m",
            tags={"tenant": "acme", "region": "eu"},
            unique_key="welcome-ann",
        )
        (job,) = api.fetch("emails.send", worker="mail-7f9c-2", host="pod-mail-2")
        assert job["job_id"] == job_id
        for sent in (120, 450, 700):
            progress = {"current": sent, "total": 1_000, "message": "Sending"}
            api(
                "POST",
                "/heartbeat",
                {"jobs": {job_id: {"progress": progress, "checkpoint": {"offset": sent}}}},
            )
        api.fail(job_id, "SMTP timeout after 30s connecting to 10.0.0.7:25", backtrace=STACK)
        return job_id


async def run(port: int, extra_jobs: int, *, ready: Callable[[str], None] | None = None) -> None:
    clock = ShiftedClock(62 * _MINUTE_NS)
    with tempfile.TemporaryDirectory() as folder:
        config = Config(bind=f"127.0.0.1:{port}", data_dir=str(Path(folder) / "data"), durable="off")
        node = await Node.start(config, clock=clock)
        over = threading.Event()
        try:
            work = Work(Api(node.address))
            await asyncio.to_thread(_live_through, work, clock)
            if extra_jobs:
                jobs = [{"queue": "archive.crunch", "payload": {"n": n}} for n in range(extra_jobs)]
                await asyncio.to_thread(work.api.enqueue_many, jobs)
            print(f"http://{node.address}/ui/", flush=True)
            if ready is not None:
                ready(node.address)
            threading.Thread(target=_go_on, args=(work, over), daemon=True).start()
            await asyncio.Event().wait()
        finally:
            over.set()
            await node.stop()


def _live_through(work: Work, clock: ShiftedClock) -> None:
    for minute in range(61, -1, -1):
        clock.behind_ns = minute * _MINUTE_NS
        work.minute(1 + 0.8 * ((minute // 7) % 3) - (0.4 if 20 < minute < 30 else 0))
    clock.behind_ns = 0
    work.oddities()


def _go_on(work: Work, over: threading.Event) -> None:
    """A little work every now and then, so that there is something to see."""
    with contextlib.suppress(OSError):
        while not over.wait(1.5):
            work.minute(0.05)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--jobs", type=int, default=0, help="jobs to add on top")
    args = parser.parse_args()
    asyncio.run(run(args.port, args.jobs))
