"""Webhook dispatcher: delivers events to the webhooks that want them, on the leader only.

    fsm --EntryLanded--> [webhooks] --OutgoingPost--> sender --> receivers
                                    --AdvanceWebhooks--> batcher

Each webhook has a cursor in the event log, kept in the store. Cursors are saved together and not at every
event, so after a crash, or under a new leader, the latest deliveries are made again: at least once, in order.
A webhook that keeps failing rests longer and longer between attempts, gives an event up after its limit and
is switched off when nothing could be delivered for a long time; other webhooks do not notice.
"""

from collections import deque
from collections.abc import Callable
from datetime import timedelta

import msgspec
import structlog

from corvo.actors.events.messages import EventsFound, ReadEvents, numbered
from corvo.actors.kernel.api import ActorAddress, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.state.messages import EntryLanded, RoleChanged, Subscribe, Topic
from corvo.actors.status import GetStatus, WebhooksStatus
from corvo.actors.webhooks.delivery_queue import DeliveryAttempt, DeliveryQueue
from corvo.actors.webhooks.messages import (
    CloseWebhooks,
    DeliveryItem,
    ListWebhooks,
    OutgoingPost,
    Posted,
    SendNow,
    WebhooksClosed,
    WebhooksListed,
)
from corvo.actors.webhooks.sender import Sender
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.actors.write.submitter import Submitter
from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import CorvoError, Overloaded
from corvo.core.namespace import ANYWHERE, Qualified
from corvo.core.webhook import Webhook
from corvo.ops.webhooks import Advance, AdvanceWebhooks

log = structlog.get_logger()

_REST_MS = 200
_REST_MS_MAX = 60_000
#: Events read from the log at once.
_READ_EVENTS = 500


class WebhookSettings(msgspec.Struct, frozen=True):
    in_flight_max: int = 64
    #: How soon deliveries are saved, and how soon a cursor that only passed unwanted events.
    save_after: timedelta = timedelta(seconds=1)
    save_passing_after: timedelta = timedelta(seconds=60)
    #: Passed events that are saved without waiting for that long.
    passing_max: int = 10_000
    #: Failing for this long switches a webhook off; 0 never does.
    disable_after_ns: int = 24 * 3_600 * NS_PER_S
    #: And so many events given up in that time: where little happens, two failures may be days apart.
    disable_after_events: int = 5


class _Save(Message, frozen=True):
    """webhooks -> itself: save how far deliveries have come."""

    urgent: bool


class _RestOver(Message, frozen=True):
    """webhooks -> itself: the next attempt may begin."""

    attempt: DeliveryAttempt


class _ByHand:
    """Stands for a delivery that a request waits for."""

    __slots__ = ("asker",)

    def __init__(self, asker: ActorAddress) -> None:
        self.asker = asker


