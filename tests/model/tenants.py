"""Tenants side by side: one state machine for all, and for each a twin in which the others never were.

    entry of acme    --> shared, twin of acme;                    the others' twins get an empty entry
    upkeep           --> shared, all twins

Whatever a tenant is answered, it is answered the same in its twin: so nothing of another tenant is in it,
nothing is counted that is not its own, and nothing that another does is felt. Tenants use each other's ids
all the time. Only what all share differs: the numbers of events, and times and ids within a millisecond.
"""

import re
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from corvo.core.batch import decode_batch
from corvo.core.bulk import ENDED, decode_bulk
from corvo.core.errors import CorvoError
from corvo.core.job import decode_job
from corvo.core.namespace import DEFAULT, Quotas, Reach, namespace_in, namespace_of, qualified
from corvo.core.schedule import decode_schedule
from corvo.ops.base import Op
from corvo.ops.bulk import CancelBulk
from corvo.ops.cron import DeleteSchedule, RunSchedule
from corvo.ops.entry import AnyOp
from corvo.ops.flow import SealBatch
from corvo.ops.idempotency import Once
from corvo.ops.namespaces import DeleteNamespace, SetNamespace
from corvo.storage import keys
from corvo.storage.invariants import check
from corvo.storage.leveldb import LevelDbKv
from tests.model.drawing import NAMES, Drawing
from tests.model.history import _MEMORY
from tests.model.tenant_view import view
from tests.storage.mirror.support import Mirrored
from tests.support.fsm import Fsm

TENANTS = (DEFAULT, "acme", "a")
#: What tenants ask for, and how often.
ASKED = {
    ("Enqueue", "Enqueue", "EnqueueMany", "OpenBatch", "SealBatch"): 8,
    ("Fetch", "Fetch", "Ack", "Ack", "Fail", "Heartbeat", "Release"): 12,
    ("Act", "Act", "ActMany", "PauseQueue", "LimitQueue", "ThrottleQueue", "ClearQueue", "DeleteQueue"): 5,
    ("CreateBulk", "AddBulkIds", "StartBulk", "RunBulk", "RunBulk", "CancelBulk"): 3,
    ("SetSchedule", "FireSchedule", "RunSchedule", "DeleteSchedule"): 2,
    ("SetWebhook", "SwitchWebhook", "RewindWebhook", "DeleteWebhook"): 1,
    ("Intrude",): 3,
    ("SetNamespace", "SetNamespace", "DeleteNamespace"): 0.5,
}
#: What the server does for all at once.
UPKEEP = ("Promote", "Expire", "Reclaim", "Resolve", "CleanUnique", "Purge", "PurgeBatches", "PurgeBulk")

_decode_op = msgspec.msgpack.Decoder(AnyOp).decode


class Known:
    """What there is, of one tenant and, where ids may be guessed, of the others."""

    def __init__(self, kv, tenant):
        jobs = [decode_job(value) for _, value in kv.scan(keys.JOB, keys.after(keys.JOB))]
        own = [job for job in jobs if namespace_of(job.queue) == tenant]
        others = [job for job in jobs if namespace_of(job.queue) != tenant]
        self.foreign_jobs = [job.id for job in others[-3:]]
        self.own = {job.id: job for job in own}
        #: The last ones are drawn.
        self.jobs = {job.id: job for job in [*own, *others[-3:]]}
        self.given = {job.commit.token: job.id for job in self.jobs.values() if job.commit}
        batches = [decode_batch(value) for _, value in kv.scan(keys.BATCH, keys.after(keys.BATCH))]
        self.batches = {batch.id: batch for batch in batches}
        schedules = [decode_schedule(value) for _, value in kv.scan(keys.SCHEDULE, keys.after(keys.SCHEDULE))]
        self.schedules = {each.id: each for each in schedules if namespace_of(each.plan.name) == tenant}
        self.foreign_schedules = [each.id for each in schedules if each.id not in self.schedules]
        tasks = [decode_bulk(value) for _, value in kv.scan(keys.BULK, keys.after(keys.BULK))]
        self.tasks = {each.id: each for each in tasks if namespace_in(each.reach) == tenant}
        self.foreign_tasks = [each.id for each in tasks if each.id not in self.tasks]
        self.webhooks = {}


