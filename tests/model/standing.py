"""What stands by itself: schedules that make jobs, and webhooks that are told of them."""

from msgspec.structs import asdict, replace

from corvo.core.errors import Conflict, NotFound, ValidationFailed, WebhookRefused
from corvo.core.events import EventType
from corvo.core.namespace import Reach, covers, namespace_of
from corvo.core.schedule import Overlap, Run, Schedule
from corvo.core.webhook import Webhook
from corvo.ops.enqueue import NewJob
from corvo.ops.results import ScheduleChanged, ScheduleFired, Upkept, WebhookChanged
from tests.model.book import ENDED
from tests.model.recording import Recording


class Scheduling(Recording):
    def SetSchedule(self, op):
        namespace = namespace_of(op.plan.name)
        if namespace_of(op.plan.pattern.queue) != namespace:
            raise ValidationFailed("queue")
        was = None if op.version is None else self._schedule(op)
        if was is not None and namespace_of(was.plan.name) != namespace:
            raise NotFound("schedule")
        if was is not None and was.version != op.version:
            raise Conflict("version")
        self.guarded(namespace)
        if any(
            other.plan.name == op.plan.name and other.id != op.schedule_id
            for other in self.schedules.values()
        ):
            raise Conflict("name")
        if was is None:
            now = Schedule(op.schedule_id, op.plan, self.now, self.now, next_ns=op.next_ns)
        else:
            now = replace(was, plan=op.plan, version=was.version + 1, updated_ns=self.now)
            if (was.plan.timing, was.plan.enabled) != (op.plan.timing, op.plan.enabled):
                if op.next_ns is not None and was.dealt_ns != op.dealt_ns:
                    raise Conflict("fired")
                now = replace(now, next_ns=op.next_ns)
        self.schedules[now.id] = now
        return ScheduleChanged(now)

    def DeleteSchedule(self, op):
        was = self._schedule(op)
        del self.schedules[was.id]
        return ScheduleChanged(was)

    def FireSchedule(self, op):
        was = self.schedules.get(op.schedule_id)
        if was is None or (was.version, was.next_ns) != (op.version, op.due_ns):
            return ScheduleFired(0, 0)
        now = was if op.missed_ns is None else self._ran(was, op.missed_ns, None, "missed")
        for slot_ns in op.slots:
            now = self._run_slot(now, slot_ns)
        dealt_ns = max(op.due_ns, op.missed_ns or 0, *op.slots)
        self.schedules[was.id] = replace(now, next_ns=op.next_ns, dealt_ns=dealt_ns)
        return ScheduleFired(now.fired_total - was.fired_total, now.skipped_total - was.skipped_total)

    def _run_slot(self, schedule, slot_ns):
        job_ids = [schedule.last_job_id, *(run.job_id for run in schedule.runs)]
        if schedule.plan.overlap is Overlap.SKIP and any(map(self._goes_on, job_ids)):
            return self._ran(schedule, slot_ns, None, "overlap")
        born = self._make(schedule, by_client=False)
        if born.job is None:
            return self._ran(schedule, slot_ns, None, "duplicate")
        return self._ran(schedule, slot_ns, born.job_id)

    def RunSchedule(self, op):
        schedule = self._schedule(op)
        born = self._make(schedule, by_client=True)
        if born.job is not None:
            self.schedules[schedule.id] = self._ran(schedule, self.now, born.job_id, "by hand")
        return born

    def _make(self, schedule, *, by_client):
        blank = dict.fromkeys(("scheduled_ns", "checkpoint", "parent_id", "group"))
        new = NewJob(job_id=self.new_id(), **asdict(schedule.plan.pattern), **blank)
        born = self.take_in(new, by_client=by_client)
        if born.job is not None:
            self.emit(EventType.SCHEDULE_FIRED, born.job_id, born.job.queue)
        return born

    def _schedule(self, op):
        found = self.schedules.get(op.schedule_id)
        if found is None or not covers(op.reach, found.plan.pattern.queue):
            raise NotFound("schedule")
        return found

    def _goes_on(self, job_id):
        return job_id in self.jobs and self.jobs[job_id].state not in ENDED

    def _ran(self, schedule, at_ns, job_id, note=None):
        runs = (*schedule.runs, Run(at_ns, job_id, note))
        if len(runs) > 10:
            over = [run for run in runs if not self._goes_on(run.job_id)]
            given_up = over[0] if over else runs[0]
            runs = tuple(run for run in runs if run is not given_up)
        if job_id is None:
            return replace(schedule, runs=runs, skipped_total=schedule.skipped_total + 1)
        total = schedule.fired_total + 1
        return replace(schedule, runs=runs, fired_total=total, last_ns=at_ns, last_job_id=job_id)


class Model(Scheduling):
    """Everything the state machine can be asked to do; a method for each op, with the op's name."""

    def SetWebhook(self, op):
        was = self.webhooks.get(op.webhook_id)
        if (op.reach or Reach()).namespace != namespace_of(op.webhook_id):
            raise WebhookRefused("another namespace")
        self.guarded(namespace_of(op.webhook_id))
        asked = {"url": op.url, "events": op.events, "retry_limit": op.retry_limit, "reach": op.reach}
        if was is None:
            made = {"created_ns": self.now, "epoch": self.index, "cursor": len(self.events)}
            return self._hook(
                Webhook(op.webhook_id, secret=op.secret or None, enabled=op.enabled, **asked, **made)
            )
        secret = was.secret if op.secret is None else op.secret or None
        return self._hook(self._switched(replace(was, secret=secret, **asked), op.enabled))

    def SwitchWebhook(self, op):
        now = self._switched(self._webhook(op), op.enabled)
        return self._hook(now, **({"cursor": len(self.events)} if op.from_now else {}))

    def RewindWebhook(self, op):
        cursor = min(max(0, op.from_seq - 1), len(self.events))
        return self._hook(self._webhook(op), epoch=self.index, cursor=cursor)

    def DeleteWebhook(self, op):
        was = self._webhook(op)
        del self.webhooks[was.id]
        return WebhookChanged(was.id)

    def AdvanceWebhooks(self, op):
        heard = [news for news in op.advances if self._advance(news)]
        return Upkept(len(heard), more=False)

    def _advance(self, news):
        was = self.webhooks.get(news.webhook_id)
        if was is None or was.epoch != news.epoch:
            return False
        self._hook(
            was,
            cursor=min(max(was.cursor, news.cursor), len(self.events)),
            delivered_total=was.delivered_total + news.delivered,
            failed_total=was.failed_total + news.failed,
            recent=(*was.recent, *news.recent)[-20:],
            failing_since_ns=news.failing_since_ns,
            first_failed_seq=news.first_failed_seq,
            failed_in_a_row=news.failed_in_a_row,
            **(
                {"enabled": False, "disabled_reason": news.disable, "epoch": self.index}
                if news.disable
                else {}
            ),
        )
        return True

    def _switched(self, webhook, enabled):
        fresh = {"disabled_reason": None, "failing_since_ns": None, "failed_in_a_row": 0}
        return replace(webhook, enabled=enabled, epoch=self.index, **fresh)

    def _hook(self, webhook, **changes):
        self.webhooks[webhook.id] = replace(webhook, **changes)
        return WebhookChanged(webhook.id)

    def _webhook(self, op):
        if op.webhook_id not in self.webhooks:
            raise NotFound("webhook")
        return self.webhooks[op.webhook_id]