class WebhookDispatcher(Submitter):
    def __init__(
        self,
        batcher: ActorAddress,
        fsm: ActorAddress,
        sender: Sender,
        pack: Callable[[Webhook, DeliveryItem, int, int], OutgoingPost],
        settings: WebhookSettings,
        clock: Clock,
    ) -> None:
        self._batcher = batcher
        self._fsm = fsm
        self._sender = sender
        #: Makes the post of an item, from webhook, item, attempt and time.
        self._pack = pack
        self._settings = settings
        self._clock = clock
        self._leading = False
        self._closed = False
        #: The asker that waits for the last save.
        self._closer: ActorAddress | None = None
        self._queues: dict[Qualified, DeliveryQueue] = {}
        #: Queues that have something to deliver, in the order of their turns.
        self._ready: deque[DeliveryQueue] = deque()
        self._attempts: set[DeliveryAttempt | _ByHand] = set()
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
        leads = msg.leads
        if leads and not self._leading:
            self._saving = None
            self.send(self._fsm, ListWebhooks(ANYWHERE))
        if not leads:
            self._queues.clear()
            self._ready.clear()
        self._leading = leads

    def receiveMsg_WebhooksListed(self, msg: WebhooksListed, sender: ActorAddress) -> None:
        for webhook in msg.webhooks:
            self._know(webhook)
        self._deliver()

    def _know(self, webhook: Webhook) -> None:
        known = self._queues.get(webhook.id)
        # What does not change how it works is our own news of how far it has come.
        if self._leading and (known is None or known.webhook.epoch < webhook.epoch):
            queue = self._queues[webhook.id] = DeliveryQueue(webhook)
            self._read_on(queue)

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
                self._queues.pop(webhook_id, None)
            else:
                self._know(webhook)
        if record is None or not record.events or not self._queues:
            return
        events = numbered(record)
        for queue in self._queues.values():
            if queue.live:
                queue.offer(events)
                self._go_on(queue)
        self._deliver()

    def _read_on(self, queue: DeliveryQueue) -> None:
        if queue.needs_log:
            queue.asking = True
            self.send(self._fsm, ReadEvents(queue.next_seq - 1, _READ_EVENTS, tag=queue, reach=ANYWHERE))

    def receiveMsg_EventsFound(self, msg: EventsFound, sender: ActorAddress) -> None:
        queue: DeliveryQueue = msg.tag
        queue.asking = False
        if not self._is_current(queue):
            return
        if queue.next_seq < msg.first_seq:
            queue.note_gap(msg.first_seq)
        queue.live = True
        queue.offer(msg.events)
        # Full, or more has happened than was read: the rest is still in the log.
        if queue.next_seq <= max(self._last_seq, msg.last_seq):
            queue.live = False
        self._go_on(queue)
        self._deliver()

    def _is_current(self, queue: DeliveryQueue) -> bool:
        return self._queues.get(queue.webhook.id) is queue

    def _go_on(self, queue: DeliveryQueue) -> None:
        """Something about the queue has changed."""
        if queue.is_ready and queue not in self._ready:
            self._ready.append(queue)
        self._read_on(queue)
        if queue.is_dirty:
            passed = queue.settled_seq - queue.saved_seq
            urgent = bool(queue.recent) or queue.given_up is not None or passed > self._settings.passing_max
            self._save_soon(urgent=urgent)

    # Delivering

    def _deliver(self) -> None:
        while self._ready and len(self._attempts) < self._settings.in_flight_max and not self._closed:
            queue = self._ready.popleft()
            if self._is_current(queue) and queue.is_ready:
                self._post(queue, DeliveryAttempt(queue, queue.waiting[0], attempt=1))

    def _post(self, queue: DeliveryQueue, attempt: DeliveryAttempt) -> None:
        queue.attempt = attempt
        self._attempts.add(attempt)
        post = self._pack(queue.webhook, attempt.item, attempt.attempt, self._clock.now_ns())
        self._sender.post(post, self.myAddress, attempt)

    def receiveMsg_Posted(self, msg: Posted, sender: ActorAddress) -> None:
        self._attempts.discard(msg.tag)
        if isinstance(msg.tag, _ByHand):
            self.send(msg.tag.asker, msg.receipt)
            self._deliver()
            return
        attempt: DeliveryAttempt = msg.tag
        queue = attempt.queue
        # A queue from before a change, a restart or another leader's time is no longer current.
        if self._is_current(queue):
            if msg.receipt.error is None or attempt.attempt >= queue.webhook.retry_limit:
                self._settle(queue, attempt, msg)
            else:
                queue.resting = True
                queue.attempt = None
                rest_ms = min(_REST_MS * attempt.attempt**2, _REST_MS_MAX)
                self.wakeupAfter(timedelta(milliseconds=rest_ms), _RestOver(attempt))
        self._deliver()

    def _settle(self, queue: DeliveryQueue, attempt: DeliveryAttempt, msg: Posted) -> None:
        now_ns = self._clock.now_ns()
        queue.attempt = None
        queue.settle(attempt, msg.receipt, now_ns)
        if msg.receipt.error is None:
            self._delivered_total += 1
        else:
            self._failed_total += 1
            self._consider_giving_up(queue, msg.receipt.error, now_ns)
        self._go_on(queue)

    def _consider_giving_up(self, queue: DeliveryQueue, error: str, now_ns: int) -> None:
        assert queue.failing_since_ns is not None
        limit_ns = self._settings.disable_after_ns
        long_enough = limit_ns and now_ns - queue.failing_since_ns >= limit_ns
        if long_enough and queue.failed_in_a_row >= self._settings.disable_after_events:
            queue.given_up = f"nothing could be delivered for {_spell(limit_ns)}; the last error was: {error}"
            log.warning("webhook.disabled", webhook_id=queue.webhook.id, reason=queue.given_up)

    def _rest_over(self, attempt: DeliveryAttempt) -> None:
        queue = attempt.queue
        if not self._is_current(queue):
            return
        queue.resting = False
        if self._closed:
            return
        if len(self._attempts) < self._settings.in_flight_max:
            self._post(queue, DeliveryAttempt(queue, attempt.item, attempt.attempt + 1))
        else:
            # No room now. It stays at its attempt and tries for a place a little later.
            queue.resting = True
            self.wakeupAfter(timedelta(milliseconds=_REST_MS), _RestOver(attempt))

    # By hand

    def receiveMsg_SendNow(self, msg: SendNow, sender: ActorAddress) -> None:
        if len(self._attempts) >= self._settings.in_flight_max or self._closed:
            self.send(sender, Overloaded("too many deliveries are under way", retry_after_ms=1_000))
            return
        attempt = _ByHand(sender)
        self._attempts.add(attempt)
        post = self._pack(msg.webhook, msg.item, 1, self._clock.now_ns())
        self._sender.post(post, self.myAddress, attempt)

    # Saving

    def _save_soon(self, *, urgent: bool) -> None:
        if urgent not in self._armed:
            self._armed.add(urgent)
            after = self._settings.save_after if urgent else self._settings.save_passing_after
            self.wakeupAfter(after, _Save(urgent))

    def _save(self) -> None:
        if self._saving is not None or not self._leading:
            return
        news = [queue.take_news() for queue in self._queues.values() if queue.is_dirty]
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
            queue = self._queues.get(each.webhook_id)
            if queue is not None and queue.webhook.epoch == each.epoch:
                queue.take_back(each)
        self._save_soon(urgent=True)

    # The rest

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if isinstance(msg.payload, _RestOver):
            self._rest_over(msg.payload.attempt)
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
        status = WebhooksStatus(
            webhooks=len(self._queues),
            in_flight=len(self._attempts),
            waiting=sum(len(queue.waiting) for queue in self._queues.values()),
            delivered_total=self._delivered_total,
            failed_total=self._failed_total,
        )
        self.send(sender, status)


def _spell(period_ns: int) -> str:
    seconds = period_ns / NS_PER_S
    return f"{seconds / 3_600:g} h" if seconds >= 3_600 else f"{seconds:g} s"