class TenantDrawing(Drawing):
    """Whatever a tenant can ask for. Its namespace is given by the server, ids are its own choice."""

    def __init__(self, seed, fsm):
        super().__init__(seed, fsm, None)
        self.tenant = DEFAULT

    def be(self, tenant):
        self.tenant = tenant
        self.model = Known(self.fsm.kv, tenant)
        self.firings = []

    def space(self):
        return self.tenant

    def reach(self, queue=None):
        whole = None if self.tenant == DEFAULT and self.yes() else Reach(self.tenant)
        return whole if self.random() < 0.9 else Reach(self.tenant, ("a", "b*"))

    def limit(self):
        return 1_000

    def job_id(self):
        return self.one(*sorted(self.model.own)[-8:] * 2, *self.model.foreign_jobs, "job_gone")

    def _job_ids(self):
        return self.some([*sorted(self.model.own)[-8:], *self.model.foreign_jobs, "job_gone"], 4)

    def _arguments(self, job_ids):
        return self.queue(self.tenant), *super()._arguments([])[1:3], self.reach()

    def SealBatch(self):
        return SealBatch(self.known(self.model.batches), self.tenant)

    def webhook_id(self):
        return qualified(self.tenant, self.one("wh_a", "wh_b"))

    def Once(self, ops):
        digest = bytes((len(ops), self.one(0, 0, 1)))
        return [Once(qualified(self.tenant, self.one("k1", "k2")), digest, len(ops)), *ops]

    def Intrude(self):
        """Something of another tenant, by its id."""
        schedule_id = self.one(*self.model.foreign_schedules, "sched_gone")
        task_id = self.one(*self.model.foreign_tasks, "bulk_gone")
        job_id = self.one(*self.model.foreign_jobs, "job_gone")
        act = self.Act()
        return self.one(
            DeleteSchedule(schedule_id, self.reach()),
            RunSchedule(schedule_id, self.reach()),
            CancelBulk(task_id, None, self.reach()),
            msgspec.structs.replace(self.Ack(), job_id=job_id),
            msgspec.structs.replace(self.Release(), job_id=job_id),
            msgspec.structs.replace(act, job_id=job_id),
        )

    def SetNamespace(self):
        few = Quotas(
            max_queues=self.one(None, 1, 2), max_jobs=self.one(None, 4), max_payload_bytes=self.one(None, 900)
        )
        return SetNamespace(self.tenant, self.one(Quotas(), Quotas(), few))

    def DeleteNamespace(self):
        return DeleteNamespace(self.tenant, self.fsm.ids.new("bulk"), Reach(self.tenant))


class Twin:
    """A world in which there is one tenant."""

    def __init__(self, tenant, folder):
        self.tenant = tenant
        self.fsm = Fsm()
        self.mirrored = Mirrored(self.fsm, folder / f"twin-{tenant}")
        #: Ids of jobs that the server made, where they differ: as they are in the shared world, and here.
        self.here = {}
        self.there = {}

    def translated(self, op: Op) -> Op:
        if not self.here:
            return op
        return _decode_op(
            msgspec.msgpack.encode(_exchanged(msgspec.to_builtins(op, builtin_types=(bytes,)), self.here))
        )

    def pair(self, shared):
        """Jobs that the server made in the last entry, in the order they were made."""
        new = [self._new_jobs(world.applied[-1]) for world in (shared, self.fsm)]
        assert len(new[0]) == len(new[1]), f"{self.tenant} has new jobs {new[0]}, alone {new[1]}"
        for there, here in zip(*new, strict=True):
            if there != here:
                self.here[there], self.there[here] = here, there
                # In the shared world that id is another tenant's, and must not be known here.
                unknown = "job_Z" + here[5:]
                self.here.setdefault(here, unknown)
                self.there[unknown] = here

    def _new_jobs(self, applied):
        jobs = [
            job
            for job in applied.rows.values()
            if job is not None
            and namespace_of(job.queue) == self.tenant
            and job.trail[:1] == (applied.index,)
        ]
        return [job.id for job in sorted(jobs, key=lambda job: job.created_ns)]

    def seen(self, thing):
        """As the shared world would say it."""
        return _exchanged(plain(thing), self.there)


