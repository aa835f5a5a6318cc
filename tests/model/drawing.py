"""Any op there is, about what the model knows: a method for each op, with the op's name."""

import random

from corvo.core.access.audit import AuditPlace
from corvo.core.access.role import Permission
from corvo.core.access.session import LoginSession
from corvo.core.access.sso import SsoSettings
from corvo.core.backoff import Backoff
from corvo.core.job import Chain, DependencyFailure, Step, Unique, UniqueUntil
from corvo.core.namespace import ALL, ANYWHERE, DEFAULT, Quotas, Reach, namespace_of, qualified
from corvo.core.priority import Priority
from corvo.core.schedule import Overlap
from corvo.core.sealing.form import Field, digest_of
from corvo.core.webhook import Delivery
from corvo.ops import (
    access,
    audit,
    bulk,
    cron,
    enqueue,
    fetch,
    finish,
    flow,
    idempotency,
    job_admin,
    lease,
    namespaces,
    people,
    queue_admin,
    reseal,
    shared_settings,
    upkeep,
    webhooks,
)
from corvo.ops.results import Upkept, encode_result
from tests.support.schedules import MINUTE, plan

NAMES = ("a", "b", "c")
#: Namespaces; "acme" is more than its own letters, "a" is also a queue.
SPACES = (DEFAULT, DEFAULT, "acme", "a")
QUEUES = tuple(qualified(space, name) for space in dict.fromkeys(SPACES) for name in NAMES)
S = 1_000_000_000


