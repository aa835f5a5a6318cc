"""Delivery queue: the events that wait for one webhook, the one under way, and how far it has come.

Deliveries of a webhook follow one another, so there is at most one under way and its place in the log is one
number. Events that it does not want are passed over, but they move that number, too.
"""

from collections import deque
from collections.abc import Iterable

from corvo.actors.events.messages import NumberedEvent
from corvo.actors.webhooks.messages import DeliveryItem, Receipt
from corvo.core.namespace import covers
from corvo.core.webhook import EVERYTHING, RECENT_MAX, Delivery, Webhook
from corvo.ops.webhooks import Advance

#: Events that wait in memory for one webhook; more are read from the log when these are gone.
WAITING_MAX = 64


class DeliveryAttempt:
    """One attempt under way. Known by identity: an answer to an older one is told apart by that."""

    __slots__ = ("attempt", "item", "queue")

    def __init__(self, queue: "DeliveryQueue", item: DeliveryItem, attempt: int) -> None:
        self.queue = queue
        self.item = item
        self.attempt = attempt


class DeliveryQueue:
    def __init__(self, webhook: Webhook) -> None:
        self.webhook = webhook
        self._types = None if EVERYTHING in webhook.events else frozenset(webhook.events)
        self.waiting: deque[DeliveryItem] = deque()
        #: The next event of the log to look at; all before it wait, are done, or were not wanted.
        self.next_seq = webhook.cursor + 1
        #: Whether it hears of new events as they come; if not it reads the log.
        self.live = False
        #: Whether the log was asked and has not answered yet.
        self.asking = False
        self.attempt: DeliveryAttempt | None = None
        self.resting = False
        #: Why it is to be switched off; nothing is delivered any more.
        self.given_up: str | None = None
        self.failing_since_ns = webhook.failing_since_ns
        self.first_failed_seq = webhook.first_failed_seq
        self.failed_in_a_row = webhook.failed_in_a_row
        self.saved_seq = webhook.cursor
        self.delivered = 0
        self.failed = 0
        self.recent: deque[Delivery] = deque(maxlen=RECENT_MAX)

    # Coming in

    def offer(self, events: Iterable[NumberedEvent]) -> None:
        """New events, in order. Events that do not fit in are read from the log later."""
        for event in events:
            if event.seq < self.next_seq:
                continue
            if self.wants(event):
                if len(self.waiting) >= WAITING_MAX:
                    self.live = False
                    return
                self.waiting.append(DeliveryItem(event.seq, event.event.type.label, event))
            self.next_seq = event.seq + 1

    def note_gap(self, first_kept: int) -> None:
        """Events are gone from the log that the webhook has not seen."""
        data = {"from": self.next_seq, "to": first_kept - 1}
        self.waiting.append(DeliveryItem(first_kept - 1, "gap", data=data))
        self.next_seq = first_kept

    def wants(self, event: NumberedEvent) -> bool:
        told = event.event
        return (self._types is None or told.type.label in self._types) and covers(
            self.webhook.reach, told.place
        )

    # Going out

    @property
    def is_ready(self) -> bool:
        return (
            self.webhook.enabled
            and bool(self.waiting)
            and self.attempt is None
            and not self.resting
            and self.given_up is None
        )

    @property
    def needs_log(self) -> bool:
        return self.webhook.enabled and not (
            self.live or self.asking or self.waiting or self.given_up is not None
        )

    @property
    def settled_seq(self) -> int:
        """Everything up to this event is done with."""
        return (self.waiting[0].seq if self.waiting else self.next_seq) - 1

    def settle(self, attempt: DeliveryAttempt, receipt: Receipt, at_ns: int) -> None:
        """The event at the head is delivered, or given up."""
        item = self.waiting.popleft()
        assert item is attempt.item
        self.recent.append(
            Delivery(
                item.seq, item.type, at_ns, attempt.attempt, receipt.status, receipt.error, receipt.took_ms
            )
        )
        if receipt.error is None:
            self.delivered += 1
            self.failing_since_ns = None
            self.first_failed_seq = None
            self.failed_in_a_row = 0
        else:
            self.failed += 1
            self.failed_in_a_row += 1
            if self.failing_since_ns is None:
                self.failing_since_ns = at_ns
            if self.first_failed_seq is None:
                self.first_failed_seq = item.seq

    # Saving

    @property
    def is_dirty(self) -> bool:
        return bool(self.recent) or self.settled_seq > self.saved_seq or self.given_up is not None

    def take_news(self) -> Advance:
        """What is to be saved; from now on it counts as saved."""
        news = Advance(
            webhook_id=self.webhook.id,
            epoch=self.webhook.epoch,
            cursor=self.settled_seq,
            delivered=self.delivered,
            failed=self.failed,
            recent=tuple(self.recent),
            failing_since_ns=self.failing_since_ns,
            first_failed_seq=self.first_failed_seq,
            failed_in_a_row=self.failed_in_a_row,
            disable=self.given_up,
        )
        self.saved_seq = news.cursor
        self.delivered = self.failed = 0
        self.recent.clear()
        return news

    def take_back(self, news: Advance) -> None:
        """This news could not be saved."""
        self.saved_seq = min(self.saved_seq, news.cursor - 1)
        self.delivered += news.delivered
        self.failed += news.failed
        later = tuple(self.recent)
        self.recent.clear()
        self.recent.extend(news.recent + later)
