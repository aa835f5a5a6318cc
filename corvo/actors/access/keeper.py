"""Access keeper: brings keys, roles and sessions to the edge of this node, and notes down their use.

    fsm --AccessChanged, SessionsChanged--> [access keeper] --learn--> edge
    edge --KeyUsed--> [access keeper] --TouchKeys--> batcher
    edge --SessionUsed--> [access keeper] --TrimSessions--> batcher
    the folder's first key -------------SetKey--> batcher

The edge decides without asking anybody, so a key that was revoked counts no longer as soon as this node has
applied the entry that says so.
"""

from collections.abc import Callable
from datetime import timedelta

from corvo.actors.access.messages import AccessChanged, KeyUsed, SessionsChanged, SessionUsed
from corvo.actors.kernel.api import ActorAddress, WakeupMessage
from corvo.actors.state.messages import RoleChanged, Subscribe, Topic
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.actors.write.submitter import Submitter
from corvo.core.errors import AccessRefused
from corvo.ops.access import SetKey, TouchKeys
from corvo.ops.people import TrimSessions

#: Uses are gathered for so long before they are written down.
_GATHER = timedelta(seconds=5)
_FIRST = "first key"


class AccessKeeper(Submitter):
    def __init__(
        self,
        batcher: ActorAddress,
        fsm: ActorAddress,
        tell_edge: Callable[[AccessChanged | SessionsChanged], None],
        first: SetKey | None,
        taken_in: Callable[[], None],
    ) -> None:
        """`first` is a key that the cluster does not know yet; `taken_in` is called when it does."""
        self._batcher = batcher
        self._fsm = fsm
        self._tell_edge = tell_edge
        self._first = first
        self._taken_in = taken_in
        self._used_ns: dict[str, int] = {}
        self._sessions_used_ns: dict[str, int] = {}

    def started(self) -> None:
        topics = (Topic.ACCESS,) if self._first is None else (Topic.ACCESS, Topic.ROLE)
        self.send(self._fsm, Subscribe(topics))

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        if msg.leader_id is not None:
            self._hand_in()

    def _hand_in(self) -> None:
        if self._first is not None:
            self.send(self._batcher, Submit((self._first,), tag=_FIRST))

    def receiveMsg_AccessChanged(self, msg: AccessChanged, sender: ActorAddress) -> None:
        self._tell_edge(msg)

    def receiveMsg_SessionsChanged(self, msg: SessionsChanged, sender: ActorAddress) -> None:
        self._tell_edge(msg)

    def receiveMsg_KeyUsed(self, msg: KeyUsed, sender: ActorAddress) -> None:
        self._gather()
        self._used_ns[msg.key_id] = msg.at_ns

    def receiveMsg_SessionUsed(self, msg: SessionUsed, sender: ActorAddress) -> None:
        self._gather()
        self._sessions_used_ns[msg.session_id] = msg.at_ns

    def _gather(self) -> None:
        if not self._used_ns and not self._sessions_used_ns:
            self.wakeupAfter(_GATHER)

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if msg.payload == _FIRST:
            self._hand_in()
            return
        used_ns, self._used_ns = self._used_ns, {}
        if used_ns:
            self.send(self._batcher, Submit((TouchKeys(used_ns),)))
        sessions_used_ns, self._sessions_used_ns = self._sessions_used_ns, {}
        if sessions_used_ns:
            self.send(self._batcher, Submit((TrimSessions(sessions_used_ns),)))

    def receiveMsg_Answer(self, msg: Answer, sender: ActorAddress) -> None:
        if msg.tag == _FIRST:
            (outcome,) = msg.outcomes
            # Refused is a key that is there already: an earlier attempt went through unheard.
            assert not isinstance(outcome, Exception) or isinstance(outcome, AccessRefused), outcome
            self._first = None
            self._taken_in()

    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        """The next use will be noted, or the one after that; a first key is handed in again."""
        if msg.tag == _FIRST:
            self.wakeupAfter(_GATHER, _FIRST)
