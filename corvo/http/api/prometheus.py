"""The node's figures as Prometheus metrics (names of SPEC 2.20), rendered by prometheus-client."""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from corvo.core.states import LABELS
from corvo.http.api.stats import Figures
from corvo.http.serve.counters import DURATION_BOUNDS_S, EdgeCounters
from corvo.http.serve.open_streams import PIPELINED_MAX, STREAMS_MAX, Conversations
from corvo.observe import process
from corvo.observe.histogram import BOUNDS_S, Histogram
from corvo.observe.process import GcWatch

_ROLE_NUMBERS = {"follower": 0, "candidate": 1, "leader": 2, "stopped": 3}
_TASKS = ("promote", "reclaim", "expire", "purge", "cron")


def render(figures: Figures, edge: EdgeCounters, streams: Conversations, gc_watch: GcWatch) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Node(figures, edge, streams, gc_watch))
    return generate_latest(registry)


class _Node(Collector):
    def __init__(
        self, figures: Figures, edge: EdgeCounters, streams: Conversations, gc_watch: GcWatch
    ) -> None:
        self._figures = figures
        self._edge = edge
        self._streams = streams
        self._gc = gc_watch

    def collect(self) -> Iterable[Metric]:
        yield from _jobs(self._figures)
        yield from _raft(self._figures)
        yield from _cluster(self._figures)
        yield from _upkeep(self._figures)
        yield from _actors(self._figures)
        yield from _process(self._gc)
        yield from _http(self._edge)
        yield from _worker_streams(self._streams)


def _gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, help_text, value=value)


