"""Event hub: tells its listeners what happens, as it happens.

    fsm --EntryLanded--> [hub] --> one channel per listener (a server-sent event stream)

A listener that resumes is brought up to date from the event log first, as fast as it reads, and then goes
live, without a gap and without a repeat. An event is written out once, however many listen. Listeners that
only wait cost nothing but a comment every fifteen seconds; listeners that cannot keep up are let go with a
reason.
"""

from collections import deque
from datetime import timedelta

from corvo.actors.channel import CHANNEL_BYTES_MAX, Channel
from corvo.actors.events.messages import (
    CloseHub,
    EventsFound,
    Listen,
    Listening,
    NumberedEvent,
    ReadEvents,
    StopListening,
    Wording,
    numbered,
)
from corvo.actors.kernel.api import Actor, ActorAddress, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.state.messages import EntryLanded, StateReplaced, Subscribe, Topic
from corvo.actors.state.questions import ListQueues, QueuesListed
from corvo.actors.status import EventHubStatus, GetStatus
from corvo.core.namespace import ANYWHERE, Qualified, Reach, covers

_KEEP_ALIVE = timedelta(seconds=15)
#: Dashboards hear of changed counters at most this often.
_COUNTERS_EVERY = timedelta(milliseconds=250)
#: Queues whose counters are told at once; if more have changed, the others come a moment later.
_COUNTERS_MAX = 300
#: Events read at once for a listener that catches up, and what it may leave unread before it gets more: there
#: may be a million of them, and no reader is as fast as the log.
_CATCH_UP_EVENTS = 500
_CATCH_UP_EVENTS_MIN = 10
_CATCH_UP_BYTES = 256 * 1024
LISTENERS_MAX = 10_000
#: Listeners that are told at once.
_LISTENERS_AT_ONCE = 100
#: Entries that may wait to be told. If they come quicker, they have to wait for their listeners.
_UNTOLD_MAX = 100
#: Where a listener begins that wants only what is new, until it is known which number that is.
_NOW = 1 << 64
#: How long a node may lag behind what a listener has seen elsewhere.
_PATIENCE = timedelta(seconds=5)


class _Listener:
    __slots__ = ("at_once", "channel", "counters", "events", "filter", "is_doubted", "live", "next_seq")

    def __init__(self, msg: Listen) -> None:
        self.channel = msg.channel
        self.filter = msg.filter
        self.events = msg.events
        self.counters = msg.counters
        #: The next event it is to get; events before it are repeats.
        self.next_seq = _NOW if msg.after_seq is None else msg.after_seq + 1
        self.live = not msg.events
        #: Events to read next time, while it catches up: about as many as it can take.
        self.at_once = _CATCH_UP_EVENTS
        #: It named an event that has not happened here yet.
        self.is_doubted = False


class _Doubt(Message, frozen=True):
    """hub -> itself: see whether what this listener says it has seen has happened by now."""

    listener: _Listener


class _HasRead(Message, frozen=True):
    """hub -> itself: this listener has read all it got so far and can take more."""

    listener: _Listener


class _Untold:
    """What happened, in words, and who has not been told."""

    __slots__ = ("events", "hearing", "words")

    def __init__(self, events: list[NumberedEvent], words: list[bytes], hearing: list[_Listener]) -> None:
        self.events = events
        self.words = words
        self.hearing = hearing


class _TellOn(Message, frozen=True):
    """hub -> itself: go on telling listeners what has happened."""


class _KeepAlive(Message, frozen=True):
    """hub -> itself: send every listener a comment, so that its connection stays open."""


class _TellCounters(Message, frozen=True):
    """hub -> itself: send the counters of queues that have changed."""


