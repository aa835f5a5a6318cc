"""What the state machine should do, small enough to be obviously right.

A job is a plain object in a dict; queues are found by looking at all of them. No indexes, no counters, no
windows: those are what the real one must get right.
"""

from dataclasses import dataclass, field

NS = 1_000_000_000


@dataclass
class ModelJob:
    id: str
    queue: str
    priority: int
    order: int
    max_retries: int
    due_ns: int | None = None
    expire_ns: int | None = None
    unique: tuple[str, int, str] | None = None  # key, expires_ns of its lock, until
    state: str = "pending"
    attempt: int = 0
    version: int = 0
    token: int | None = None
    lease_ns: int = 0
    lease_until: int = 0
    losses: int = 0
    ended_ns: int = 0
    commit: tuple[int, str] | None = None
    errors: int = 0
    unique_period: int = 0
    expire_after: int = 0


@dataclass
class Model:
    jobs: dict[str, ModelJob] = field(default_factory=dict)
    locks: dict[tuple[str, str], tuple[str, int, str]] = field(default_factory=dict)
    births: int = 0
    paused: set[str] = field(default_factory=set)
    limits: dict[str, int] = field(default_factory=dict)

    # Producers

    def holder(self, queue: str, key: str, now: int) -> str | None:
        lock = self.locks.get((queue, key))
        return lock[0] if lock is not None and lock[1] > now else None

    def enqueue(self, job: ModelJob, now: int) -> str:
        if job.unique is not None:
            existing = self.holder(job.queue, job.unique[0], now)
            if existing is not None:
                return existing
            self.locks[job.queue, job.unique[0]] = (job.id, job.unique[1], job.unique[2])
        self.births += 1
        job.order = self.births
        if job.due_ns is not None and job.due_ns > now:
            job.state = "scheduled"
        else:
            job.due_ns = None
        self.jobs[job.id] = job
        return job.id

    # Workers

    def fetch(self, queues: tuple[str, ...], count: int, now: int) -> list[ModelJob]:
        taken: list[ModelJob] = []
        while len(taken) < count:
            waiting = [
                job
                for job in self.jobs.values()
                if job.state == "pending" and job.queue in self._open(queues)
            ]
            if not waiting:
                break
            best = min(waiting, key=lambda job: (job.priority, job.order))
            if self._is_expired(best, now):
                self._die(best, now)
                continue
            best.state = "active"
            best.attempt += 1
            best.version += 1
            best.commit = None
            self._unlock(best, {"start"})
            taken.append(best)
        return taken

    def _open(self, queues: tuple[str, ...]) -> set[str]:
        """Those that may hand out a job now."""
        active = [job.queue for job in self._in("active")]
        return {
            queue
            for queue in queues
            if queue not in self.paused and active.count(queue) < self.limits.get(queue, 1_000_000)
        }

    def may_end(self, job_id: str, token: int | None, verb: str) -> str:
        """ok, repeat, conflict, refused or missing: SPEC 3.4."""
        job = self.jobs.get(job_id)
        if job is None:
            return "missing"
        if job.state == "active":
            return "ok" if token in (None, job.token) else "conflict"
        if token is not None:
            return "repeat" if job.commit == (token, verb) else "conflict"
        return "repeat" if verb == "ack" and job.state == "completed" else "refused"

    def ack(self, job: ModelJob, now: int) -> None:
        self._commit(job, "ack")
        self._end(job, "completed", now)

    def fail(self, job: ModelJob, retry: bool, delay_ns: int, now: int) -> None:
        self._commit(job, "fail")
        job.errors += 1
        if not retry or job.attempt >= job.max_retries or self._is_expired(job, now):
            self._end(job, "dead", now)
        elif delay_ns == 0:
            job.state = "pending"
        else:
            job.state = "retrying"
            job.due_ns = now + delay_ns

    def release(self, job: ModelJob, delay_ns: int, now: int) -> None:
        self._commit(job, "release")
        job.attempt -= 1
        job.state = "scheduled" if delay_ns else "pending"
        job.due_ns = now + delay_ns if delay_ns else None

    # People

    def act(self, action: str, job: ModelJob, now: int, queue: str = "", priority: int = 2) -> None:
        getattr(self, f"_{action}")(job, now, queue, priority)

    def may_retry(self, job: ModelJob, now: int) -> bool:
        """Whether nobody has taken the job's unique key meanwhile."""
        if job.unique is None or job.state == "scheduled":
            return True
        return self.holder(job.queue, job.unique[0], now) in (None, job.id)

    def may_move(self, job: ModelJob, queue: str, now: int) -> bool:
        if job.unique is None or queue == job.queue:
            return True
        lock = self.locks.get((job.queue, job.unique[0]))
        if lock is None or lock[0] != job.id:
            return True
        return self.holder(queue, job.unique[0], now) is None

    def _retry(self, job: ModelJob, now: int, *_: object) -> None:
        self._put_back(job, now)
        job.attempt = 0

    def _requeue(self, job: ModelJob, now: int, *_: object) -> None:
        self._put_back(job, now)

    def _put_back(self, job: ModelJob, now: int) -> None:
        if job.unique is not None and job.state != "scheduled":
            key = (job.queue, job.unique[0])
            if self.holder(*key, now) is None:
                self.locks[key] = (job.id, now + job.unique_period * NS, job.unique[2])
        job.state, job.due_ns, job.losses = "pending", None, 0
        self.births += 1
        job.order = self.births
        if self._is_expired(job, now):
            job.expire_ns = now + job.expire_after * NS

    def _cancel(self, job: ModelJob, now: int, *_: object) -> None:
        self._end(job, "cancelled", now)

    def _hold(self, job: ModelJob, *_: object) -> None:
        job.state, job.due_ns, job.token = "held", None, None

    def _approve(self, job: ModelJob, now: int, *_: object) -> None:
        if self._is_expired(job, now):
            self._die(job, now)
        else:
            job.state = "pending"

    def _reject(self, job: ModelJob, now: int, *_: object) -> None:
        self._die(job, now)

    def _move(self, job: ModelJob, now: int, queue: str, _priority: int) -> None:
        if job.unique is not None and queue != job.queue:
            lock = self.locks.get((job.queue, job.unique[0]))
            if lock is not None and lock[0] == job.id:
                del self.locks[job.queue, job.unique[0]]
                self.locks[queue, job.unique[0]] = lock
        job.queue = queue
        self.births += 1
        job.order = self.births

    def _change_priority(self, job: ModelJob, _now: int, _queue: str, priority: int) -> None:
        job.priority = priority
        self.births += 1
        job.order = self.births

    def _delete(self, job: ModelJob, *_: object) -> None:
        del self.jobs[job.id]
        if job.state not in ("completed", "dead", "cancelled"):
            self._unlock(job, {"success", "start"})

    # Time

    def promote(self, now: int) -> None:
        for job in self._in("scheduled", "retrying"):
            if job.due_ns is not None and job.due_ns <= now:
                if self._is_expired(job, now):
                    self._die(job, now)
                else:
                    job.state, job.due_ns = "pending", None

    def reclaim(self, losses_max: int, now: int) -> None:
        for job in self._in("active"):
            if job.lease_until <= now:
                job.state, job.token = "pending", None
                job.losses += 1
                if job.losses >= losses_max or self._is_expired(job, now):
                    self._die(job, now)

    def expire(self, now: int) -> None:
        for job in self._in("pending", "scheduled", "retrying", "held"):
            if self._is_expired(job, now):
                self._die(job, now)

    def purge(self, before_ns: int) -> None:
        for job in self._in("completed", "dead", "cancelled"):
            if job.ended_ns < before_ns:
                del self.jobs[job.id]

    # Helpers

    def _in(self, *states: str) -> list[ModelJob]:
        return [job for job in self.jobs.values() if job.state in states]

    def _is_expired(self, job: ModelJob, now: int) -> bool:
        return job.expire_ns is not None and job.expire_ns <= now

    def _commit(self, job: ModelJob, verb: str) -> None:
        assert job.token is not None
        job.commit = (job.token, verb)
        job.token = None
        job.losses = 0

    def _die(self, job: ModelJob, now: int) -> None:
        job.errors += 1
        self._end(job, "dead", now)

    def _end(self, job: ModelJob, state: str, now: int) -> None:
        job.state, job.ended_ns, job.due_ns, job.token = state, now, None, None
        self._unlock(job, {"success", "start"})

    def _unlock(self, job: ModelJob, modes: set[str]) -> None:
        if job.unique is None or job.unique[2] not in modes:
            return
        lock = self.locks.get((job.queue, job.unique[0]))
        if lock is not None and lock[0] == job.id:
            del self.locks[job.queue, job.unique[0]]
