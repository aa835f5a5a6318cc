"""What a state adds up to is the same in every process, whatever its hashes are seeded with."""

import os
import random
import subprocess
import sys

import pytest

from corvo.core.errors import CorvoError
from corvo.core.job import Chain, DependencyFailure, Step
from corvo.ops.flow import OpenBatch, Resolve, SealBatch
from corvo.ops.job_admin import Action
from corvo.ops.queue_admin import ClearQueue, DeleteQueue, ThrottleQueue
from corvo.storage import keys
from corvo.storage.meta import decode_meta
from tests.support.fsm import Fsm

pytestmark = pytest.mark.slow

QUEUES = [f"queue-{number}" for number in range(6)]
CHAIN = Chain((Step("queue-1"), Step("queue-2")), on_failure=Step("queue-3"), on_exit=Step("queue-4"))


def live(steps=400):  # noqa: C901 - one branch for each thing that may happen
    """A random life with a bit of everything; what it adds up to."""
    chance = random.Random(5)
    fsm, jobs, batches = Fsm(), [], []

    def step():
        kind = chance.randrange(12)
        if kind < 4 or not jobs:
            fields = {
                "depends_on": tuple(chance.sample(jobs, min(len(jobs), chance.randrange(3)))),
                "on_dependency_failure": chance.choice(list(DependencyFailure)),
                "allow_missing": True,
                "tags": {"b": "1", "a": "2"},
            }
            if chance.random() < 0.3:
                fields |= {"chain": CHAIN, "chain_id": f"chn_{len(jobs)}"}
            if batches:
                fields["batch_id"] = chance.choice([None, *batches])
            jobs.append(fsm.enqueue(chance.choice(QUEUES), **fields))
        elif kind < 7:
            for whole in fsm.fetch(*chance.sample(QUEUES, 4), count=5, worker=f"w{chance.randrange(9)}"):
                end = chance.choice((fsm.ack, fsm.fail, fsm.release, fsm.beat))
                end(whole.job.id, whole.job.lease.token)
        elif kind == 7:
            fsm.act(chance.choice([Action.CANCEL, Action.HOLD, Action.DELETE]), chance.choice(jobs))
        elif kind == 8:
            batches.append(fsm.one(OpenBatch(fsm.ids.new("batch"), "queue-5", b"{}")).batch_id)
        elif kind == 9 and batches:
            fsm.one(SealBatch(batches.pop()))
        elif kind == 10:
            queue = chance.choice(QUEUES)
            fsm.one(
                chance.choice([ClearQueue(queue, 9), ThrottleQueue(queue, 3, 1_000), DeleteQueue(queue, 9)])
            )
        else:
            fsm.clock.advance(s=chance.randrange(90))
            fsm.promote(), fsm.reclaim(), fsm.one(Resolve(100)), fsm.purge(60_000)

    for _ in range(steps):
        try:
            step()
        except CorvoError:
            """A refusal is part of life."""
    return decode_meta(fsm.kv.get(keys.META))


def test_two_processes_with_different_hashes_come_to_the_same_sum():
    sums = set()
    for seed in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", f"from {__name__} import live; print(live())"],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
            capture_output=True,
            text=True,
            check=True,
        )
        sums.add(done.stdout)
    assert len(sums) == 1
    meta = live()
    assert f"checksum={meta.checksum}" in sums.pop()
    assert meta.index > 300
