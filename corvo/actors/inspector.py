"""Inspector: checks a running node's store against everything that must hold, on a thread of its own."""

from itertools import islice

from corvo.actors.kernel.api import ActorAddress, ThreadActor
from corvo.actors.kernel.messages import Message
from corvo.storage import keys
from corvo.storage.invariants import check
from corvo.storage.kv import Kv
from corvo.storage.meta import GENESIS, decode_meta

#: A store that is wrong in one way is often wrong in a million places; the first few tell the story.
PROBLEMS_MAX = 100


class Inspect(Message, frozen=True):
    """edge -> inspector: look at everything. Answer: Inspected."""


class Inspected(Message, frozen=True):
    #: The entry at which the store was looked at.
    index: int
    #: A sentence for each thing that is wrong.
    problems: list[str]


class Inspector(ThreadActor):
    def __init__(self, kv: Kv) -> None:
        self._kv = kv

    def receiveMsg_Inspect(self, msg: Inspect, sender: ActorAddress) -> None:
        snapshot = self._kv.snapshot()
        try:
            stored = snapshot.get(keys.META)
            meta = GENESIS if stored is None else decode_meta(stored)
            problems = list(islice(check(snapshot), PROBLEMS_MAX))
        finally:
            snapshot.close()
        self.send(sender, Inspected(meta.index, problems))
