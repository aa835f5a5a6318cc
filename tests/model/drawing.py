"""Any op there is, about what the model knows: a method for each op, with the op's name."""

import random

from corvo.core.access.role import Permission
from corvo.core.backoff import Backoff
from corvo.core.job import Chain, DependencyFailure, Step, Unique, UniqueUntil
from corvo.core.priority import Priority
from corvo.core.schedule import Overlap
from corvo.core.webhook import Delivery
from corvo.ops import (
    access,
    bulk,
    cron,
    enqueue,
    fetch,
    finish,
    flow,
    idempotency,
    job_admin,
    lease,
    queue_admin,
    shared_settings,
    upkeep,
    webhooks,
)
from corvo.ops.results import Upkept, encode_result
from tests.support.schedules import MINUTE, plan

QUEUES = ("a", "b", "c")
WORKERS = ("w1", "w2")
CHAIN = Chain((Step("a"), Step("b", b"7"), Step("a", b'{"x":1}')), on_failure=Step("b"), on_exit=Step("a"))
S = 1_000_000_000


class Drawing(random.Random):
    """Drawn from a seed, so that a history can be told again."""

    def __init__(self, seed, fsm, model):
        super().__init__(seed)
        self.fsm = fsm
        self.model = model
        #: Firings as leaders computed them, to be proposed now, later, or again.
        self.firings = []

    def one(self, *values):
        return self.choice(values)

    def some(self, values, most):
        return self.sample(values, self.randint(1, min(most, len(values))))

    def yes(self):
        return self.random() < 0.5

    def now(self):
        return self.fsm.clock.now_ns()

    # What there is

    def job_id(self):
        return self.one(*sorted(self.model.jobs)[-12:], "job_gone")

    def leased(self):
        """A lease there was once, and mostly still is; without its token, or with it."""
        active = [(job.id, job.lease.token) for _, job in sorted(self.model.jobs.items()) if job.lease]
        ever = [(job_id, token) for token, job_id in sorted(self.model.given.items())[-8:]]
        job_id, token = self.one(*active * 2, *ever, ("job_gone", 1))
        return job_id, token if self.yes() else None

    def known(self, things):
        return self.one(*sorted(things)[-2:], "gone")

    def limit(self):
        return self.one(1_000, 1_000, 2, 1)

    # Producers

    def Enqueue(self):
        return enqueue.Enqueue(self.new_job())

    def EnqueueMany(self):
        jobs = [self.new_job() for _ in range(self.one(1, 2, 4))]
        batch = enqueue.NewBatch(
            self.fsm.ids.new("batch"), self.one(None, "b"), self.one(None, b'{"n":1}', b"[1]")
        )
        return enqueue.EnqueueMany(jobs, batch if self.yes() else None)

    def new_job(self):
        chained = self.one(False, False, False, True)
        delay_s, expire_s = self.one(None, None, None, -5, 3, 40), self.one(None, None, None, 2, 30)
        unique = self.one(None, None, ("k", 20), ("l", 100))
        return self.fsm.new_job(
            "a" if chained else self.one(*QUEUES),
            self.one(b'{"n":1}', b'"' + b"x" * 1_200 + b'"'),
            priority=self.one(*Priority),
            max_retries=self.one(0, 1, 2, 4),
            backoff=self.one(*Backoff),
            scheduled_ns=None if delay_s is None else self.now() + delay_s * S,
            expire_after_ms=None if expire_s is None else expire_s * 1_000,
            unique=None if unique is None else Unique(*unique, self.one(*UniqueUntil)),
            tags=self.one(None, {"t": "1"}),
            parent_id=self.one(None, None, self.job_id()),
            **self._flow(chained) if self.yes() else {},
        )

    def _flow(self, chained):
        fields = {"on_dependency_failure": self.one(*DependencyFailure), "allow_missing": self.yes()}
        if self.yes():
            fields["depends_on"] = tuple(self.some([*sorted(self.model.jobs)[-3:], "job_gone"], 3))
        if chained:
            fields |= {"chain": CHAIN, "chain_id": "chn_1"}
        return fields | {"batch_id": self.one(None, self.known(self.model.batches))}

    def OpenBatch(self):
        return flow.OpenBatch(self.fsm.ids.new("batch"), self.one(None, "b", "c"), self.one(None, b'{"n":1}'))

    def SealBatch(self):
        return flow.SealBatch(self.known(self.model.batches))

    # Workers

    def Fetch(self):
        return fetch.Fetch([self._claim() for _ in range(self.one(1, 1, 2))])

    def _claim(self):
        queues = tuple(self.some(QUEUES, 3))
        return fetch.Claim(
            queues, self.one(*WORKERS), "host", self.one(1_000, 10_000, 60_000), self.one(1, 2, 4)
        )

    def Ack(self):
        brought = {"result": self.one(None, b"1"), "checkpoint": self.one(None, b"2")}
        how = self.one(
            {}, {}, {"hold": True, "hold_reason": "look"}, {"leave_chain": True, "exit_reason": "done"}
        )
        return finish.Ack(*self.leased(), **brought, **how)

    def Fail(self):
        after_ms = self.one(None, 0, 2_000, 30_000)
        return finish.Fail(*self.leased(), "boom", None, self.one(True, True, False), after_ms, 0.5)

    def Heartbeat(self):
        beats = [lease.Beat(*self.leased(), self.one(None, b"1"), self.one(None, b"3")) for _ in range(2)]
        return lease.Heartbeat(beats)

    def Release(self):
        return lease.Release(*self.leased(), self.one(None, b"4"), self.one(0, 0, 3_000))

    # People

    def Act(self):
        return job_admin.Act(self.one(*job_admin.Action), self.job_id(), *self._arguments())

    def ActMany(self):
        return job_admin.ActMany(self.one(*job_admin.Action), self._job_ids(), *self._arguments())

    def _arguments(self):
        return self.one(*QUEUES), self.one(*Priority), self.one(None, "because")

    def _job_ids(self):
        return self.some([*sorted(self.model.jobs)[-12:], "job_gone"], 4)

    def PauseQueue(self):
        return queue_admin.PauseQueue(self.one(*QUEUES), self.one(True, False, False), self.one(False, True))

    def LimitQueue(self):
        return queue_admin.LimitQueue(self.one(*QUEUES), self.one(None, None, 0, 1, 3), self.one(False, True))

    def ThrottleQueue(self):
        rate = self.one(None, 1, 3)
        return queue_admin.ThrottleQueue(
            self.one(*QUEUES), rate, rate and self.one(2_000, 20_000), self.one(False, True)
        )

    def ClearQueue(self):
        return queue_admin.ClearQueue(self.one(*QUEUES), self.limit())

    def DeleteQueue(self):
        return queue_admin.DeleteQueue(self.one(*QUEUES), self.limit())

    # Many jobs at once

    def CreateBulk(self):
        action = self.one(*job_admin.Action)
        return bulk.CreateBulk(self.fsm.ids.new("bulk"), action, *self._arguments(), self.one(None, 100))

    def AddBulkIds(self):
        task_id, task = self._task()
        return bulk.AddBulkIds(task_id, self.one(task.chunks, task.chunks, 0) if task else 0, self._job_ids())

    def StartBulk(self):
        task_id, task = self._task()
        return bulk.StartBulk(task_id, self.one(task.chunks, task.chunks, 0) if task else 0)

    def RunBulk(self):
        task_id, task = self._task()
        return bulk.RunBulk(task_id, self.one(task.next_chunk, task.next_chunk, 0) if task else 0)

    def CancelBulk(self):
        return bulk.CancelBulk(self._task()[0], self.one(None, "it broke"))

    def PurgeBulk(self):
        return bulk.PurgeBulk(self.past(), self.limit())

    def _task(self):
        under_way = sorted(task.id for task in self.model.tasks.values() if task.finished_ns is None)
        task_id = self.one(*under_way[:2], *under_way[:1], self.known(self.model.tasks))
        return task_id, self.model.tasks.get(task_id)

    # Time

    def past(self):
        return self.now() - self.one(0, 0, 20) * S

    def Promote(self):
        return upkeep.Promote(self.limit())

    def Expire(self):
        return upkeep.Expire(self.limit())

    def Reclaim(self):
        return lease.Reclaim(self.limit(), self.one(0, 2))

    def Purge(self):
        return upkeep.Purge(self.past(), self.limit())

    def PurgeBatches(self):
        return flow.PurgeBatches(self.past(), self.limit())

    def CleanUnique(self):
        return upkeep.CleanUnique(self.limit())

    def CleanIdempotency(self):
        return upkeep.CleanIdempotency(self.limit())

    def TrimEvents(self):
        return upkeep.TrimEvents(self.one(1, 20, 1_000), self.one(0, self.past()), self.limit())

    def TrimWorkers(self):
        return upkeep.TrimWorkers(self.past(), self.limit())

    def Resolve(self):
        return flow.Resolve(self.limit())

    # Schedules

    def SetSchedule(self):
        schedule_id = self.known(self.model.schedules)
        known = self.model.schedules.get(schedule_id)
        version = 1 if known is None else known.version - self.one(0, 0, 0, 1)
        if self.one(True, False, False):
            schedule_id, version, known = self.fsm.ids.new("sched"), None, None
        enabled = self.one(True, True, False)
        wanted = plan(
            name=self.one("x", "y", "z"),
            cron=self.one("* * * * *", "5 * * * *"),
            queue=self.one(*QUEUES),
            overlap=self.one(*Overlap),
            unique=self.one(None, Unique("s", 3_600, UniqueUntil.SUCCESS)),
            enabled=enabled,
        )
        dealt_ns = known.dealt_ns if known is not None and self.one(True, True, False) else 0
        return cron.SetSchedule(
            schedule_id, version, wanted, self.now() + MINUTE if enabled else None, dealt_ns
        )

    def DeleteSchedule(self):
        return cron.DeleteSchedule(self.known(self.model.schedules))

    def RunSchedule(self):
        return cron.RunSchedule(self.known(self.model.schedules))

    def FireSchedule(self):
        """What is due, or a firing that was proposed before."""
        for schedule in self.model.schedules.values():
            if schedule.next_ns is not None:
                due_ns, count = schedule.next_ns, self.one(0, 1, 3)
                slots = tuple(due_ns + n * MINUTE for n in range(count))
                missed_ns = None if slots and self.yes() else due_ns
                following = due_ns + max(1, count) * MINUTE
                self.firings.append(
                    cron.FireSchedule(schedule.id, schedule.version, due_ns, slots, missed_ns, following)
                )
        return self.one(*self.firings[-6:], cron.FireSchedule("gone", 1, 1, (), 1, None))

    # Webhooks

    def webhook_id(self):
        return self.one("wh_a", "wh_b")

    def SetWebhook(self):
        secret, enabled = self.one(None, "", "s"), self.one(True, False)
        return webhooks.SetWebhook(self.webhook_id(), "https://x.test/", ("*",), secret, enabled, 3)

    def DeleteWebhook(self):
        return webhooks.DeleteWebhook(self.webhook_id())

    def SwitchWebhook(self):
        return webhooks.SwitchWebhook(self.webhook_id(), self.yes(), self.yes())

    def RewindWebhook(self):
        return webhooks.RewindWebhook(self.webhook_id(), self.one(0, 1, 5, 10_000))

    def AdvanceWebhooks(self):
        return webhooks.AdvanceWebhooks([self._advance() for _ in range(2)])

    def _advance(self):
        webhook_id = self.webhook_id()
        known = self.model.webhooks.get(webhook_id)
        delivery = Delivery(1, "enqueued", 2, 3, None, self.one(None, "no"), 4)
        failing = self.one((None, None, 0, None), (1, 2, 3, None), (1, 2, 3, "it failed"))
        cursor = self.one(0, 3, 10_000) + (known.cursor if known else 0)
        epoch = known.epoch if known and self.yes() else 2
        recent = (delivery,) * self.one(1, 15)
        return webhooks.Advance(webhook_id, epoch, cursor, self.one(0, 2), self.one(0, 1), recent, *failing)

    # Who may come in

    def key_id(self):
        return self.one("key_a", "key_b", "key_c", "key_d")

    def role(self):
        return self.one("admin", "worker", "r1", "r2", "r3")

    def secret_hash(self):
        return self.one(b"1", b"2", b"3", b"4", b"5", b"6") * 32

    def SetKey(self):
        key_id = self.key_id()
        facts = (self.one("n", "m"), self.one("*", "default", "acme"), self.role(), self.one((), ("a*", "b")))
        expires_ns = self.one(None, None, self.now() + 20 * S)
        existing = self.one(key_id in self.model.keys, False)
        digest = None if existing else self.secret_hash()
        return access.SetKey(key_id, *facts, digest, self.yes(), expires_ns, "key:n", existing)

    def RotateKey(self):
        return access.RotateKey(self.key_id(), self.secret_hash(), self.now() + self.one(-5, 0, 20) * S)

    def DeleteKey(self):
        return access.DeleteKey(self.key_id())

    def TouchKeys(self):
        ids = self.some(["key_a", "key_b", "key_c", "key_d"], 3)
        return access.TouchKeys({key_id: self.now() - self.one(0, 5, 70) * S for key_id in ids})

    def SetRole(self):
        actions = self.one(("read",), ("read", "pause"), ("*",))
        return access.SetRole(self.role(), (Permission(self.one("queues", "jobs*"), actions),))

    def DeleteRole(self):
        return access.DeleteRole(self.role())

    def GrantRole(self):
        return access.GrantRole(self.key_id(), self.role(), self.one(True, True, False))

    # Nodes

    def SetSharedSettings(self):
        return shared_settings.SetSharedSettings({"retention": self.one(1, 2), "max_payload_size": 3})

    # Requests

    def Report(self):
        return idempotency.Report(encode_result(Upkept(self.one(1, 2), more=False)))

    def Once(self, ops):
        """The ops as a request that may be repeated: a new one, one again, or another under the same key."""
        digest = bytes((len(ops), self.one(0, 0, 1)))
        return [idempotency.Once(self.one("k1", "k2", "k3"), digest, len(ops)), *ops]