class Tenants:
    def __init__(self, seed, folder):
        self.shared = Fsm(LevelDbKv(folder / "kv", create=True))
        self.mirrored = Mirrored(self.shared, folder / "mirror")
        self.draw = TenantDrawing(seed, self.shared)
        self.twins = [Twin(tenant, folder) for tenant in TENANTS]

    def go(self, steps):
        for step in range(steps):
            # Not back, and never the same millisecond: ids and tokens are then the same in all worlds.
            ms = self.draw.one(1, 1, 1, 900, 900, 2_500, 12_000, 45_000)
            for world in (self.shared, *(twin.fsm for twin in self.twins)):
                world.clock.advance(ms=ms)
            if self.draw.random() < 0.2:
                self.draw.be(DEFAULT)
                self._everybody(getattr(self.draw, self.draw.one(*UPKEEP))())
            else:
                self._one(self.draw.one(*TENANTS))
            if step == steps // 2:
                self.compare()

    def _everybody(self, op):
        self.shared.apply(op)
        for twin in self.twins:
            twin.fsm.apply(twin.translated(op))
            twin.pair(self.shared)

    def _one(self, tenant):
        self.draw.be(tenant)
        (names,) = self.draw.choices(list(ASKED), list(ASKED.values()))
        ops = [getattr(self.draw, name)() for name in self.draw.choices(names, k=self.draw.one(1, 1, 2))]
        if self.draw.random() < 0.1:
            ops = self.draw.Once(ops)
        answers = self.shared.apply(*ops)
        for twin in self.twins:
            if twin.tenant != tenant:
                twin.fsm.apply()
                continue
            alone = twin.fsm.apply(*map(twin.translated, ops))
            twin.pair(self.shared)
            for op, has, should in zip(ops, map(plain, answers), map(twin.seen, alone), strict=True):
                assert has == should, f"{tenant}: {op}\nis answered {has}\nalone it is {should}"

    def compare(self):
        for twin in self.twins:
            whole = Reach(twin.tenant)
            for reach in (
                (None, whole) if twin.tenant == DEFAULT else (whole, Reach(twin.tenant, ("a", "b*")))
            ):
                here = view(twin.fsm, twin.mirrored, reach, _ids(twin.fsm), _words())
                asked = [twin.there.get(job_id, job_id) for job_id in here.asked]
                there = view(self.shared, self.mirrored, reach, asked, _words())
                for what, alone in here.answers.items():
                    has, should = plain(there.answers[what]), twin.seen(alone)
                    assert has == should, f"{twin.tenant} sees {what} as {has}\nalone as {should}"
                # What it may not see is as if it were not there.
                foreign = sorted(set(_ids(self.shared)) - set(asked))
                strange = view(self.shared, self.mirrored, reach, foreign, ()).answers
                assert not any(strange["jobs"]), (twin.tenant, strange["jobs"])

    def end(self):
        self.compare()
        assert list(check(self.shared.kv)) == []
        assert not [
            task
            for _, value in self.shared.kv.scan(keys.BULK, keys.after(keys.BULK))
            if (task := decode_bulk(value)).namespace and task.status in ENDED and task.error
        ]

    def close(self):
        for twin in self.twins:
            twin.mirrored.close()
        self.mirrored.close()
        self.shared.kv.close()


def run(seed, steps):
    with TemporaryDirectory(dir=_MEMORY) as folder, closing(Tenants(seed, Path(folder))) as tenants:
        tenants.go(steps)
        tenants.end()


def plain(thing):
    """Numbers, texts and lists, without what all tenants share: numbers of events, and times below a
    millisecond."""
    if isinstance(thing, CorvoError):
        thing = [type(thing).__name__, thing.message, thing.facts]
    return _rounded(msgspec.to_builtins(thing, builtin_types=(bytes,), str_keys=False))


def _rounded(value):
    if isinstance(value, int) and not isinstance(value, bool) and value > 10**17:
        return value // 1_000_000
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value


def _exchanged(value, names):
    """The same, with other names."""
    if not names:
        return value
    if isinstance(value, str):
        return _ID.sub(lambda found: names.get(found[0], found[0]), value)
    if isinstance(value, bytes):
        return _exchanged(value.decode(), names).encode() if b"job_" in value else value
    if isinstance(value, dict):
        return {_exchanged(key, names): _exchanged(each, names) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_exchanged(each, names) for each in value]
    return value


def _ids(fsm):
    return [keys.parse_job(key) for key, _ in fsm.kv.scan(keys.JOB, keys.after(keys.JOB))]


def _words():
    return (*NAMES, "xxx", "acme", "previous_job_id")


_ID = re.compile(r"job_[0-9A-Z]{26}")
