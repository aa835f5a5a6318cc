"""Webhooks: delivers what happens to those who asked for it, on the leader only.

    fsm --EntryLanded--> [webhooks] --Parcel--> courier --> receivers
                                    --AdvanceWebhooks--> batcher

Each webhook has a place in the event log, kept in the store. Places are saved together and not at every
event, so after a crash, or under a new leader, the latest deliveries are made again: at least once, in order.
A webhook that keeps failing rests longer and longer between attempts, gives an event up after its limit and
is switched off when nothing could be delivered for a long time; others do not notice.
"""

from collections import deque
from collections.abc import Callable
from datetime import timedelta

import msgspec
import structlog

from corvo.actors.kernel.api import ActorAddress, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.messages import (
    Answer,
    Declined,
    EntryLanded,
    EventsFound,
    GetStatus,
    ReadEvents,
    RoleChanged,
    Status,
    Submit,
    Subscribe,
    Topic,
    numbered,
)
from corvo.actors.webhooks.delivery_queue import Flight, Item, Line
from corvo.actors.webhooks.messages import (
    CloseWebhooks,
    ListWebhooks,
    SendNow,
    WebhooksClosed,
    WebhooksListed,
)
from corvo.actors.webhooks.sender import Courier, Parcel, Posted
from corvo.actors.write.submitter import Submitter
from corvo.consensus.api import Role
from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import CorvoError, Overloaded
from corvo.core.webhook import Webhook
from corvo.ops.webhooks import Advance, AdvanceWebhooks

log = structlog.get_logger()

_REST_MS = 200
_REST_MS_MAX = 60_000
#: Events read from the log at once.
_READ_EVENTS = 500


class WebhookSettings(msgspec.Struct, frozen=True):
    in_flight_max: int = 64
    #: How soon deliveries are saved, and how soon the mere passing of events that nobody wanted.
    save_after: timedelta = timedelta(seconds=1)
    save_passing_after: timedelta = timedelta(seconds=60)
    #: Passed events that are saved without waiting for that long.
    passing_max: int = 10_000
    #: Failing for this long switches a webhook off; 0 never does.
    disable_after_ns: int = 24 * 3_600 * NS_PER_S
    #: And so many events given up in that time: where little happens, two failures may be days apart.
    disable_after_events: int = 5


class _Save(Message, frozen=True):
    """webhooks -> itself"""

    urgent: bool


class _RestOver(Message, frozen=True):
    """webhooks -> itself"""

    flight: Flight


class _ByHand:
    """Stands for a flight that somebody waits for."""

    __slots__ = ("asker",)

    def __init__(self, asker: ActorAddress) -> None:
        self.asker = asker


