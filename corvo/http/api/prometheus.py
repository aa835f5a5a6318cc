"""Prometheus metrics of a node, rendered by prometheus-client.

Names are part of what operators build on. A help text says what the number counts and in which unit;
docs/reference/metrics.md is printed from what a node answers.
"""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from corvo.actors.state.questions import QueueInfo
from corvo.consensus.api import Role
from corvo.core.namespace import name_of, namespace_of
from corvo.core.states import LABELS
from corvo.http.api.stats import NodeStats
from corvo.http.serve.counters import DURATION_BOUNDS_S, EdgeCounters
from corvo.http.serve.open_streams import PIPELINED_MAX, STREAMS_MAX, OpenStreams
from corvo.observe import process
from corvo.observe.histogram import BOUNDS_S, Histogram
from corvo.observe.process import GcWatch

_ROLE_NUMBERS = {Role.FOLLOWER: 0, Role.CANDIDATE: 1, Role.LEADER: 2, Role.STOPPED: 3}
#: What a leader does as time passes, and what is counted of it.
_UPKEEP = {
    "promote": "Scheduled and retrying jobs that became due while this node led.",
    "reclaim": "Leases that ran out while this node led, each of an active job.",
    "expire": "Jobs that became dead because their time to expire passed while this node led.",
    "purge": "Ended jobs that were deleted because their retention passed while this node led.",
    "cron": "Jobs that schedules enqueued while this node led.",
}


def collect(figures: NodeStats, edge: EdgeCounters, streams: OpenStreams, gc_watch: GcWatch) -> list[Metric]:
    """All but those of each queue."""
    return [
        *_jobs(figures),
        *_events(figures),
        *_raft(figures),
        *_write_path(figures),
        *_cluster(figures),
        *_upkeep(figures),
        *_actors(figures),
        *_process(gc_watch),
        *_http(edge),
        *_worker_streams(streams),
    ]


