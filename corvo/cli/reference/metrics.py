"""docs/reference/metrics.md, printed from what a real node answers at /metrics.

The node runs in this process and is thrown away afterwards. It is asked for enough that every metric with
labels has a sample: a metric without one does not tell its labels.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

import msgspec
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from corvo.cli.reference.markdown import MADE, escape, marked, table
from corvo.http.api.routes.operate.metrics import RuntimeBody
from corvo.testing import LocalServer

_ABOUT = """\
# Metrics

{made}

`GET /metrics` answers in the text format of Prometheus; `GET /api/v1/metrics` answers the same. Each node
answers for itself, so ask all of them:

```yaml
scrape_configs:
  - job_name: corvo
    static_configs:
      - targets: ["node-1:8080", "node-2:8080", "node-3:8080"]
```

- Counters count from the start of the node. They end in `_total`.
- Jobs, queues and workers are read from the node's own copy of the state, and throughput is counted as
  entries are applied. Every node of a cluster has all of it, so take the `max` over nodes, not the `sum`.
- What a leader does (`corvo_scheduler_*`, webhook deliveries) is counted by the node that led at that
  moment: take the `sum`.
- The label `route` is the path as [the API](errors.md#by-route) writes it, such as
  `/api/v1/jobs/{{job_id}}`.
- A histogram has `_bucket` with the label `le`, `_sum` and `_count`.

## What to watch

{watch}
"""

_RUNTIME = """\
## The process as JSON

`GET /api/v1/debug/runtime` answers a few figures about the process for tools that compare runs, such as
`corvo bench`. Old names stay for tools that are not part of Corvo; use the new ones.

{members}
"""

#: For alerts and boards: what it means if there is an answer.
_WATCH: Final = {
    'up{job="corvo"} == 0': "A node does not answer.",
    "sum(corvo_cluster_is_leader) != 1": "There is no leader. An election takes about a second.",
    "corvo_cluster_has_quorum == 0": "A node is cut off from the majority, and refuses writes.",
    'max by (namespace, queue) (corvo_queue_jobs{state="dead"}) > 0': "Jobs have failed for good.",
    'max by (namespace, queue) (deriv(corvo_queue_jobs{state="pending"}[10m])) > 0': "A queue grows.",
    "rate(corvo_raft_apply_overload_total[5m]) > 0": "Writes are refused because the node cannot keep up.",
    "histogram_quantile(0.99, rate(corvo_raft_sync_time_seconds_bucket[5m])) > 0.05": "The disk is slow.",
    "min_over_time(corvo_sqlite_mirror_lag_updates[1m]) > 0": "Searches are behind for a minute or longer.",
    "sum by (route) (rate(corvo_http_request_errors_total[5m])) > 0": "Requests are refused or fail.",
    "increase(corvo_seal_keys_missing_total[5m]) > 0": "Jobs wait for a seal key that a node lacks.",
    "increase(corvo_values_damaged_total[1h]) > 0": "Somebody has changed sealed values on disk.",
    "increase(corvo_state_differences_total[1h]) > 0": "The states of two nodes differ. See the log at once.",
}

#: Headings by the beginning of the name, in the order of the page.
_SUBJECTS: Final = {
    "Jobs, queues and workers": (
        "corvo_throughput",
        "corvo_queue",
        "corvo_jobs",
        "corvo_workers",
        "corvo_fetch",
    ),
    "HTTP": ("corvo_http", "corvo_rate_limit"),
    "Worker streams": ("corvo_lifecycle",),
    "Events and webhooks": ("corvo_event", "corvo_webhook"),
    "The cluster": ("corvo_cluster", "corvo_raft_state", "corvo_raft_term", "corvo_writes", "corvo_state"),
    "The log and the mirror": ("corvo_raft", "corvo_sqlite"),
    "What a leader does as time passes": ("corvo_scheduler",),
    "Sealed values": ("corvo_values", "corvo_seal"),
    "Actors": ("corvo_actor",),
    "The process": ("corvo_process", "corvo_metrics"),
}
_UNITS: Final = {"_seconds": "seconds", "_bytes": "bytes", "_ns": "nanoseconds"}


def metrics_page() -> str:
    watch = table(("if", "then"), [(f"`{expression}`", meaning) for expression, meaning in _WATCH.items()])
    parts = [_ABOUT.format(made=MADE, watch=watch)]
    found = sorted(exposed(), key=_place)
    for heading, group in groupby(found, key=subject):
        rows = [_row(metric) for metric in group]
        parts.append(f"## {heading}\n")
        parts.append(table(("metric", "type", "labels", "unit", "what it counts"), rows) + "\n")
    parts.append(_RUNTIME.format(members=table(("member", "what it is"), _members())))
    return "\n".join(parts)


def exposed() -> list[Metric]:
    """What a node says."""
    with LocalServer(rate_limit_enabled=True, rate_limit_write_rps=1, rate_limit_write_burst=1) as server:
        for _ in range(2):  # The second one is too much.
            _post(f"{server.url}/api/v1/enqueue", {"queue": "q"})
        with urllib.request.urlopen(f"{server.url}/metrics") as answer:  # noqa: S310 # Our own server, over HTTP.
            text = answer.read().decode()
    return list(text_string_to_metric_families(text))


def _post(url: str, body: dict[str, Any]) -> None:
    request = urllib.request.Request(url, json.dumps(body).encode())  # noqa: S310 # Our own server, over HTTP.
    try:
        urllib.request.urlopen(request).close()  # noqa: S310 # Our own server, over HTTP.
    except urllib.error.HTTPError as refusal:
        refusal.close()


def subject(metric: Metric) -> str:
    for heading, beginnings in _SUBJECTS.items():
        if metric.name.startswith(beginnings):
            return heading
    raise AssertionError(f"{metric.name} has no subject")


def _place(metric: Metric) -> int:
    """Subjects in the order of the page; within one the order of the answer stays."""
    return list(_SUBJECTS).index(subject(metric))


def name_of(metric: Metric) -> str:
    """As Prometheus stores it."""
    return f"{metric.name}_total" if metric.type == "counter" else metric.name


def labels_of(metric: Metric) -> list[str]:
    names = {name for sample in metric.samples for name in sample.labels}
    return sorted(names - {"le"})


def unit_of(metric: Metric) -> str:
    return next((unit for suffix, unit in _UNITS.items() if metric.name.endswith(suffix)), "")


def _row(metric: Metric) -> tuple[str, ...]:
    labels = ", ".join(f"`{label}`" for label in labels_of(metric))
    return (
        f"`{name_of(metric)}`",
        metric.type,
        labels,
        unit_of(metric),
        marked(escape(metric.documentation)),
    )


def _members() -> Iterator[tuple[str, str]]:
    _, components = msgspec.json.schema_components([RuntimeBody])
    for name, member in components["RuntimeBody"]["properties"].items():
        yield f"`{name}`", member["description"]
