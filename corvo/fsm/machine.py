"""The state machine: (state, entry) -> results, events and one write batch. Deterministic.

    consensus --Committed--> [machine] --Applied--> askers, coordinators, mirror, events, scheduler

It reads no clock, draws no lots and does no I/O of its own, so every replica that applies the same
entries holds the same bytes. An expected failure is a result; any
other exception means that this replica can no longer be trusted, and whoever calls must stop the node.
"""

import msgspec

from corvo.core.bulk import BulkTask
from corvo.core.errors import CorvoError
from corvo.core.events import EventRecord
from corvo.core.job import Job
from corvo.core.webhook import Webhook
from corvo.fsm import registry
from corvo.fsm.entry_tx import Turn
from corvo.fsm.handlers import (
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
    upkeep,
    webhooks,
)
from corvo.fsm.handlers import shared_settings as rules
from corvo.fsm.rules import dependencies, refetch
from corvo.fsm.state import State
from corvo.ops.base import Op
from corvo.ops.entry import Entry
from corvo.ops.idempotency import Once
from corvo.ops.results import Claimed, Fetched, Outcome, Recalled, Refusal, Result
from corvo.storage import keys
from corvo.storage.kv import Kv, Writes

#: Imported so that every handler is in the book before it is closed.
FAMILIES = (bulk, cron, enqueue, fetch, finish, flow, job_admin, lease, queue_admin, rules, upkeep, webhooks)
registry.assert_closed()


class Applied(msgspec.Struct, frozen=True, gc=False):
    """What one entry did, for everybody who has to know."""

    index: int
    term: int
    now_ns: int
    outcomes: list[Outcome]
    #: Each job touched, as it is now; None if it is gone.
    rows: dict[str, Job | None]
    record: EventRecord | None
    #: How many jobs each queue touched could hand out now.
    levels: dict[str, int]
    #: Families of time-ordered keys in which something may be due earlier than was known.
    due: dict[bytes, int]
    #: When queues that are closed for their rate may hand out jobs again.
    reopenings: dict[str, int]
    #: How many jobs of each queue were enqueued, completed, failed.
    tallies: dict[str, list[int]]
    #: Bulk tasks, as they are now.
    bulk: dict[str, BulkTask]
    #: Keys under which jobs were handed out, to fetches that may be repeated.
    fetched_under: list[str]
    writes: Writes
    #: Each webhook changed, as it is now; None if it is gone.
    webhooks: dict[str, Webhook | None] = msgspec.field(default_factory=dict)


class Machine:
    def __init__(self, kv: Kv) -> None:
        self.state = State(kv)

    @property
    def index(self) -> int:
        return self.state.meta.index

    def apply(self, index: int, term: int, entry: Entry) -> Applied:
        return self._apply(index, term, entry, {})

    def _apply(self, index: int, term: int, entry: Entry, own: dict[bytes, bytes]) -> Applied:
        assert index == self.state.meta.index + 1, f"entry {index} does not follow {self.state.meta.index}"
        turn = Turn(self.state, index, term, entry.now_ns)
        turn.tx.writes.update(own)
        outcomes: list[Outcome] = []
        ops = iter(entry.ops)
        for op in ops:
            if type(op) is Once:
                covered = [next(ops) for _ in range(op.count)]
                outcomes.extend(_run_once(op, covered, turn))
            else:
                outcomes.append(_run(op, turn))
        turn.finish()
        return Applied(
            index=index,
            term=term,
            now_ns=turn.now_ns,
            outcomes=outcomes,
            rows=turn.rows,
            record=turn.record,
            levels=turn.levels(),
            due=self.state.due.take_changes(),
            reopenings=turn.reopenings(),
            tallies=turn.tallies,
            bulk=turn.bulk,
            fetched_under=turn.fetched_under,
            writes=turn.tx.writes,
            webhooks=turn.webhooks,
        )

    def skip(self, index: int, term: int) -> Applied:
        """An entry of consensus itself: nothing happens, but the place in the log moves on."""
        return self.apply(index, term, Entry(now_ns=0, ops=[]))

    def configure(self, index: int, term: int, roster: bytes) -> Applied:
        """The cluster has other members. What that means is for consensus to know; here it is kept."""
        return self._apply(index, term, Entry(now_ns=0, ops=[]), {keys.ROSTER: roster})


def _run(op: Op, turn: Turn) -> Outcome:
    """Run one op as a transaction of its own."""
    turn.begin()
    try:
        result = registry.HANDLERS[type(op)](op, turn)
    except CorvoError as error:
        turn.rollback()
        return error
    if turn.ended:
        dependencies.tell_all(turn)
    return result


def _run_once(once: Once, covered: list[Op], turn: Turn) -> list[Outcome]:
    turn.begin()
    try:
        recalled = idempotency.recall(turn, once)
    except CorvoError as error:
        turn.rollback()
        return [error] * (1 + len(covered))
    if recalled is not None:
        outcomes = [_outcome(result, turn) for result in recalled]
        if not refetch.brought_nothing(outcomes):
            return [Recalled(replayed=True), *outcomes]
        idempotency.forget_key(turn, once.key)
    outcomes = [_run(op, turn) for op in covered]
    turn.begin()
    if not refetch.brought_nothing(outcomes):
        idempotency.remember(turn, once, [_storable(outcome) for outcome in outcomes])
        if any(isinstance(outcome, Fetched) for outcome in outcomes):
            turn.fetched_under.append(once.key)
    return [Recalled(replayed=False), *outcomes]


def _storable(outcome: Outcome) -> Result:
    if isinstance(outcome, CorvoError):
        return Refusal.of(outcome)
    return refetch.leases_of(outcome) if isinstance(outcome, Fetched) else outcome


def _outcome(result: Result, turn: Turn) -> Outcome:
    if isinstance(result, Refusal):
        return result.error()
    return refetch.again(result, turn.whole_job) if isinstance(result, Claimed) else result