class Webhooks(Submitter):
    def __init__(
        self,
        batcher: ActorAddress,
        fsm: ActorAddress,
        courier: Courier,
        pack: Callable[[Webhook, Item, int, int], Parcel],
        settings: WebhookSettings,
        clock: Clock,
    ) -> None:
        self._batcher = batcher
        self._fsm = fsm
        self._courier = courier
        #: Puts an item into words: webhook, item, attempt, time.
        self._pack = pack
        self._settings = settings
        self._clock = clock
        self._leading = False
        self._closed = False
        #: Who waits for the last save.
        self._closer: ActorAddress | None = None
        self._lines: dict[str, Line] = {}
        #: Lines that have something to deliver, in the order of their turns.
        self._ready: deque[Line] = deque()
        self._flights: set[Flight | _ByHand] = set()
        self._last_seq = 0
        #: What is being saved.
        self._saving: list[Advance] | None = None
        self._armed: set[bool] = set()
        self._delivered_total = 0
        self._failed_total = 0

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.LANDED, Topic.ROLE)))

    # Which webhooks there are

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        leads = msg.role is Role.LEADER
        if leads and not self._leading:
            self._saving = None
            self.send(self._fsm, ListWebhooks())
        if not leads:
            self._lines.clear()
            self._ready.clear()
        self._leading = leads

    def receiveMsg_WebhooksListed(self, msg: WebhooksListed, sender: ActorAddress) -> None:
        for webhook in msg.webhooks:
            self._know(webhook)
        self._deliver()

    def _know(self, webhook: Webhook) -> None:
        known = self._lines.get(webhook.id)
        # What does not change how it works is our own news of how far it has come.
        if self._leading and (known is None or known.webhook.epoch < webhook.epoch):
            line = self._lines[webhook.id] = Line(webhook)
            self._read_on(line)

    # Events

    def receiveMsg_EntryLanded(self, msg: EntryLanded, sender: ActorAddress) -> None:
        applied = msg.applied
        record = applied.record
        if record is not None and record.events:
            self._last_seq = record.first_seq + len(record.events) - 1
        if not self._leading:
            return
        for webhook_id, webhook in applied.webhooks.items():
            if webhook is None:
                self._lines.pop(webhook_id, None)
            else:
                self._know(webhook)
        if record is None or not record.events or not self._lines:
            return
        events = numbered(record)
        for line in self._lines.values():
            if line.live:
                line.offer(events)
                self._go_on(line)
        self._deliver()

    def _read_on(self, line: Line) -> None:
        if line.needs_log:
            line.asking = True
            self.send(self._fsm, ReadEvents(line.next_seq - 1, _READ_EVENTS, tag=line))

    def receiveMsg_EventsFound(self, msg: EventsFound, sender: ActorAddress) -> None:
        line: Line = msg.tag
        line.asking = False
        if not self._is_current(line):
            return
        if line.next_seq < msg.first_seq:
            line.note_gap(msg.first_seq)
        line.live = True
        line.offer(msg.events)
        # Full, or more has happened than was read: the rest is still in the log.
        if line.next_seq <= max(self._last_seq, msg.last_seq):
            line.live = False
        self._go_on(line)
        self._deliver()

    def _is_current(self, line: Line) -> bool:
        return self._lines.get(line.webhook.id) is line

    def _go_on(self, line: Line) -> None:
        """Something about the line has changed."""
        if line.is_ready and line not in self._ready:
            self._ready.append(line)
        self._read_on(line)
        if line.is_dirty:
            passed = line.settled_seq - line.saved_seq
            urgent = bool(line.recent) or line.given_up is not None or passed > self._settings.passing_max
            self._save_soon(urgent=urgent)

    # Delivering

    def _deliver(self) -> None:
        while self._ready and len(self._flights) < self._settings.in_flight_max and not self._closed:
            line = self._ready.popleft()
            if self._is_current(line) and line.is_ready:
                self._post(line, Flight(line, line.waiting[0], attempt=1))

    def _post(self, line: Line, flight: Flight) -> None:
        line.flight = flight
        self._flights.add(flight)
        parcel = self._pack(line.webhook, flight.item, flight.attempt, self._clock.now_ns())
        self._courier.post(parcel, self.myAddress, flight)

    def receiveMsg_Posted(self, msg: Posted, sender: ActorAddress) -> None:
        self._flights.discard(msg.tag)
        if isinstance(msg.tag, _ByHand):
            self.send(msg.tag.asker, msg.receipt)
            self._deliver()
            return
        flight: Flight = msg.tag
        line = flight.line
        # A line from before a change, a restart or another leader's time is no longer current.
        if self._is_current(line):
            if msg.receipt.error is None or flight.attempt >= line.webhook.retry_limit:
                self._settle(line, flight, msg)
            else:
                line.resting = True
                line.flight = None
                rest_ms = min(_REST_MS * flight.attempt**2, _REST_MS_MAX)
                self.wakeupAfter(timedelta(milliseconds=rest_ms), _RestOver(flight))
        self._deliver()

    def _settle(self, line: Line, flight: Flight, msg: Posted) -> None:
        now_ns = self._clock.now_ns()
        line.flight = None
        line.settle(flight, msg.receipt, now_ns)
        if msg.receipt.error is None:
            self._delivered_total += 1
        else:
            self._failed_total += 1
            self._consider_giving_up(line, msg.receipt.error, now_ns)
        self._go_on(line)

    def _consider_giving_up(self, line: Line, error: str, now_ns: int) -> None:
        assert line.failing_since_ns is not None
        limit_ns = self._settings.disable_after_ns
        long_enough = limit_ns and now_ns - line.failing_since_ns >= limit_ns
        if long_enough and line.failed_in_a_row >= self._settings.disable_after_events:
            line.given_up = f"nothing could be delivered for {_spell(limit_ns)}; the last error was: {error}"
            log.warning("webhook.disabled", webhook_id=line.webhook.id, reason=line.given_up)

    def _rest_over(self, flight: Flight) -> None:
        line = flight.line
        if not self._is_current(line):
            return
        line.resting = False
        if self._closed:
            return
        if len(self._flights) < self._settings.in_flight_max:
            self._post(line, Flight(line, flight.item, flight.attempt + 1))
        else:
            # No room now. It stays at its attempt and tries for a place a little later.
            line.resting = True
            self.wakeupAfter(timedelta(milliseconds=_REST_MS), _RestOver(flight))

    # By hand

    def receiveMsg_SendNow(self, msg: SendNow, sender: ActorAddress) -> None:
        if len(self._flights) >= self._settings.in_flight_max or self._closed:
            self.send(sender, Overloaded("too many deliveries are under way", retry_after_ms=1_000))
            return
        flight = _ByHand(sender)
        self._flights.add(flight)
        parcel = self._pack(msg.webhook, msg.item, 1, self._clock.now_ns())
        self._courier.post(parcel, self.myAddress, flight)

    # Saving

    def _save_soon(self, *, urgent: bool) -> None:
        if urgent not in self._armed:
            self._armed.add(urgent)
            after = self._settings.save_after if urgent else self._settings.save_passing_after
            self.wakeupAfter(after, _Save(urgent))

    def _save(self) -> None:
        if self._saving is not None or not self._leading:
            return
        news = [line.take_news() for line in self._lines.values() if line.is_dirty]
        if news:
            self._saving = news
            self.send(self._batcher, Submit((AdvanceWebhooks(news),), tag=news))

    def receiveMsg_Answer(self, msg: Answer, sender: ActorAddress) -> None:
        news = self._saving
        if news is None or msg.tag is not news:
            return  # From before a restart or another leader's time, or given up for lost.
        self._saving = None
        (outcome,) = msg.outcomes
        if isinstance(outcome, CorvoError):
            self._not_saved(news, outcome)
        else:
            self._finish_closing()

    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        news = self._saving
        if news is not None and msg.tag is news:
            self._saving = None
            self._not_saved(news, msg.error)

    def _not_saved(self, news: list[Advance], error: CorvoError) -> None:
        log.warning("webhooks.not_saved", code=error.code, error=error.message)
        for each in news:
            line = self._lines.get(each.webhook_id)
            if line is not None and line.webhook.epoch == each.epoch:
                line.take_back(each)
        self._save_soon(urgent=True)

    # The rest

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if isinstance(msg.payload, _RestOver):
            self._rest_over(msg.payload.flight)
        elif isinstance(msg.payload, _Save):
            self._armed.discard(msg.payload.urgent)
            if self._saving is not None:
                self._save_soon(urgent=True)
            else:
                self._save()

    def receiveMsg_CloseWebhooks(self, msg: CloseWebhooks, sender: ActorAddress) -> None:
        self._closed = True
        self._closer = sender
        self._finish_closing()

    def _finish_closing(self) -> None:
        if self._closer is None or self._saving is not None:
            return
        self._save()
        if self._saving is None:
            self.send(self._closer, WebhooksClosed())
            self._closer = None

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        figures = {
            "webhooks": len(self._lines),
            "in_flight": len(self._flights),
            "waiting": sum(len(line.waiting) for line in self._lines.values()),
            "delivered_total": self._delivered_total,
            "failed_total": self._failed_total,
        }
        self.send(sender, Status(figures))


def _spell(period_ns: int) -> str:
    seconds = period_ns / NS_PER_S
    return f"{seconds / 3_600:g} h" if seconds >= 3_600 else f"{seconds:g} s"