def render(collected: list[Metric], queues: list[QueueInfo]) -> bytes:
    """As text. There may be many queues, so this may take long; it touches nothing that changes."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected([*_queues(queues), *collected]))
    return generate_latest(registry)


class _Collected(Collector):
    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self._metrics


def _gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help_text, value=value)


def _counter(name: str, help_text: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(name, help_text, value=value)


def _jobs(figures: NodeStats) -> Iterator[Metric]:
    throughput = figures.of.throughput
    yield _counter("corvo_throughput_enqueued", "Jobs enqueued since the node started.", throughput.enqueued)
    yield _counter(
        "corvo_throughput_completed", "Jobs completed since the node started.", throughput.completed
    )
    yield _counter(
        "corvo_throughput_failed",
        "Attempts that workers reported as failed since the node started.",
        throughput.failed,
    )
    yield _gauge("corvo_workers_registered", "Workers that called within the last day.", len(figures.workers))
    yield _gauge(
        "corvo_workers_active", "Workers that called within the last five minutes.", figures.workers_active
    )
    yield _gauge(
        "corvo_fetch_waiting",
        "Fetches that wait on this node because there is no job for them.",
        figures.of.fetch_desk.waiting,
    )


def _queues(queues: list[QueueInfo]) -> Iterator[Metric]:
    yield _gauge("corvo_queues", "Queues that exist, empty ones included.", len(queues))
    by_queue = GaugeMetricFamily(
        "corvo_queue_jobs",
        "Jobs of each queue that are in each state now.",
        labels=["namespace", "queue", "state"],
    )
    by_state = GaugeMetricFamily(
        "corvo_jobs", "Jobs of all queues that are in each state now.", labels=["state"]
    )
    sums = [0] * len(LABELS)
    for info in queues:
        place = [namespace_of(info.queue.name), name_of(info.queue.name)]
        for number, label in enumerate(LABELS):
            by_queue.add_metric([*place, label], info.queue.counts[number])
            sums[number] += info.queue.counts[number]
    for number, label in enumerate(LABELS):
        by_state.add_metric([label], sums[number])
    yield by_queue
    yield by_state


def _events(figures: NodeStats) -> Iterator[Metric]:
    hub, webhooks = figures.of.event_hub, figures.of.webhooks
    yield _gauge("corvo_event_streams_open", "Event streams that clients read from this node.", hub.listening)
    yield _counter(
        "corvo_event_streams_dropped",
        "Event streams that this node ended because the client read too slowly.",
        hub.dropped_total,
    )
    yield _gauge(
        "corvo_webhook_deliveries_open", "Webhook deliveries that are under way now.", webhooks.in_flight
    )
    yield _counter(
        "corvo_webhook_deliveries",
        "Events that this node delivered to a webhook, one per webhook that got it.",
        webhooks.delivered_total,
    )
    yield _counter(
        "corvo_webhook_failures",
        "Events that a webhook did not get because all attempts to deliver them failed.",
        webhooks.failed_total,
    )


def _worker_streams(streams: OpenStreams) -> Iterator[Metric]:
    yield _gauge("corvo_lifecycle_streams_open", "Worker streams that are open on this node.", streams.count)
    yield _gauge(
        "corvo_lifecycle_streams_max", "Worker streams that may be open on this node at once.", STREAMS_MAX
    )
    yield _gauge(
        "corvo_lifecycle_frames_inflight",
        "Lines of worker streams that were read and are not answered yet.",
        streams.lines_under_way,
    )
    yield _gauge(
        "corvo_lifecycle_frames_max_inflight",
        "Lines of worker streams that may be unanswered at once, over all streams.",
        STREAMS_MAX * PIPELINED_MAX,
    )
    yield _counter(
        "corvo_lifecycle_streams", "Worker streams opened since the node started.", streams.streams_total
    )
    yield _counter(
        "corvo_lifecycle_frames",
        "Lines of worker streams read since the node started.",
        streams.lines_total,
    )
    yield _counter(
        "corvo_lifecycle_overload",
        "Lines of worker streams refused with the code OVERLOADED.",
        streams.overload_total,
    )
    yield _counter(
        "corvo_lifecycle_idle_fetch",
        "Lines of worker streams that asked for jobs and got none.",
        streams.idle_fetch_total,
    )


def _raft(figures: NodeStats) -> Iterator[Metric]:
    status, fsm = figures.of.proposer.consensus, figures.of.fsm
    yield _gauge(
        "corvo_cluster_is_leader", "1 if this node leads its cluster, else 0.", status.role is Role.LEADER
    )
    yield _gauge(
        "corvo_raft_state",
        "Role of this node as a number: 0 follower, 1 candidate, 2 leader, 3 stopped.",
        _ROLE_NUMBERS[status.role],
    )
    yield _gauge("corvo_raft_applied_index", "Index of the last log entry that this node applied.", fsm.index)
    yield _gauge(
        "corvo_raft_commit_index",
        "Index of the last log entry that this node knows to be committed.",
        status.commit_index,
    )
    yield _gauge(
        "corvo_raft_snapshot_latest_index",
        "Index up to which the journal of this node was cut off last.",
        status.log_first_index,
    )
    yield _gauge("corvo_raft_journal_bytes", "Bytes of log entries in this node's journal.", status.log_bytes)
    yield _counter(
        "corvo_raft_applied", "Log entries that this node applied since it started.", fsm.applied_total
    )
    yield _histogram("corvo_raft_apply_time_seconds", "Seconds it took to apply a log entry.", fsm.apply_time)
    yield _histogram(
        "corvo_raft_sync_time_seconds",
        "Seconds the disk took to make log entries durable.",
        status.sync_time,
    )


def _write_path(figures: NodeStats) -> Iterator[Metric]:
    batcher = figures.of.batcher
    yield _gauge(
        "corvo_raft_apply_pending",
        "Ops that this node accepted and that are not applied yet.",
        batcher.pending,
    )
    yield _gauge(
        "corvo_raft_apply_max_pending",
        "Ops that may be accepted and not yet applied before writes are refused.",
        batcher.pending_max,
    )
    yield _counter(
        "corvo_raft_apply_overload",
        "Writes refused because too many ops were pending.",
        batcher.overload_total,
    )
    yield _counter(
        "corvo_raft_fetch_overload",
        "Fetches refused for overload: always 0, because fetches wait instead.",
        0,
    )
    yield _histogram(
        "corvo_raft_queue_time_seconds",
        "Seconds the oldest op of a batch waited until the batch became a log entry.",
        batcher.queue_time,
    )
    yield _gauge(
        "corvo_sqlite_mirror_lag_updates",
        "Log entries that are applied and not in the mirror yet.",
        figures.of.fsm.index - figures.of.mirror_writer.index,
    )
    yield _counter(
        "corvo_sqlite_mirror_dropped",
        "Updates of the mirror that were dropped: always 0, because the mirror catches up instead.",
        0,
    )


def _cluster(figures: NodeStats) -> Iterator[Metric]:
    status, forwarder = figures.of.proposer.consensus, figures.of.forwarder
    voters = sum(member.is_voter for member in status.members.values())
    yield _gauge("corvo_cluster_members", "Nodes that are members of the cluster.", len(status.members))
    yield _gauge("corvo_cluster_voters", "Members of the cluster that have a vote.", voters)
    yield _gauge(
        "corvo_cluster_has_quorum",
        "1 if this node is connected to a majority of the voters, else 0.",
        status.has_quorum,
    )
    yield _gauge(
        "corvo_raft_term", "Term of this node: a number that grows with every election.", status.term
    )
    yield _gauge(
        "corvo_writes_waiting_for_leader",
        "Writes that this node keeps until a leader is known.",
        forwarder.waiting,
    )
    yield _counter(
        "corvo_writes_relayed", "Writes that this node passed on to the leader.", forwarder.relayed_total
    )
    yield _counter(
        "corvo_writes_served", "Writes that other nodes passed on to this node.", forwarder.served_total
    )
    yield _counter(
        "corvo_state_differences",
        "Times that the state of this node and of another one differed at the same log entry.",
        figures.of.replica_check.mismatches_total,
    )


def _upkeep(figures: NodeStats) -> Iterator[Metric]:
    tasks = figures.of.scheduler.tasks | {"cron": figures.of.schedule_firer.cron}
    for name, help_text in _UPKEEP.items():
        task = tasks[name]
        yield _counter(f"corvo_scheduler_{name}", help_text, task.done_total)
        yield _counter(
            f"corvo_scheduler_{name}_errors",
            f"Rounds of {name} that failed and are tried again.",
            task.errors_total,
        )
        yield _gauge(
            f"corvo_scheduler_last_{name}_seconds",
            f"Unix time in seconds of the last round of {name} on this node; 0 if there was none.",
            task.last_ns / 1e9,
        )


def _actors(figures: NodeStats) -> Iterator[Metric]:
    stats = figures.actors
    yield _counter("corvo_actor_messages", "Messages delivered to actors of this node.", stats.delivered)
    yield _counter("corvo_actor_dead_letters", "Messages sent to actors that had ended.", stats.dead_letters)
    yield _counter("corvo_actor_refused", "Messages refused because a mailbox was full.", stats.refused)
    yield _counter("corvo_actor_crashes", "Crashes of actors.", stats.crashes)
    yield _counter("corvo_actor_restarts", "Restarts of actors after a crash.", stats.restarts)
    depth = GaugeMetricFamily(
        "corvo_actor_mailbox_depth", "Messages that wait in the mailbox of each actor.", labels=["actor"]
    )
    for name, actor in stats.actors.items():
        depth.add_metric([name], actor.waiting)
    yield depth


def _process(gc_watch: GcWatch) -> Iterator[Metric]:
    yield _gauge("corvo_process_tasks", "Tasks on the event loop of the node.", process.task_count())
    yield _gauge(
        "corvo_process_heap_inuse_bytes",
        "Bytes of memory that the process of the node has resident.",
        process.resident_bytes(),
    )
    yield _gauge(
        "corvo_process_stack_inuse_bytes", "Bytes of stack: always 0, Python does not count them.", 0
    )
    yield _gauge(
        "corvo_process_gc_pause_ns",
        "Nanoseconds that the last pause of the garbage collector took.",
        gc_watch.last_ns,
    )
    yield _counter(
        "corvo_metrics_errors",
        "Failures to gather metrics: always 0, because a failure is answered with an error instead.",
        0,
    )


def _http(edge: EdgeCounters) -> Iterator[Metric]:
    labels = ["method", "route"]
    requests = CounterMetricFamily(
        "corvo_http_requests", "Requests answered by each route, whatever the status.", labels=labels
    )
    errors = CounterMetricFamily(
        "corvo_http_request_errors", "Requests answered with a status of 400 or above.", labels=labels
    )
    throttled = CounterMetricFamily(
        "corvo_rate_limit_throttled", "Requests answered with the code RATE_LIMITED.", labels=labels
    )
    times = HistogramMetricFamily(
        "corvo_http_request_duration_seconds",
        "Seconds from the arrival of a request to its answer, waiting for jobs included.",
        labels=labels,
    )
    for route, counters in edge.by_route.items():
        method, path = route.method, route.path
        requests.add_metric([method, path], counters.requests)
        errors.add_metric([method, path], counters.errors)
        if counters.throttled:
            throttled.add_metric([method, path], counters.throttled)
        times.add_metric(
            [method, path], _cumulative(DURATION_BOUNDS_S, counters.buckets), counters.duration_ns / 1e9
        )
    yield requests
    yield errors
    yield throttled
    yield times
    yield _counter(
        "corvo_http_overload",
        "Requests refused because more jobs came in than the node could take.",
        edge.overloads,
    )
    yield _gauge("corvo_http_requests_in_flight", "Requests that are being answered now.", edge.in_flight)


def _histogram(name: str, help_text: str, histogram: Histogram) -> HistogramMetricFamily:
    buckets = _cumulative(BOUNDS_S, histogram.buckets)
    return HistogramMetricFamily(name, help_text, buckets=buckets, sum_value=histogram.sum_ns / 1e9)


def _cumulative(bounds: tuple[float, ...], counts: list[int]) -> list[tuple[str, float]]:
    total = 0
    buckets = []
    for bound, count in zip((*map(str, bounds), "+Inf"), counts, strict=True):
        total += count
        buckets.append((bound, float(total)))
    return buckets
