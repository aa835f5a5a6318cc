"""Consistency check: a running node's store and mirror against all that must hold, on a thread of its own.

    edge --CheckConsistency--> [consistency check] --HoldStill--> mirror writer
                                                   <--Pair-------

Both are looked at as of one entry, while the node goes on.
"""

from collections.abc import Iterator
from itertools import chain, islice

from corvo.actors.kernel.api import ActorAddress, PoisonMessage, Refused, ThreadActor
from corvo.actors.mirror.messages import CheckConsistency, ConsistencyChecked, HoldStill, Pair
from corvo.core.errors import Overloaded, Unhealthy
from corvo.storage.invariants import check
from corvo.storage.kv import Kv, KvReader
from corvo.storage.mirror.catch_up import read_meta
from corvo.storage.mirror.compare import compare_open
from corvo.storage.sealed_keys import keys_in_use

#: A store that is wrong in one way is often wrong in a million places; the first few tell the story.
PROBLEMS_MAX = 100


class ConsistencyCheck(ThreadActor):
    def __init__(self, kv: Kv, mirror_writer: ActorAddress) -> None:
        self._kv = kv
        self._mirror_writer = mirror_writer
        self._askers: list[ActorAddress] = []

    def crashed(self) -> None:
        self._give_up()

    def receiveMsg_CheckConsistency(self, msg: CheckConsistency, sender: ActorAddress) -> None:
        self._askers.append(sender)
        if len(self._askers) == 1:
            self.send(self._mirror_writer, HoldStill())

    def receiveMsg_Pair(self, msg: Pair, sender: ActorAddress) -> None:
        try:
            self._answer(msg.store, compare_open(msg.store, msg.mirror))
        finally:
            msg.mirror.close()
            msg.store.close()

    def receiveMsg_Unhealthy(self, msg: Unhealthy, sender: ActorAddress) -> None:
        """There is no mirror to compare with; the store can be checked all the same."""
        store = self._kv.snapshot()
        try:
            self._answer(store, iter((str(msg),)))
        finally:
            store.close()

    def _answer(self, store: KvReader, differences: Iterator[str]) -> None:
        askers, self._askers = self._askers, []
        problems = list(islice(chain(check(store), differences), PROBLEMS_MAX))
        keys = dict(keys_in_use(store))
        for asker in askers:
            self.send(asker, ConsistencyChecked(read_meta(store).index, problems, keys))

    # A mirror writer that has no room, or crashed, is asked again with the next request.

    def receiveMsg_Refused(self, msg: Refused, sender: ActorAddress) -> None:
        self._give_up()

    def receiveMsg_PoisonMessage(self, msg: PoisonMessage, sender: ActorAddress) -> None:
        self._give_up()

    def _give_up(self) -> None:
        askers, self._askers = self._askers, []
        for asker in askers:
            self.send(asker, Overloaded("the mirror is busy", retry_after_ms=1_000))
