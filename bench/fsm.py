"""What one op costs in the state machine: decode, apply, encode, LevelDB write (no fsync), one core."""

import tempfile
import time
from pathlib import Path

from corvo.core.backoff import Backoff
from corvo.core.clock import SystemClock
from corvo.core.ids import IdSource
from corvo.core.priority import Priority
from corvo.fsm.machine import Machine
from corvo.ops.base import Op
from corvo.ops.enqueue import Enqueue, NewJob
from corvo.ops.entry import Entry, decode, encode
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.finish import Ack
from corvo.storage.leveldb import LevelDbKv

OPS_PER_ENTRY = 256
PAYLOAD = b'{"to":"someone@example.com","text":"' + b"x" * 64 + b'"}'


class Bench:
    def __init__(self, folder: Path, *, sync: bool = False) -> None:
        self.kv = LevelDbKv(folder / "kv", create=True)
        self.machine = Machine(self.kv)
        self.clock = SystemClock()
        self.ids = IdSource(self.clock)
        self.sync = sync

    def new(self, queue: str = "q") -> Enqueue:
        return Enqueue(
            NewJob(
                job_id=self.ids.new("job"),
                queue=queue,
                payload=PAYLOAD,
                priority=Priority.NORMAL,
                max_retries=3,
                backoff=Backoff.EXPONENTIAL,
                retry_base_ms=5_000,
                retry_max_ms=600_000,
                retry_jitter=0.0,
                unique=None,
                scheduled_ns=None,
                expire_after_ms=None,
                tags=None,
                checkpoint=None,
                parent_id=None,
                group=None,
            )
        )

    def apply(self, ops: list[Op]) -> tuple[list, float]:
        """Outcomes, and seconds of processor: nothing here waits, and others may be busy meanwhile."""
        began = time.thread_time()
        entry = decode(encode(Entry(self.clock.now_ns(), ops)))
        applied = self.machine.apply(self.machine.index + 1, 1, entry)
        self.kv.write(applied.writes, sync=self.sync)
        self.machine.state.store.landed(applied.index)
        return applied.outcomes, time.thread_time() - began

    def cycle(self) -> tuple[float, float, float]:
        """One entry each of enqueues, single fetches and acks; seconds of each."""
        _, enqueue_s = self.apply([self.new() for _ in range(OPS_PER_ENTRY)])
        claim = Claim(("q",), "w1", "host", 60_000, 1)
        fetched, fetch_s = self.apply([Fetch([claim]) for _ in range(OPS_PER_ENTRY)])
        jobs = [outcome.claims[0][0].job for outcome in fetched]
        _, ack_s = self.apply([Ack(job.id, job.lease.token, b'{"ok":true}') for job in jobs])
        return enqueue_s, fetch_s, ack_s


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for _ in range(20):
            bench.cycle()
        rounds = [bench.cycle() for _ in range(150)]
    names = ("enqueue", "fetch", "ack")
    targets = (15, 20, 20)
    print(
        f"state machine, {OPS_PER_ENTRY} ops an entry, {len(PAYLOAD)} B payload, microseconds per op, median:"
    )
    for number, (name, target) in enumerate(zip(names, targets, strict=True)):
        times = sorted(each[number] for each in rounds)
        print(f"  {name:8} {times[len(times) // 2] / OPS_PER_ENTRY * 1e6:6.1f}   target <= {target}")


if __name__ == "__main__":
    main()
