"""Messages of the write path: what is handed to the batcher, and what comes back."""

from typing import Any

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.messages import Message
from corvo.core.errors import CorvoError
from corvo.ops.base import Op
from corvo.ops.results import Outcome


class Submit(Message, frozen=True):
    """edge, desk, scheduler -> batcher: get these ops agreed on, in one entry, and answer the outcomes."""

    ops: tuple[Op, ...]
    #: About how large they are, so that an entry is not made too large.
    size_bytes: int = 0
    #: Comes back with the answer, for askers that have several questions open.
    tag: Any = None
    #: How many clients wait for it.
    clients: int = 1
    #: Who asked for it, by the name that people see; empty for the node itself.
    principal: str = ""


class Answer(Message, frozen=True):
    """fsm, forwarder -> submitter: your ops were applied by this entry and came to this."""

    index: int
    outcomes: list[Outcome]
    tag: Any = None


class Declined(Message, frozen=True):
    """batcher, proposer, forwarder -> submitter: your ops were not applied, or it is unknown whether."""

    error: CorvoError
    tag: Any = None


class EntryBatch(Message, frozen=True):
    """Ops that travel as one entry, and the asker of each. Also the ticket given to consensus."""

    now_ns: int
    ops: list[Op]
    #: Asker, its tag, how many of the ops, in order, are its own, and about how large they are.
    askers: list[tuple[ActorAddress, Any, int, int]]
    #: The batcher that sent it on its way, and by which number it knows it.
    home: ActorAddress
    number: int


class Propose(Message, frozen=True):
    """batcher -> proposer: one entry's worth of ops."""

    batch: "EntryBatch"


class BatchEnded(Message, frozen=True):
    """proposer, fsm -> batcher: this batch is no longer under way."""

    number: int


class Lost(Message, frozen=True):
    """consensus -> proposer: what became of this batch cannot be known here."""

    batch: EntryBatch
