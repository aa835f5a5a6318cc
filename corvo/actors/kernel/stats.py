"""Stats: numbers of an actor system, for metrics and tests. Reading them costs the reader, not the actors."""

from corvo.actors.kernel.messages import Message


class ActorStats(Message, frozen=True):
    """One living actor."""

    name: str
    state: str
    delivered: int
    #: How many messages wait now, and the most that ever did.
    waiting: int
    waiting_max: int


class Stats(Message, frozen=True):
    """A whole system since its creation."""

    delivered: int
    dead_letters: int
    dead_letters_by_name: dict[str, int]
    #: Messages that found a mailbox full.
    refused: int
    #: Messages no handler was named for.
    unexpected: int
    crashes: int
    restarts: int
    #: Wake-ups and restarts that are still to come.
    alarms: int
    actors: dict[str, ActorStats]
