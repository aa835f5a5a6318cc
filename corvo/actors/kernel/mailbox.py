"""Mailboxes: what waits for an actor, never more than its capacity.

A queue without end hides an overload until memory is gone. A full mailbox says so at once: the
outside gets `MailboxFull`, an actor gets its message back as `Refused`. Messages of the system
(wake-ups, exits, children's ends) are always taken; other limits bound their number.
"""

import queue
from collections import deque
from typing import Final, TypeAlias

from corvo.actors.kernel.address import ActorAddress

#: How many messages may wait for one actor unless it was created with another capacity.
MAILBOX_MESSAGES_MAX: Final = 4_096

#: A message and its sender.
Envelope: TypeAlias = tuple[object, ActorAddress]


class MailboxFull(Exception):
    """The actor has as many messages waiting as it may have. Try again later, or give up."""

    def __init__(self, target: str) -> None:
        super().__init__(f"the mailbox of {target} is full")
        self.target = target


class Mailbox(deque[Envelope]):
    """The box of an actor on the loop or in the simulator. Being a deque keeps taking as cheap as can be."""

    __slots__ = ("capacity", "room", "waiting_max")

    def __init__(self, capacity: int) -> None:
        assert capacity > 0, "an actor that can be told nothing is of no use"
        super().__init__()
        self.capacity = capacity
        #: The capacity while open, zero while closed: `put` then needs only one comparison.
        self.room = 0
        #: The most that ever waited, as seen when the actor got its turn or refused a message.
        self.waiting_max = 0

    def put(self, message: object, sender: ActorAddress) -> bool:
        """Add a message if the box is open and has room for it."""
        if len(self) >= self.room:
            return False
        self.append((message, sender))
        return True

    def force(self, message: object, sender: ActorAddress) -> None:
        """Add a message whether there is room or not."""
        self.append((message, sender))

    def is_full(self) -> bool:
        """Whether the capacity is used up, be the box open or closed."""
        return len(self) >= self.capacity

    def open(self) -> None:
        self.room = self.capacity

    def close(self) -> None:
        """Refuse every `put`, so that the cell decides: the actor is suspended or at its end."""
        self.room = 0

    def holds(self, kind: type) -> bool:
        """Whether a message of this very type is waiting."""
        return any(type(message) is kind for message, _ in self)

    def empty(self) -> list[Envelope]:
        """Take everything out."""
        envelopes = list(self)
        self.clear()
        return envelopes


class ThreadMailbox:
    """The box of an actor with its own thread: the loop puts, the thread takes and may wait for more."""

    __slots__ = ("_queue", "capacity", "room", "waiting_max")

    def __init__(self, capacity: int) -> None:
        assert capacity > 0, "an actor that can be told nothing is of no use"
        self._queue: queue.SimpleQueue[Envelope] = queue.SimpleQueue()
        self.capacity = capacity
        self.room = 0
        self.waiting_max = 0

    def __len__(self) -> int:
        return self._queue.qsize()

    def put(self, message: object, sender: ActorAddress) -> bool:
        waiting = self._queue.qsize()
        if waiting >= self.room:
            return False
        if waiting >= self.waiting_max:
            self.waiting_max = waiting + 1
        self._queue.put((message, sender))
        return True

    def force(self, message: object, sender: ActorAddress) -> None:
        self._queue.put((message, sender))

    def wait(self) -> Envelope:
        """Take the next message; sleep until there is one."""
        return self._queue.get()

    def is_full(self) -> bool:
        return self._queue.qsize() >= self.capacity

    def open(self) -> None:
        self.room = self.capacity

    def close(self) -> None:
        self.room = 0

    def holds(self, kind: type) -> bool:
        envelopes = self.empty()  # A queue cannot be looked into. No other thread takes from it meanwhile.
        for envelope in envelopes:
            self._queue.put(envelope)
        return any(type(message) is kind for message, _ in envelopes)

    def empty(self) -> list[Envelope]:
        envelopes = []
        while self._queue.qsize():
            envelopes.append(self._queue.get())
        return envelopes