def chain_in(space):
    def step(name, *payload):
        return Step(qualified(space, name), *payload)

    steps = (step("a"), step("b", b"7"), step("a", b'{"x":1}'))
    return Chain(steps, on_failure=step("b"), on_exit=step("a"))


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

    def space(self):
        return self.one(*SPACES)

    def queue(self, space):
        return qualified(space, self.one(*NAMES))

    def reach(self, queue=None):
        """Mostly one that covers the queue."""
        if queue is not None and self.random() < 0.8:
            space = namespace_of(queue)
            return self.one(None if space == DEFAULT else Reach(space), Reach(space), ANYWHERE)
        space = self.space()
        return self.one(None, Reach(space), Reach(space, ("a", "b*")), Reach(ALL, ("*c",)))

    def reach_of(self, job_id):
        job = self.model.jobs.get(job_id)
        return self.reach(None if job is None else job.queue)

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
        return enqueue.Enqueue(self.new_job(self.space()))

    def EnqueueMany(self):
        space = self.space()
        jobs = [self.new_job(space) for _ in range(self.one(1, 2, 4))]
        batch = enqueue.NewBatch(
            self.fsm.ids.new("batch"),
            self.one(None, qualified(space, "b")),
            self.one(None, b'{"n":1}', b"[1]"),
            space if self.random() < 0.95 else self.space(),
        )
        return enqueue.EnqueueMany(jobs, batch if self.yes() else None)

    def new_job(self, space):
        chained = self.one(False, False, False, True)
        delay_s, expire_s = self.one(None, None, None, -5, 3, 40), self.one(None, None, None, 2, 30)
        unique = self.one(None, None, ("k", 20), ("l", 100))
        return self.fsm.new_job(
            qualified(space, "a") if chained else self.queue(space),
            self.one(b'{"n":1}', b'"' + b"x" * 1_200 + b'"'),
            priority=self.one(*Priority),
            max_retries=self.one(0, 1, 2, 4),
            backoff=self.one(*Backoff),
            scheduled_ns=None if delay_s is None else self.now() + delay_s * S,
            expire_after_ms=None if expire_s is None else expire_s * 1_000,
            unique=None if unique is None else Unique(*unique, self.one(*UniqueUntil)),
            tags=self.one(None, {"t": "1"}),
            parent_id=self.one(None, None, self.job_id()),
            **self._flow(chained, space) if self.yes() else {},
        )

    def _flow(self, chained, space):
        fields = {"on_dependency_failure": self.one(*DependencyFailure), "allow_missing": self.yes()}
        if self.yes():
            fields["depends_on"] = tuple(self.some([*sorted(self.model.jobs)[-3:], "job_gone"], 3))
        if chained:
            elsewhere = self.random() < 0.05
            fields |= {"chain": chain_in(self.space() if elsewhere else space), "chain_id": "chn_1"}
        return fields | {"batch_id": self.one(None, self.known(self.model.batches))}

    def OpenBatch(self):
        space = self.space()
        callback = self.one(None, qualified(space, "b"), qualified(space, "c"))
        return flow.OpenBatch(self.fsm.ids.new("batch"), callback, self.one(None, b'{"n":1}'), space)

    def SealBatch(self):
        batch_id = self.known(self.model.batches)
        known = self.model.batches.get(batch_id)
        return flow.SealBatch(batch_id, known.namespace if known and self.random() < 0.8 else self.space())

    # Workers

    def Fetch(self):
        return fetch.Fetch([self._claim() for _ in range(self.one(1, 1, 2))])

    def _claim(self):
        space = self.space()
        queues = tuple(qualified(space, name) for name in self.some(NAMES, 3))
        worker = qualified(space, self.one("w1", "w2", "w2", ""))
        return fetch.Claim(queues, worker, "host", self.one(1_000, 10_000, 60_000), self.one(1, 2, 4))

    def Ack(self):
        brought = {"result": self.one(None, b"1"), "checkpoint": self.one(None, b"2")}
        how = self.one(
            {}, {}, {"hold": True, "hold_reason": "look"}, {"leave_chain": True, "exit_reason": "done"}
        )
        job_id, token = self.leased()
        return finish.Ack(job_id, token, **brought, **how, reach=self.reach_of(job_id))

    def Fail(self):
        after_ms = self.one(None, 0, 2_000, 30_000)
        job_id, token = self.leased()
        retry, reach = self.one(True, True, False), self.reach_of(job_id)
        return finish.Fail(job_id, token, "boom", None, retry, after_ms, 0.5, reach)

    def Heartbeat(self):
        beats = [lease.Beat(*self.leased(), self.one(None, b"1"), self.one(None, b"3")) for _ in range(2)]
        return lease.Heartbeat(beats, self.reach_of(beats[0].job_id))

    def Release(self):
        job_id, token = self.leased()
        reach = self.reach_of(job_id)
        return lease.Release(job_id, token, self.one(None, b"4"), self.one(0, 0, 3_000), reach)

    # People

    def Act(self):
        job_id = self.job_id()
        arguments = self._arguments([job_id])
        return job_admin.Act(self.one(*job_admin.Action), job_id, *arguments, by=self.by())

    def ActMany(self):
        job_ids = self._job_ids()
        arguments = self._arguments(job_ids)
        return job_admin.ActMany(self.one(*job_admin.Action), job_ids, *arguments, by=self.by())

    def by(self):
        return self.one("", "key:ann")

    def _arguments(self, job_ids):
        """Where to, which priority, why, and by whom."""
        job = self.model.jobs.get(job_ids[0]) if job_ids else None
        space = self.space() if job is None else namespace_of(job.queue)
        queue = self.queue(space) if self.random() < 0.9 else self.one(*QUEUES)
        return queue, self.one(*Priority), self.one(None, "because"), self.reach(queue)

    def _job_ids(self):
        return self.some([*sorted(self.model.jobs)[-12:], "job_gone"], 4)

    def PauseQueue(self):
        return queue_admin.PauseQueue(
            self.queue(self.space()), self.one(True, False, False), self.one(False, True)
        )

    def LimitQueue(self):
        return queue_admin.LimitQueue(
            self.queue(self.space()), self.one(None, None, 0, 1, 3), self.one(False, True)
        )

    def ThrottleQueue(self):
        rate = self.one(None, 1, 3)
        return queue_admin.ThrottleQueue(
            self.queue(self.space()), rate, rate and self.one(2_000, 20_000), self.one(False, True)
        )

    def ClearQueue(self):
        return queue_admin.ClearQueue(self.queue(self.space()), self.limit())

    def DeleteQueue(self):
        return queue_admin.DeleteQueue(self.queue(self.space()), self.limit())

    # Many jobs at once

    def CreateBulk(self):
        action = self.one(*job_admin.ON_JOBS)
        queue, priority, reason, reach = self._arguments([])
        fields = {"rate": self.one(None, 100), "reach": reach, "by": self.by()}
        return bulk.CreateBulk(self.fsm.ids.new("bulk"), action, queue, priority, reason, **fields)

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
        task_id, task = self._task()
        reach = task.reach if task and self.random() < 0.7 else self.reach()
        return bulk.CancelBulk(task_id, self.one(None, "it broke"), reach)

    def PurgeBulk(self):
        return bulk.PurgeBulk(self.past(), self.limit())

    def _task(self):
        under_way = sorted(task.id for task in self.model.tasks.values() if task.finished_ns is None)
        task_id = self.one(*under_way[:2], *under_way[:1], self.known(self.model.tasks))
        return task_id, self.model.tasks.get(task_id)

    def Reseal(self):
        return reseal.Reseal([self._resealed() for _ in range(self.one(1, 2))])

    def _resealed(self):
        """What stands there now, or did once, becomes something that looks sealed."""
        job_id = self.job_id()
        job, payload = self.model.jobs.get(job_id), self.model.payloads.get(job_id)
        new = self.one(b"\x01short", b"\x02" + b"long" * 300)
        values = {}
        if isinstance(payload, bytes):
            values[Field.PAYLOAD] = (digest_of(self.one(payload, payload, b"gone")), new)
        for field in (Field.PROGRESS, Field.CHECKPOINT):
            value = None if job is None else getattr(job, field.name.lower())
            if value is not None and self.yes():
                values[field] = (digest_of(self.one(value, b"gone")), new)
        return reseal.ResealedJob(job_id, values)

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
        space = self.space() if known is None else namespace_of(known.plan.name)
        space = space if self.random() < 0.9 else self.space()
        wanted = plan(
            name=qualified(space, self.one("x", "y", "z")),
            cron=self.one("* * * * *", "5 * * * *"),
            queue=self.queue(space if self.random() < 0.95 else self.space()),
            overlap=self.one(*Overlap),
            unique=self.one(None, Unique("s", 3_600, UniqueUntil.SUCCESS)),
            enabled=enabled,
        )
        dealt_ns = known.dealt_ns if known is not None and self.one(True, True, False) else 0
        next_ns = self.now() + MINUTE if enabled else None
        reach = self._reach_of_schedule(schedule_id)
        return cron.SetSchedule(schedule_id, version, wanted, next_ns, dealt_ns, reach)

    def _reach_of_schedule(self, schedule_id):
        known = self.model.schedules.get(schedule_id)
        return self.reach(None if known is None else known.plan.pattern.queue)

    def DeleteSchedule(self):
        schedule_id = self.known(self.model.schedules)
        return cron.DeleteSchedule(schedule_id, self._reach_of_schedule(schedule_id))

    def RunSchedule(self):
        schedule_id = self.known(self.model.schedules)
        return cron.RunSchedule(schedule_id, self._reach_of_schedule(schedule_id))

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
        return self.one("wh_a", qualified("acme", "wh_a"), qualified("a", "wh_b"))

    def SetWebhook(self):
        secret, enabled = self.one(None, "", "s"), self.one(True, False)
        webhook_id = self.webhook_id()
        reach = Reach(namespace_of(webhook_id), self.one((), ("a*",)))
        reach = reach if self.random() < 0.9 else self.reach()
        return webhooks.SetWebhook(webhook_id, "https://x.test/", ("*",), secret, enabled, 3, reach)

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

    # People

    def session_id(self):
        return self.one("ses_a", "ses_b", "ses_c", "ses_d", "ses_e", "ses_f")

    def SetSession(self):
        session_id = self.session_id()
        secret = self.one(b"1", b"2", b"3") * 32
        facts = (self.one("key:n", "key:m"), 1, 1, "10.0.0.1", "Lynx")
        return people.SetSession(LoginSession(session_id, session_id.encode() * 4, *facts, secret))

    def DeleteSession(self):
        return people.DeleteSession(self.session_id())

    def TrimSessions(self):
        ids = self.some(["ses_a", "ses_b", "ses_c", "ses_d"], 3)
        # Long ago is what makes one end: no history is twelve hours long.
        ago_s = self.one(0, 5, 40)
        return people.TrimSessions({each: self.now() - ago_s * S for each in ids})

    def SetSso(self):
        roles = self.one({}, {"g": "admin@*"})
        return people.SetSso(SsoSettings(self.one("", "oidc"), "https://i", "c", self.yes(), "groups", roles))

    # Namespaces

    def SetNamespace(self):
        few = Quotas(max_queues=self.one(None, 1, 2), max_jobs=self.one(None, 3, 10))
        quotas = self.one(Quotas(), Quotas(read_rps=1.5), few)
        return namespaces.SetNamespace(self.one(DEFAULT, "acme", "a", "new"), quotas, self.yes())

    def DeleteNamespace(self):
        task_id = self.one(None, self.fsm.ids.new("bulk"))
        return namespaces.DeleteNamespace(self.one(DEFAULT, "acme", "a", "a", "new"), task_id, self.reach())

    # The audit log

    def WriteAudit(self):
        said = ("key:ann", "admin", "10.0.0.7", "POST", "/api/v1/queues/a/pause", "", "req_1", "Pause it")
        code, times = self.one(("", 1), ("", 1), ("FORBIDDEN", 3))
        namespace, count = self.one("default", "acme", "*"), self.one(0, 1, 2, 5)
        return audit.WriteAudit(namespace, *said, {"n": 1}, count, self.one(0, 200), code, times)

    def ExtendAudit(self):
        place = AuditPlace(*self.one(*sorted(self.model.audit)[-4:], ("default", 1)))
        return audit.ExtendAudit(place, self.one(0, 1, 2), self.one(200, 400), self.one("", "CONFLICT"))

    def TrimAudit(self):
        return audit.TrimAudit(self.one(1, 3, 1_000), self.one(0, self.past()), self.limit())

    # Nodes

    def SetSharedSettings(self):
        return shared_settings.SetSharedSettings({"retention": self.one(1, 2), "max_payload_size": 3})

    # Requests

    def Report(self):
        return idempotency.Report(encode_result(Upkept(self.one(1, 2), more=False)))

    def Once(self, ops):
        """The ops as a request that may be repeated: a new one, one again, or another under the same key."""
        digest = bytes((len(ops), self.one(0, 0, 1)))
        key = self.one("k1", "k2", qualified("acme", "k2"))
        return [idempotency.Once(key, digest, len(ops)), *ops]
