"""The state machine: (state, entry) -> results, events and one write batch. Deterministic.

    consensus --Committed--> [machine] --Applied--> askers, fetch desk, scheduler, mirror, events

It reads no clock, draws no random numbers and does no I/O of its own, so every replica that applies the same
entries holds the same bytes. An expected failure is a result; any other exception means that this replica can
no longer be trusted, and the caller must stop the node.
"""

from importlib import import_module

import msgspec

from corvo.core.access.audit import AuditRecord
from corvo.core.access.session import LoginSession
from corvo.core.bulk import BulkTask
from corvo.core.errors import CorvoError
from corvo.core.events import EventRecord
from corvo.core.job import Job
from corvo.core.namespace import Namespace, Qualified
from corvo.core.webhook import Webhook
from corvo.fsm import registry
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import dependencies, refetch, stored_answers
from corvo.fsm.state import State
from corvo.ops.base import Op
from corvo.ops.entry import FAMILIES, Entry
from corvo.ops.idempotency import Once
from corvo.ops.results import Claimed, Fetched, Outcome, Recalled, Refusal, Result
from corvo.storage import keys
from corvo.storage.kv import Kv, Writes

# A family of ops has its handlers in a module of the same name; all are imported before the registry closes.
for family in FAMILIES:
    import_module(f"corvo.fsm.handlers.{family.__name__.rpartition('.')[2]}")
registry.assert_closed()


class Applied(msgspec.Struct, frozen=True, gc=False):
    """What one entry did, for the actors that follow the state machine."""

    index: int
    term: int
    now_ns: int
    outcomes: list[Outcome]
    #: Each job touched, as it is now; None if it is gone.
    rows: dict[str, Job | None]
    record: EventRecord | None
    #: How many jobs each queue touched could hand out now.
    levels: dict[Qualified, int]
    #: Families of time-ordered keys in which something may be due earlier than was known.
    due: dict[bytes, int]
    #: When queues that are closed for their rate may hand out jobs again.
    reopenings: dict[Qualified, int]
    #: How many jobs of each queue were enqueued, completed, failed.
    tallies: dict[Qualified, list[int]]
    #: Bulk tasks, as they are now.
    bulk: dict[str, BulkTask]
    #: Keys under which jobs were handed out, to fetches that may be repeated.
    fetched_under: list[Qualified]
    writes: Writes
    #: Each webhook changed, as it is now; None if it is gone.
    webhooks: dict[Qualified, Webhook | None] = msgspec.field(default_factory=dict)
    #: Whether keys or roles changed.
    access_changed: bool = False
    #: Each namespace that was set up or changed, as it is now; None if it is gone.
    namespaces: dict[str, Namespace | None] = msgspec.field(default_factory=dict)
    #: Each session changed, as it is now; None if it is over.
    sessions: dict[str, LoginSession | None] = msgspec.field(default_factory=dict)
    #: Audit records, as they are now.
    audit: tuple[AuditRecord, ...] = ()


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
        tx = EntryTx(self.state, index, term, entry.now_ns)
        tx.kv.writes.update(own)
        outcomes = tx.outcomes
        ops = iter(entry.ops)
        for op in ops:
            if type(op) is Once:
                covered = [next(ops) for _ in range(op.count)]
                outcomes.extend(_run_once(op, covered, tx))
            else:
                outcomes.append(_run(op, tx))
        tx.finish()
        return Applied(
            index=index,
            term=term,
            now_ns=tx.now_ns,
            outcomes=outcomes,
            rows=tx.rows,
            record=tx.record,
            levels=tx.levels(),
            due=self.state.due.take_changes(),
            reopenings=tx.reopenings(),
            tallies=tx.tallies,
            bulk=tx.bulk,
            fetched_under=tx.fetched_under,
            writes=tx.kv.writes,
            webhooks=tx.webhooks,
            access_changed=tx.access_changed,
            namespaces=tx.namespaces,
            sessions=tx.sessions,
            audit=tuple(tx.audit.values()),
        )

    def skip(self, index: int, term: int) -> Applied:
        """An entry of consensus itself: nothing happens, but the place in the log moves on."""
        return self.apply(index, term, Entry(now_ns=0, ops=[]))

    def configure(self, index: int, term: int, roster: bytes) -> Applied:
        """The cluster has another roster. Consensus reads it; here its bytes are kept with the state."""
        return self._apply(index, term, Entry(now_ns=0, ops=[]), {keys.ROSTER: roster})


def _run(op: Op, tx: EntryTx) -> Outcome:
    """Run one op as a transaction of its own."""
    tx.begin()
    try:
        result = registry.HANDLERS[type(op)](op, tx)
    except CorvoError as error:
        tx.rollback()
        return error
    if tx.ended:
        dependencies.tell_all(tx)
    return result


def _run_once(once: Once, covered: list[Op], tx: EntryTx) -> list[Outcome]:
    tx.begin()
    try:
        recalled = stored_answers.recall(tx, once)
    except CorvoError as error:
        tx.rollback()
        return [error] * (1 + len(covered))
    if recalled is not None:
        outcomes = [_outcome(result, tx) for result in recalled]
        if not refetch.brought_nothing(outcomes):
            return [Recalled(replayed=True), *outcomes]
        stored_answers.forget_key(tx, once.key)
    outcomes = [_run(op, tx) for op in covered]
    tx.begin()
    if not refetch.brought_nothing(outcomes):
        stored_answers.remember(tx, once, [_storable(outcome) for outcome in outcomes])
        if any(isinstance(outcome, Fetched) for outcome in outcomes):
            tx.fetched_under.append(once.key)
    return [Recalled(replayed=False), *outcomes]


def _storable(outcome: Outcome) -> Result:
    if isinstance(outcome, CorvoError):
        return Refusal.of(outcome)
    return refetch.leases_of(outcome) if isinstance(outcome, Fetched) else outcome


def _outcome(result: Result, tx: EntryTx) -> Outcome:
    if isinstance(result, Refusal):
        return result.error()
    return refetch.again(result, tx.whole_job) if isinstance(result, Claimed) else result
