"""A webhook: an address that is told what happens, in order, from where it left off."""

from typing import Final

import msgspec

from corvo.core.namespace import Qualified, Reach

#: Stands for every type of event.
EVERYTHING: Final = "*"
#: Deliveries a webhook remembers one by one; of the others it only knows how many there were.
RECENT_MAX: Final = 20


class Delivery(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """What became of one event: delivered, or given up after so many attempts."""

    seq: int
    type: str
    at_ns: int
    attempts: int
    status: int | None
    #: None if it was delivered.
    error: str | None
    took_ms: int


class Webhook(msgspec.Struct, array_like=True, frozen=True, gc=False):
    id: Qualified
    url: str
    #: Names of the events it wants, or EVERYTHING.
    events: tuple[str, ...]
    #: What deliveries are signed with. Never shown, never logged.
    secret: str | None
    enabled: bool
    #: Attempts at one event, in total.
    retry_limit: int
    created_ns: int
    #: The entry that last changed how it works. What was begun before that no longer counts.
    epoch: int
    #: The last event that is done with; the next delivery is the first one after it that is wanted.
    cursor: int
    #: Why the server switched it off.
    disabled_reason: str | None = None
    #: Since when nothing could be delivered, and the first event that was given up in that time.
    failing_since_ns: int | None = None
    first_failed_seq: int | None = None
    #: Events given up since then.
    failed_in_a_row: int = 0
    delivered_total: int = 0
    failed_total: int = 0
    #: Oldest first.
    recent: tuple[Delivery, ...] = ()
    #: What the one who set it may see: it hears of nothing else.
    reach: Reach | None = None

    @property
    def last(self) -> Delivery | None:
        return self.recent[-1] if self.recent else None


_decoder: Final = msgspec.msgpack.Decoder(Webhook)
encode_webhook = msgspec.msgpack.Encoder().encode
decode_webhook = _decoder.decode