def _counter(name: str, help_text: str, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(name, help_text, value=value)


def _jobs(figures: Figures) -> Iterator[Metric]:
    for name, total in figures.throughput.items():
        yield _counter(f"corvo_throughput_{name}", f"Jobs {name} since the node started.", total)
    queues = figures.queues.queues
    yield _gauge("corvo_queues_total", "Queues.", len(queues))
    by_queue = GaugeMetricFamily("corvo_queue_jobs", "Jobs by queue and state.", labels=["queue", "state"])
    by_state = GaugeMetricFamily("corvo_jobs", "Jobs by state.", labels=["state"])
    sums = [0] * len(LABELS)
    for info in queues:
        for number, label in enumerate(LABELS):
            by_queue.add_metric([info.queue.name, label], info.queue.counts[number])
            sums[number] += info.queue.counts[number]
    for number, label in enumerate(LABELS):
        by_state.add_metric([label], sums[number])
    yield by_queue
    yield by_state
    yield _gauge("corvo_workers_registered", "Workers seen within a day.", len(figures.workers))
    yield _gauge("corvo_workers_active", "Workers seen within five minutes.", figures.workers_active)
    yield _gauge("corvo_event_streams_open", "Event streams being read.", figures.hub["listening"])
    webhooks = figures.webhooks
    yield _gauge("corvo_webhook_deliveries_open", "Deliveries under way.", webhooks["in_flight"])
    yield _counter("corvo_webhook_deliveries", "Events delivered.", webhooks["delivered_total"])
    yield _counter("corvo_webhook_failures", "Events given up after all attempts.", webhooks["failed_total"])
    yield _counter("corvo_event_streams_dropped", "Streams ended for slowness.", figures.hub["dropped_total"])
    yield _gauge("corvo_fetch_waiting", "Long-polls waiting for a job.", figures.desk["waiting"])


def _worker_streams(streams: Conversations) -> Iterator[Metric]:
    yield _gauge("corvo_lifecycle_streams_open", "Worker streams open.", streams.count)
    yield _gauge("corvo_lifecycle_streams_max", "Worker streams that may be open.", STREAMS_MAX)
    yield _gauge("corvo_lifecycle_frames_inflight", "Lines not yet answered.", streams.lines_under_way)
    yield _gauge("corvo_lifecycle_frames_max_inflight", "Lines that may be.", STREAMS_MAX * PIPELINED_MAX)
    yield _counter("corvo_lifecycle_streams", "Worker streams ever opened.", streams.streams_total)
    yield _counter("corvo_lifecycle_frames", "Lines ever taken.", streams.lines_total)
    yield _counter("corvo_lifecycle_overload", "Lines refused for overload.", streams.overload_total)
    yield _counter("corvo_lifecycle_idle_fetch", "Fetches without a job.", streams.idle_fetch_total)


def _raft(figures: Figures) -> Iterator[Metric]:
    status, fsm, batcher = figures.consensus, figures.fsm, figures.batcher
    yield _gauge("corvo_cluster_is_leader", "Whether this node leads.", status["role"] == "leader")
    yield _gauge(
        "corvo_raft_state", "0 follower, 1 candidate, 2 leader, 3 stopped.", _ROLE_NUMBERS[status["role"]]
    )
    yield _gauge("corvo_raft_applied_index", "Last entry applied.", fsm["index"])
    yield _gauge("corvo_raft_commit_index", "Last entry committed.", status["commit_index"])
    yield _gauge(
        "corvo_raft_snapshot_latest_index", "Where the journal was cut last.", status["log_first_index"]
    )
    yield _gauge("corvo_raft_journal_bytes", "Bytes of journal kept.", status["log_bytes"])
    yield _gauge("corvo_raft_apply_pending", "Ops accepted and not yet applied.", batcher["pending"])
    yield _gauge("corvo_raft_apply_max_pending", "Ops that may be pending.", batcher["pending_max"])
    yield _counter("corvo_raft_apply_overload", "Writes refused for overload.", batcher["overload_total"])
    yield _counter("corvo_raft_fetch_overload", "Fetches refused for overload.", 0)
    yield _counter("corvo_raft_applied", "Entries applied since the node started.", fsm["applied_total"])
    yield _histogram("corvo_raft_queue_time_seconds", "How long a batch gathered.", batcher["queue_time"])
    yield _histogram("corvo_raft_apply_time_seconds", "How long an entry took to apply.", fsm["apply_time"])
    yield _histogram("corvo_raft_sync_time_seconds", "How long a disk sync took.", status["sync_time"])
    yield _gauge(
        "corvo_sqlite_mirror_lag_updates",
        "Entries the mirror is behind.",
        fsm["index"] - figures.mirror["index"],
    )
    yield _counter("corvo_sqlite_mirror_dropped", "Mirror updates dropped: never.", 0)


def _cluster(figures: Figures) -> Iterator[Metric]:
    status, envoy = figures.consensus, figures.envoy
    voters = sum(member["is_voter"] for member in status["members"].values())
    yield _gauge("corvo_cluster_members", "Nodes that belong to the cluster.", len(status["members"]))
    yield _gauge("corvo_cluster_voters", "Of those, how many have a vote.", voters)
    yield _gauge("corvo_cluster_has_quorum", "Whether this node reaches a majority.", status["has_quorum"])
    yield _gauge("corvo_raft_term", "Elections so far, in a way.", status["term"])
    yield _gauge("corvo_writes_waiting_for_leader", "Writes kept until somebody leads.", envoy["waiting"])
    yield _counter("corvo_writes_relayed", "Writes handed to the leader.", envoy["relayed_total"])
    yield _counter("corvo_writes_served", "Writes taken from other nodes.", envoy["served_total"])
    differences = figures.auditor["mismatches_total"]
    yield _counter("corvo_state_differences", "Times states of nodes differed.", differences)


def _upkeep(figures: Figures) -> Iterator[Metric]:
    for name in _TASKS:
        task = figures.scheduler[name]
        yield _counter(f"corvo_scheduler_{name}", f"Jobs touched by {name}.", task["done_total"])
        yield _counter(f"corvo_scheduler_{name}_errors", f"Rounds of {name} refused.", task["errors_total"])
        yield _gauge(f"corvo_scheduler_last_{name}_seconds", f"When {name} ran last.", task["last_ns"] / 1e9)


def _actors(figures: Figures) -> Iterator[Metric]:
    stats = figures.actors
    yield _counter("corvo_actor_messages", "Messages delivered to actors.", stats.delivered)
    yield _counter("corvo_actor_dead_letters", "Messages to actors that were gone.", stats.dead_letters)
    yield _counter("corvo_actor_refused", "Messages refused by full mailboxes.", stats.refused)
    yield _counter("corvo_actor_crashes", "Crashes of actors.", stats.crashes)
    yield _counter("corvo_actor_restarts", "Restarts of actors.", stats.restarts)
    depth = GaugeMetricFamily("corvo_actor_mailbox_depth", "Messages waiting.", labels=["actor"])
    for name, actor in stats.actors.items():
        depth.add_metric([name], actor.waiting)
    yield depth


def _process(gc_watch: GcWatch) -> Iterator[Metric]:
    yield _gauge("corvo_process_goroutines", "Tasks on the event loop.", process.task_count())
    yield _gauge("corvo_process_heap_inuse_bytes", "Resident memory.", process.resident_bytes())
    yield _gauge("corvo_process_stack_inuse_bytes", "Always 0 in Python.", 0)
    yield _gauge("corvo_process_gc_pause_ns", "Last pause of the garbage collector.", gc_watch.last_ns)
    yield _counter("corvo_metrics_errors", "Failures while gathering metrics.", 0)


def _http(edge: EdgeCounters) -> Iterator[Metric]:
    labels = ["method", "route"]
    requests = CounterMetricFamily("corvo_http_requests", "Requests answered.", labels=labels)
    errors = CounterMetricFamily("corvo_http_request_errors", "Answers of 400 and above.", labels=labels)
    throttled = CounterMetricFamily("corvo_rate_limit_throttled", "Answers of RATE_LIMITED.", labels=labels)
    times = HistogramMetricFamily("corvo_http_request_duration_seconds", "Time to answer.", labels=labels)
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
    yield _counter("corvo_http_overload", "Requests refused for lack of room.", edge.overloads)
    yield _gauge("corvo_http_requests_in_flight", "Requests being answered.", edge.in_flight)


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
