"""Edge context, one per node: what handlers use to hand ops to the batcher, ask actors and know the time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import blake2b
from itertools import count
from random import Random
from typing import Any
from weakref import WeakValueDictionary

import msgspec
import structlog

from corvo.actors.fetch.messages import Coming, Handed, HangUp, Wait
from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.state.questions import (
    AwaitIndex,
    FindQueues,
    IndexReached,
    QueuesFound,
    Recall,
    RecalledAnswer,
)
from corvo.actors.status import BatcherStatus, GetStatus, ProposerStatus
from corvo.actors.write.messages import Submit
from corvo.config import Config
from corvo.consensus.api import ConsensusStatus, Role
from corvo.core.clock import Clock
from corvo.core.errors import LedElsewhere, OutcomeUnknown, ValidationFailed
from corvo.core.ids import IdSource
from corvo.core.limits import APPLY_TIMEOUT_S
from corvo.core.namespace import qualified
from corvo.core.sealing.keyring import SealKeyring
from corvo.core.sealing.patterns import Patterns
from corvo.http.serve.access.control import AccessControl
from corvo.http.serve.actors import Actors
from corvo.http.serve.admission import Admission
from corvo.http.serve.audit.note import RECORD_BYTES, AuditNote, sane_id
from corvo.http.serve.audit.refusals import Refusals
from corvo.http.serve.counters import EdgeCounters
from corvo.http.serve.deadlines import Deadlines, fail
from corvo.http.serve.idempotency import once_of, what_was_covered
from corvo.http.serve.open_streams import OpenStreams
from corvo.http.serve.rate_limit import RateLimiter
from corvo.http.serve.route import Route
from corvo.http.serve.sealing import Sealing
from corvo.http.serve.sign_on.sign_on import SignOn
from corvo.http.serve.write_gather import Awaiting, Unheard, WriteGather
from corvo.http.serve.write_intent import Written
from corvo.http.wire.byte_budget import ByteBudget
from corvo.http.wire.message import Request
from corvo.observe.process import GcWatch
from corvo.ops.base import Op
from corvo.ops.enqueue import jobs_coming
from corvo.ops.idempotency import Once, Report
from corvo.ops.lease import Release
from corvo.ops.results import Refusal, Result, Upkept, encode_result

log = structlog.get_logger()

#: How long a job that could not be opened stays away from workers.
UNREADABLE_DELAY_MS = 30_000
#: How long a read waits for the index it asked for.
MIN_INDEX_WAIT_MS = 1_000


class EdgeContext:
    def __init__(
        self,
        config: Config,
        system: ActorSystem,
        actors: Actors,
        clock: Clock,
        access: AccessControl,
        *,
        durable: bool,
        sealing: Sealing | None = None,
    ) -> None:
        self.config = config
        self.system = system
        self.actors = actors
        self.clock = clock
        self.access = access
        self.tenants = access.tenants
        self.sign_on = SignOn(access, clock, config.oidc_client_secret_file)
        #: Whether a 2xx survives a power cut.
        self.durable = durable
        self.sealing = sealing or Sealing(SealKeyring({}), Patterns(""))
        #: Ops wait here for their turn to be sealed, so that none overtakes another.
        self._seal_turn = asyncio.Lock()
        self.ids = IdSource(clock)
        self.random = Random()  # noqa: S311 - for jitter, not for secrets
        self.counters = EdgeCounters()
        self.limiter = RateLimiter(config, clock) if config.rate_limit_enabled else None
        self.open_streams = OpenStreams()
        self.gc_watch = GcWatch()
        self.admission = Admission(
            config.raft_max_pending, config.request_memory_bytes, self.counters, self.random
        )
        #: Bodies and lines of streams that are not complete.
        self.incoming = ByteBudget(config.request_memory_bytes)
        self._proxies = config.proxy_networks()
        self._wait_ids = count(1)
        #: Fetches of this node that wait at the fetch desk.
        self._fetches_waiting = 0
        #: By Idempotency-Key, as long as a request holds the lock or waits for it.
        self._keys_in_use: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._loop = asyncio.get_running_loop()
        self._deadlines = Deadlines(
            self._loop,
            APPLY_TIMEOUT_S + 2,
            lambda: OutcomeUnknown("the write was not confirmed in time", retry_after_ms=500),
        )
        self.write_gather = WriteGather(self._loop, self.admission, self._deadlines, self._hand_to_batcher)
        self.refusals = Refusals(self._loop, self.record_later)

    def charge(self, request: Request, jobs: int) -> None:
        """Charge the client for jobs beyond the first, which every request is charged for anyway."""
        if jobs > 0:
            if self.limiter is not None:
                self.limiter.charge(request, jobs, paid=1)
            if self.tenants.has_rates:
                self.tenants.charge(request, jobs, paid=1)

    # Writing

    async def submit(self, request: Request, ops: tuple[Op, ...], size_bytes: int) -> Written:
        """Get the ops agreed on. Refusals of single ops are among the outcomes."""
        return await self._submit_once(self._once_of(request, len(ops)), ops, size_bytes, request.audit)

    def _once_of(self, request: Request, count: int, part: str = "") -> Once | None:
        key = self.sealing.keyring.digest_key if self.sealing.is_on else b""
        return once_of(request, count, part, key)

    async def _submit_once(
        self, once: Once | None, ops: tuple[Op, ...], size_bytes: int, note: AuditNote | None
    ) -> Written:
        if once is not None:
            ops = (once, *ops)
        if note is None:
            written = await self.submit_all(ops, size_bytes)
        else:
            written = note.heard(await self.submit_all((*ops, note.op(ops)), size_bytes + RECORD_BYTES))
        return written if once is None else what_was_covered(written)

    async def submit_all(self, ops: tuple[Op, ...], size_bytes: int) -> Written:
        """Get the ops agreed on as they are, without an Idempotency-Key."""
        awaiting = Awaiting(self._loop)
        if self.sealing.is_on and ops:
            async with self._seal_turn:
                ops = await self.sealing.seal(ops, self._find_queues)
                self.write_gather.put(awaiting, ops, size_bytes)
        else:
            self.write_gather.put(awaiting, ops, size_bytes)
        written = await awaiting.future
        if self.sealing.is_active:
            return Written(written.index, self.sealing.open_outcomes(written.outcomes), written.replayed)
        return written

    async def _find_queues(self, job_ids: list[str]) -> dict[str, str]:
        found: QueuesFound = await self.ask(self.actors.fsm, FindQueues(job_ids))
        if len(found.queues) < len(set(job_ids)) and not await self._knows_everything():
            # A job that another node has just taken may not have reached this one yet.
            await self._catch_up()
            found = await self.ask(self.actors.fsm, FindQueues(job_ids))
        return found.queues

    def _hand_to_batcher(self, submit: Submit) -> asyncio.Future[Any]:
        """The desk hears of new jobs before the batcher does. Its claim for a waiting worker then stands
        behind the jobs in the batcher, and shares their entry (ADR 13)."""
        if self._fetches_waiting:
            coming = jobs_coming(submit.ops)
            if coming:
                self.system.tell(self.actors.fetch_desk, Coming(coming))
        return self.system.ask(self.actors.batcher, submit)

    async def submit_one(self, request: Request, op: Op, size_bytes: int) -> tuple[Any, Written]:
        """Get a single op agreed on: its result. Its refusal is raised."""
        written = await self.submit(request, (op,), size_bytes)
        return written.result, written

    async def work_off(self, request: Request, op: Op, size_bytes: int) -> tuple[int, Written]:
        """Repeat an op that stops at its limit until it is through: how many things it touched in all."""
        async with self.alone(request):
            recalled = await self.recall(request)
            if recalled is not None:
                return recalled.count, Written(0, [], replayed=True)
            touched = 0
            for number in count():
                outcome, index = await self.submit_step(request, number, op, size_bytes)
                touched += outcome.count
                if not outcome.more:
                    break
            result, written = await self.remember(request, Upkept(touched, more=False), index)
            return result.count, written

    # Requests that take several entries: their Idempotency-Key stands for what they came to in all.

    @asynccontextmanager
    async def alone(self, request: Request) -> AsyncIterator[None]:
        """While such a request is under way, what it comes to is not known. If an impatient client repeats it
        meanwhile, the repetition waits here instead of doing it all once more."""
        header = request.header(b"idempotency-key")
        if not header:
            yield
            return
        key = qualified(request.namespace, header)
        lock = self._keys_in_use.get(key)
        if lock is None:
            lock = self._keys_in_use[key] = asyncio.Lock()
        async with lock:
            yield

    async def recall(self, request: Request) -> Any | None:
        """What this request came to the first time, if there was one; a refusal is raised again."""
        once = self._once_of(request, 1)
        if once is None:
            return None
        if not await self._knows_everything():
            await self._catch_up()
        recalled: RecalledAnswer = await self.ask(self.actors.fsm, Recall(once))
        if recalled.results is None:
            return None
        first = self.sealing.open(recalled.results[0])
        if isinstance(first, Refusal):
            raise first.error()
        return first

    async def _knows_everything(self) -> bool:
        """Whether no write can be decided that this node has not applied. In a cluster no node can be sure of
        that: a leader may have been replaced without knowing it yet."""
        if self.write_gather.has_any:
            return False  # The question would overtake them on the way to the batcher.
        waiting: BatcherStatus = await self.ask(self.actors.batcher, GetStatus())
        consensus = await self._consensus()
        return (
            consensus.role is Role.LEADER
            and not consensus.peers
            and consensus.applied_index == consensus.log_last_index
            and not waiting.pending
        )

    async def _consensus(self) -> ConsensusStatus:
        status: ProposerStatus = await self.ask(self.actors.proposer, GetStatus())
        return status.consensus

    async def submit_step(self, request: Request, number: int, op: Op, size_bytes: int) -> tuple[Any, int]:
        """One op in an entry of its own: its result, and the index of the entry. With an Idempotency-Key each
        step is done once, too: another node may be at the same request, or may have been killed over it."""
        name = blake2b(msgspec.msgpack.encode(op), digest_size=16).hexdigest()
        once = self._once_of(request, 1, part=f"{number} {name}")
        written = await self._submit_once(once, (op,), size_bytes, request.audit)
        return written.result, written.index

    async def remember(self, request: Request, result: Result, index: int) -> tuple[Any, Written]:
        """Keep what the request came to. If another node was faster with the same one, its answer counts."""
        once = self._once_of(request, 1)
        if once is None:
            return result, Written(index, [], replayed=False)
        report = encode_result(result)
        # What it changed is on record already.
        written = await self._submit_once(once, (Report(report),), len(report), None)
        return written.result, written

    # The audit log

    def audit_note(self, route: Route, request: Request) -> AuditNote:
        request_id = sane_id(request.header(b"x-request-id")) or self.ids.new("req")
        return AuditNote(route, request, request_id, self._proxies)

    async def record(self, note: AuditNote, status: int) -> None:
        """Put a request on record that has no ops, with what it came to, if that is known."""
        note.heard(await self.submit_all((note.alone(status),), RECORD_BYTES))

    def record_later(self, op: Op) -> None:
        """Put something on record that no client waits for."""
        self.write_gather.put(Unheard(), (op,), RECORD_BYTES)

    # Fetching

    async def wait_for_jobs(self, request: Request, wait: Wait, part: str = "") -> Handed:
        """Jobs, as soon as there are any; none when the time is over or the client has gone."""
        once = self._once_of(request, 1, part)
        if once is not None:
            wait = msgspec.structs.replace(wait, once=once)
        answer = self.system.ask(self.actors.fetch_desk, wait)
        watch = None if request.gone is None else asyncio.ensure_future(request.gone())
        revoked: asyncio.Future[None] = self._loop.create_future()
        self._fetches_waiting += 1
        try:
            # The fetch desk answers in time; the margin is for one that was restarted and forgot the wait.
            watched = {answer, revoked} if watch is None else {answer, revoked, watch}
            with (
                self.access.watch(request, lambda error: fail(revoked, error)),
                self.tenants.waiting_fetch(request.namespace),
            ):
                done, _ = await asyncio.wait(
                    watched, timeout=wait.wait_ms / 1_000 + 2, return_when=asyncio.FIRST_COMPLETED
                )
            if revoked in done:
                self.system.tell(self.actors.fetch_desk, HangUp(wait.wait_id))
                revoked.result()
            if answer in done:
                return await self._hand_out(answer.result())
            is_gone = watch is not None and watch in done
            self.system.tell(self.actors.fetch_desk, HangUp(wait.wait_id, told=not is_gone))
            return Handed([], 0)
        finally:
            self._fetches_waiting -= 1
            answer.cancel()
            revoked.cancel()
            if watch is not None:
                watch.cancel()

    async def wait_on_stream(self, wait: Wait) -> Handed:
        """Jobs for a stream, which tells the fetch desk by itself when its client is gone."""
        self._fetches_waiting += 1
        try:
            handed: Handed = await self.ask_patiently(self.actors.fetch_desk, wait, wait.wait_ms)
        except TimeoutError:
            # The claim hangs. Jobs that it brings after all are for a waiter that is still there.
            self.system.tell(self.actors.fetch_desk, HangUp(wait.wait_id))
            return Handed([], 0)
        else:
            return await self._hand_out(handed)
        finally:
            self._fetches_waiting -= 1

    async def _hand_out(self, handed: Handed) -> Handed:
        """Jobs as a worker can read them. One that cannot be opened is given back, and comes again later: its
        key may be on its way, and the attempt does not count."""
        opened, shut = self.sealing.hand_out(handed)
        if not shut:
            return opened
        releases = []
        for job, error in shut:
            assert job.lease is not None
            log.warning("seal.not_handed_out", job=job.id, code=error.code, reason=error.message)
            releases.append(Release(job.id, job.lease.token, None, UNREADABLE_DELAY_MS))
        await self.submit_all(tuple(releases), 0)
        if not opened.jobs:
            job, error = shut[0]
            raise type(error)(f"job {job.id} cannot be handed out: {error.message}", **error.facts)
        return opened

    def new_wait_id(self) -> int:
        return next(self._wait_ids)

    # Reading

    async def ask(self, actor: ActorAddress, question: object) -> Any:
        return self.sealing.open(await self._deadlines.watch(self.system.ask(actor, question)))

    async def ask_patiently(self, actor: ActorAddress, question: object, wait_ms: int) -> Any:
        """Ask a question whose answer may take as long as `wait_ms`; the actor keeps the time."""
        async with asyncio.timeout(wait_ms / 1_000 + APPLY_TIMEOUT_S):
            return self.sealing.open(await self.system.ask(actor, question))

    async def await_index(self, request: Request) -> None:
        """Wait for a state as new as the read asks for: as a write of its client, or as all there are."""
        request.applied_index = await self.read_index(request)

    async def read_index(self, request: Request) -> int:
        """The last entry that this node has applied, at least the one asked for. A search has to include it,
        so that a client that wrote through this node finds what it wrote."""
        consistency = request.query.get("consistency", "local")
        if consistency not in ("local", "leader"):
            raise ValidationFailed("consistency is local or leader")
        if consistency == "leader":
            await self._catch_up()
        text = request.header(b"x-corvo-min-index")
        try:
            index = int(text or 0)
        except ValueError:
            raise ValidationFailed("X-Corvo-Min-Index is not a whole number") from None
        reached: IndexReached = await self.ask(self.actors.fsm, AwaitIndex(index, MIN_INDEX_WAIT_MS))
        return reached.index

    async def _catch_up(self) -> None:
        """Wait until this node has applied all that is decided by now; Stale if that takes too long."""
        # An entry without ops: once this node has applied it, it has applied all that came before.
        written = await self.submit_all((), 0)
        await self.ask(self.actors.fsm, AwaitIndex(written.index, MIN_INDEX_WAIT_MS))

    async def check_leading(self) -> None:
        """Raises if this node does not lead: for clients that do not want their writes passed on."""
        consensus = await self._consensus()
        if consensus.role is not Role.LEADER:
            leader = None if consensus.leader_id is None else consensus.members.get(consensus.leader_id)
            address = "" if leader is None else f"{self.config.scheme}://{leader.http}"
            raise LedElsewhere("this node does not lead", leader_addr=address)

    def close(self) -> None:
        self._deadlines.close()
        self.gc_watch.close()