class EventHub(Actor):
    def __init__(self, fsm: ActorAddress, wording: Wording) -> None:
        self._fsm = fsm
        self._wording = wording
        self._listeners: dict[Channel, _Listener] = {}
        self._last_seq = 0
        #: What has happened and was not told to everybody yet, in order.
        self._untold: deque[_Untold] = deque()
        self._changed: set[Qualified] = set()
        self._counting = False
        self._streams_total = 0
        self._dropped_total = 0

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.LANDED, Topic.REPLACED)))
        self.wakeupAfter(_KEEP_ALIVE, _KeepAlive())

    def crashed(self) -> None:
        """Readers come again and resume where they were."""
        for listener in self._listeners.values():
            listener.channel.close()

    # Coming and going

    def receiveMsg_Listen(self, msg: Listen, sender: ActorAddress) -> None:
        if len(self._listeners) >= LISTENERS_MAX:
            self.send(sender, Listening(accepted=False))
            return
        listener = _Listener(msg)
        self._listeners[msg.channel] = listener
        self._streams_total += 1
        self.send(sender, Listening(accepted=True))
        if not listener.live:
            self._catch_up(listener)

    def receiveMsg_StopListening(self, msg: StopListening, sender: ActorAddress) -> None:
        self._listeners.pop(msg.channel, None)

    def receiveMsg_CloseHub(self, msg: CloseHub, sender: ActorAddress) -> None:
        for listener in self._listeners.values():
            listener.channel.close()
        self._listeners.clear()

    def _put(self, listener: _Listener, chunk: bytes) -> None:
        if chunk and not listener.channel.put(chunk):
            # It can resume from the last event it read, so nothing is lost by letting it go.
            self._dropped_total += 1
            listener.channel.close(self._wording.dropped)
            self._listeners.pop(listener.channel, None)

    def receiveMsg_StateReplaced(self, msg: StateReplaced, sender: ActorAddress) -> None:
        """Events were skipped that only the event log has. Readers come again and resume from there."""
        self.receiveMsg_CloseHub(CloseHub(), sender)

    # Live

    def receiveMsg_EntryLanded(self, msg: EntryLanded, sender: ActorAddress) -> None:
        applied = msg.applied
        record = applied.record
        if record is not None and record.events:
            self._last_seq = record.first_seq + len(record.events) - 1
        if not self._listeners:
            return
        if record is not None and record.events:
            self._tell(numbered(record))
        if applied.levels and any(listener.counters for listener in self._listeners.values()):
            self._changed.update(applied.levels)
            self._arm_counters()

    def _tell(self, events: list[NumberedEvent]) -> None:
        """Each listener that is told wakes up a reader. If there are many, others are served in between; what
        happens meanwhile waits, so that everybody hears everything in order."""
        hearing = [each for each in self._listeners.values() if each.live and each.events]
        if not hearing:
            return
        words = [self._wording.event(event) for event in events]
        if self._untold or len(hearing) > _LISTENERS_AT_ONCE:
            self._untold.append(_Untold(events, words, hearing))
            if len(self._untold) == 1:
                self.send(self.myAddress, _TellOn())
            elif len(self._untold) > _UNTOLD_MAX:
                self._tell_on(len(self._listeners))
        else:
            self._tell_these(hearing, events, words)

    def receiveMsg__TellOn(self, msg: _TellOn, sender: ActorAddress) -> None:
        if self._untold:
            self._tell_on(_LISTENERS_AT_ONCE)
        if self._untold:
            self.send(self.myAddress, _TellOn())

    def _tell_on(self, count: int) -> None:
        """Tell so many listeners what was the first to happen of what they have not been told."""
        first = self._untold[0]
        some, first.hearing = first.hearing[:count], first.hearing[count:]
        if not first.hearing:
            self._untold.popleft()
        here = [each for each in some if self._listeners.get(each.channel) is each and each.live]
        self._tell_these(here, first.events, first.words)

    def _tell_these(
        self, listeners: list[_Listener], events: list[NumberedEvent], words: list[bytes]
    ) -> None:
        for listener in listeners:
            chunk = b"".join(
                said
                for event, said in zip(events, words, strict=True)
                if event.seq >= listener.next_seq and listener.filter.fits(event)
            )
            unread = listener.channel.unread
            if unread + len(chunk) > CHANNEL_BYTES_MAX and unread < _CATCH_UP_BYTES:
                # One entry can be too much for a reader at once; one that is not far behind gets it in parts.
                listener.live = False
                listener.next_seq = max(listener.next_seq, events[0].seq)
                self._catch_up(listener)
            else:
                self._put(listener, chunk)

    # Catching up

    def _catch_up(self, listener: _Listener) -> None:
        self.send(
            self._fsm, ReadEvents(listener.next_seq - 1, listener.at_once, tag=listener, reach=ANYWHERE)
        )

    def receiveMsg_EventsFound(self, msg: EventsFound, sender: ActorAddress) -> None:
        listener: _Listener = msg.tag
        if self._listeners.get(listener.channel) is not listener:
            return  # Gone meanwhile, or from before this actor was restarted.
        if listener.next_seq == _NOW:
            # It may have to come again before it has seen any event, so it is told where it begins.
            self._put(listener, self._wording.position(msg.last_seq))
            listener.next_seq = msg.last_seq + 1
        if listener.next_seq < msg.first_seq:
            self._put(listener, self._wording.gap(listener.next_seq, msg.first_seq - 1))
            listener.next_seq = msg.first_seq
        self._last_seq = max(self._last_seq, msg.last_seq)
        if not self._put_in_parts(listener, msg.events):
            return
        if listener.next_seq > msg.last_seq + 1 and not listener.is_doubted:
            listener.is_doubted = True
            self.wakeupAfter(_PATIENCE, _Doubt(listener))
        last = msg.events[-1].seq if msg.events else msg.last_seq
        listener.next_seq = max(listener.next_seq, last + 1)
        if last >= self._last_seq:
            listener.live = True
        else:
            self._catch_up(listener)

    def _put_in_parts(self, listener: _Listener, events: list[NumberedEvent]) -> bool:
        """As much as the reader may leave unread. False if there is more: that is read again when it has."""
        words: list[bytes] = []
        size = listener.channel.unread
        for event in events:
            said = self._wording.event(event) if listener.filter.fits(event) else b""
            if size and size + len(said) > _CATCH_UP_BYTES:
                listener.at_once = max(_CATCH_UP_EVENTS_MIN, len(words))
                self._put(listener, b"".join(words))
                listener.channel.when_read(lambda: self.send(self.myAddress, _HasRead(listener)))
                return False
            words.append(said)
            size += len(said)
            listener.next_seq = event.seq + 1
        listener.at_once = _CATCH_UP_EVENTS
        self._put(listener, b"".join(words))
        return True

    def receiveMsg__HasRead(self, msg: _HasRead, sender: ActorAddress) -> None:
        if self._listeners.get(msg.listener.channel) is msg.listener:
            self._catch_up(msg.listener)

    def _settle_doubt(self, listener: _Listener) -> None:
        """It says it has seen what has not happened here. A node that lags would have got there by now; so
        the number is from another life of this server, and waiting for it would mean waiting for ever."""
        is_here = self._listeners.get(listener.channel) is listener
        if is_here and listener.next_seq > self._last_seq + 1:
            self._put(listener, self._wording.gap(self._last_seq + 1, listener.next_seq - 1))
            listener.next_seq = self._last_seq + 1

    # Counters

    def _arm_counters(self) -> None:
        if not self._counting:
            self._counting = True
            self.wakeupAfter(_COUNTERS_EVERY, _TellCounters())

    def receiveMsg_QueuesListed(self, msg: QueuesListed, sender: ActorAddress) -> None:
        words: dict[Reach | None, bytes] = {}
        for listener in list(self._listeners.values()):
            if listener.counters:
                reach = listener.filter.reach
                if reach not in words:
                    words[reach] = self._counters(msg, reach)
                self._put(listener, words[reach])

    def _counters(self, msg: QueuesListed, reach: Reach | None) -> bytes:
        seen = [info for info in msg.queues if covers(reach, info.queue.name)]
        return self._wording.counters(QueuesListed(seen, msg.now_ns)) if seen else b""

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if isinstance(msg.payload, _Doubt):
            self._settle_doubt(msg.payload.listener)
            return
        if isinstance(msg.payload, _TellCounters):
            self._counting = False
            names = sorted(self._changed)
            self._changed = set(names[_COUNTERS_MAX:])
            self.send(self._fsm, ListQueues(tuple(names[:_COUNTERS_MAX]), ANYWHERE))
            if self._changed:
                self._arm_counters()
            return
        for listener in list(self._listeners.values()):
            self._put(listener, self._wording.keep_alive)
        self.wakeupAfter(_KEEP_ALIVE, _KeepAlive())

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        status = EventHubStatus(len(self._listeners), self._streams_total, self._dropped_total)
        self.send(sender, status)
