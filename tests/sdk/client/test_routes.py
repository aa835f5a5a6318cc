"""Every route of the server can be called from the SDK, and asks for the path it should."""

from urllib.parse import unquote

import pytest

from corvo.http.api.table import routes
from corvo_sdk import Client
from corvo_sdk.errors import CorvoError
from corvo_sdk.models.claim import Ack, Beat
from tests.support.recorder import recording

#: Route -> the call that reaches it. A new route needs a row here, or a place in the list below.
CALLS = {
    "POST /api/v1/enqueue": lambda c: c.enqueue("q"),
    "POST /api/v1/enqueue/batch": lambda c: c.enqueue_many([{"queue": "q"}]),
    "POST /api/v1/batch": lambda c: c.batches.open("q"),
    "POST /api/v1/batch/{batch_id}/seal": lambda c: c.batches.seal("{batch_id}"),
    "GET /api/v1/batches": lambda c: c.batches.page(),
    "GET /api/v1/batch/{batch_id}": lambda c: c.batches.get("{batch_id}"),
    "POST /api/v1/fetch/batch": lambda c: c.protocol.fetch(["q"]),
    "POST /api/v1/ack/batch": lambda c: c.protocol.ack_many([Ack(job_id="j")]),
    "POST /api/v1/ack/{job_id}": lambda c: c.protocol.ack(Ack(job_id="{job_id}")),
    "POST /api/v1/fail/{job_id}": lambda c: c.protocol.fail("{job_id}", "why"),
    "POST /api/v1/release/{job_id}": lambda c: c.protocol.release("{job_id}"),
    "POST /api/v1/heartbeat": lambda c: c.protocol.heartbeat({"j": Beat()}),
    "GET /api/v1/jobs/{job_id}": lambda c: c.jobs.get("{job_id}"),
    "POST /api/v1/jobs/bulk-get": lambda c: c.jobs.get_many(["j"]),
    "GET /api/v1/jobs/{job_id}/explain": lambda c: c.jobs.why("{job_id}"),
    "GET /api/v1/jobs/{job_id}/events": lambda c: c.jobs.history("{job_id}"),
    "GET /api/v1/jobs/{job_id}/errors": lambda c: next(c.jobs.errors("{job_id}")),
    "GET /api/v1/jobs/{job_id}/graph": lambda c: c.jobs.graph("{job_id}"),
    "POST /api/v1/jobs/{job_id}/retry": lambda c: c.jobs.retry("{job_id}"),
    "POST /api/v1/jobs/{job_id}/cancel": lambda c: c.jobs.cancel("{job_id}"),
    "POST /api/v1/jobs/{job_id}/hold": lambda c: c.jobs.hold("{job_id}"),
    "POST /api/v1/jobs/{job_id}/approve": lambda c: c.jobs.approve("{job_id}"),
    "POST /api/v1/jobs/{job_id}/reject": lambda c: c.jobs.reject("{job_id}"),
    "POST /api/v1/jobs/{job_id}/move": lambda c: c.jobs.move("{job_id}", "q"),
    "POST /api/v1/jobs/{job_id}/priority": lambda c: c.jobs.change_priority("{job_id}", "high"),
    "DELETE /api/v1/jobs/{job_id}": lambda c: c.jobs.delete("{job_id}"),
    "POST /api/v1/jobs/search": lambda c: c.jobs.search(),
    "GET /api/v1/dead": lambda c: c.jobs.dead(),
    "GET /api/v1/failures": lambda c: c.jobs.failures(),
    "GET /api/v1/search/fulltext": lambda c: c.jobs.full_text("words"),
    "POST /api/v1/jobs/bulk": lambda c: c.bulk("retry", job_ids=["j"]),
    "GET /api/v1/bulk": lambda c: c.bulk.all(),
    "GET /api/v1/bulk/{task_id}": lambda c: c.bulk.get("{task_id}"),
    "POST /api/v1/bulk/{task_id}/cancel": lambda c: c.bulk.cancel("{task_id}"),
    "GET /api/v1/bulk/{task_id}/progress": lambda c: next(c.bulk.progress("{task_id}")),
    "GET /api/v1/queues": lambda c: c.queues.all(),
    "GET /api/v1/queues/{name}": lambda c: c.queues.get("{name}"),
    "POST /api/v1/queues/{name}/pause": lambda c: c.queues.pause("{name}"),
    "POST /api/v1/queues/{name}/resume": lambda c: c.queues.resume("{name}"),
    "POST /api/v1/queues/{name}/drain": lambda c: c.queues.drain("{name}"),
    "POST /api/v1/queues/{name}/clear": lambda c: c.queues.clear("{name}"),
    "POST /api/v1/queues/{name}/concurrency": lambda c: c.queues.limit("{name}", 1),
    "POST /api/v1/queues/{name}/throttle": lambda c: c.queues.throttle("{name}", 1, "1s"),
    "DELETE /api/v1/queues/{name}/throttle": lambda c: c.queues.unthrottle("{name}"),
    "DELETE /api/v1/queues/{name}": lambda c: c.queues.destroy("{name}"),
    "GET /api/v1/schedules": lambda c: c.schedules.all(),
    "POST /api/v1/schedules": lambda c: c.schedules.create("n", "q", "@daily"),
    "POST /api/v1/schedules/preview": lambda c: c.schedules.preview("@daily"),
    "GET /api/v1/schedules/{schedule_id}": lambda c: c.schedules.get("{schedule_id}"),
    "PUT /api/v1/schedules/{schedule_id}": lambda c: c.schedules.update("{schedule_id}", cron="@daily"),
    "DELETE /api/v1/schedules/{schedule_id}": lambda c: c.schedules.delete("{schedule_id}"),
    "POST /api/v1/schedules/{schedule_id}/enable": lambda c: c.schedules.enable("{schedule_id}"),
    "POST /api/v1/schedules/{schedule_id}/disable": lambda c: c.schedules.disable("{schedule_id}"),
    "POST /api/v1/schedules/{schedule_id}/run": lambda c: c.schedules.run("{schedule_id}"),
    "GET /api/v1/schedules/{schedule_id}/preview": lambda c: c.schedules.next_runs("{schedule_id}"),
    "GET /api/v1/webhooks": lambda c: c.webhooks.all(),
    "POST /api/v1/webhooks": lambda c: c.webhooks.put("http://x"),
    "GET /api/v1/webhooks/{name}": lambda c: c.webhooks.get("{name}"),
    "DELETE /api/v1/webhooks/{name}": lambda c: c.webhooks.delete("{name}"),
    "POST /api/v1/webhooks/{name}/enable": lambda c: c.webhooks.enable("{name}"),
    "POST /api/v1/webhooks/{name}/disable": lambda c: c.webhooks.disable("{name}"),
    "GET /api/v1/webhooks/{name}/deliveries": lambda c: c.webhooks.deliveries("{name}"),
    "POST /api/v1/webhooks/{name}/redeliver": lambda c: c.webhooks.redeliver("{name}", 1),
    "POST /api/v1/webhooks/{name}/test": lambda c: c.webhooks.test("{name}"),
    "GET /api/v1/events": lambda c: next(c.events(after=0)),
    "GET /api/v1/workers": lambda c: c.server.workers(),
    "GET /api/v1/cluster/status": lambda c: c.server.cluster(),
    "GET /api/v1/cluster/events": lambda c: c.server.events(),
    "GET /api/v1/audit-logs": lambda c: c.audit.page(),
    "GET /api/v1/audit-logs/export": lambda c: next(c.audit.export()),
    "POST /api/v1/cluster/join": lambda c: c.server.join_cluster("n2", "h:9400"),
    "POST /api/v1/cluster/remove": lambda c: c.server.remove_from_cluster("n2"),
    "POST /api/v1/cluster/leave": lambda c: c.server.leave_cluster(),
    "POST /api/v1/cluster/forget-key": lambda c: c.server.forget_key("n2"),
    "POST /api/v1/cluster/transfer": lambda c: c.server.transfer_lead("n2"),
    "GET /api/v1/metrics": lambda c: c.server.metrics(),
    "GET /api/v1/metrics/throughput/queues": lambda c: c.server.queue_throughput(),
    "GET /api/v1/metrics/throughput": lambda c: c.server.throughput(),
    "GET /api/v1/debug/runtime": lambda c: c.server.runtime(),
    "POST /api/v1/admin/check": lambda c: c.server.check(),
    "POST /api/v1/admin/rebuild-sqlite": lambda c: c.server.rebuild_search(),
    "GET /api/v1/auth/status": lambda c: c.server.needs_key(),
    "GET /api/v1/auth/whoami": lambda c: c.whoami(),
    "GET /api/v1/auth/keys": lambda c: c.keys.all(),
    "POST /api/v1/auth/keys": lambda c: c.keys.create("k"),
    "POST /api/v1/auth/keys/{key}/rotate": lambda c: c.keys.rotate("{key}"),
    "DELETE /api/v1/auth/keys/{key}": lambda c: c.keys.delete("{key}"),
    "GET /api/v1/auth/keys/{key}/roles": lambda c: c.keys.roles("{key}"),
    "POST /api/v1/auth/keys/{key}/roles": lambda c: c.keys.grant("{key}", "r"),
    "DELETE /api/v1/auth/keys/{key}/roles/{role}": lambda c: c.keys.revoke("{key}", "{role}"),
    "GET /api/v1/namespaces": lambda c: c.namespaces.all(),
    "POST /api/v1/namespaces": lambda c: c.namespaces.create("acme", max_jobs=1),
    "GET /api/v1/namespaces/{namespace}": lambda c: c.namespaces.get("{namespace}"),
    "PUT /api/v1/namespaces/{namespace}/quotas": lambda c: c.namespaces.set_quotas("{namespace}", max_jobs=1),
    "GET /api/v1/namespaces/{namespace}/rate-limit": lambda c: c.namespaces.rates("{namespace}"),
    "PUT /api/v1/namespaces/{namespace}/rate-limit": lambda c: c.namespaces.set_rates(
        "{namespace}", read_rps=1
    ),
    "DELETE /api/v1/namespaces/{namespace}": lambda c: c.namespaces.delete("{namespace}", force=True),
    "GET /api/v1/auth/roles": lambda c: c.roles.all(),
    "POST /api/v1/auth/roles": lambda c: c.roles.set("r", {"queues": ["read"]}),
    "DELETE /api/v1/auth/roles/{role}": lambda c: c.roles.delete("{role}"),
    "GET /api/v1/info": lambda c: c.server.info(),
    "GET /healthz": lambda c: c.server.health(),
}

#: Not for programs that use the SDK.
NOT_CALLED = {
    "POST /api/v1/fetch",  # The batch form does the same for one.
    "POST /api/v1/webhooks/{name}",  # For those who cannot have an SDK.
    "POST /api/v1/stream",  # Not a call but a conversation: see Worker.
    "POST /corvo.v1.WorkerService/StreamLifecycle",  # For older clients of another make.
    "DELETE /api/v1/auth/keys",  # The same by its path.
    "POST /api/v1/auth/login",  # Programs show a key with each request; sessions are for browsers.
    "POST /api/v1/auth/logout",
    "GET /api/v1/auth/oidc/start",
    "GET /api/v1/auth/oidc/callback",
    "GET /api/v1/auth/sessions",
    "DELETE /api/v1/auth/sessions/{session_id}",
    "GET /api/v1/settings/sso",  # Set up once, by the page of the UI.
    "POST /api/v1/settings/sso",
    "GET /metrics",  # For Prometheus; it answers what /api/v1/metrics does.
    "GET /openapi.json",
    "GET /docs",
}


def served():
    return {f"{route.method} {route.path}" for route in routes()}


def test_every_route_can_be_called():
    missing = served() - CALLS.keys() - NOT_CALLED
    assert not missing, f"the SDK cannot call {sorted(missing)}: see sdk/python/corvo_sdk/aio"


@pytest.fixture(scope="module")
def recorder():
    with recording() as recorder:
        yield recorder


def asked(recorder, call, **options):
    """The request that a call makes."""
    with Client(recorder.url, **options) as client, pytest.raises(CorvoError):
        call(client)
    return recorder.requests[-1]


@pytest.mark.parametrize("target", sorted(CALLS))
def test_the_call_asks_for_its_route_with_key_and_name(recorder, target):
    options = {"api_key": "sk_1", "namespace": "team", "headers": {"x-mine": "1"}}
    request = asked(recorder, CALLS[target], **options)
    assert f"{request.command} {unquote(request.path.split('?')[0])}" == target
    assert request.headers["x-api-key"] == "sk_1"
    assert request.headers["x-corvo-namespace"] == "team"
    assert request.headers["x-mine"] == "1"
    assert request.headers["host"] == f"127.0.0.1:{recorder.server_port}"


def test_every_write_carries_a_key_and_no_two_the_same(recorder):
    keys = []
    fenced = (
        "/ack",
        "/fail",
        "/release",
        "/heartbeat",
        "/fetch",
        "/search",
        "/bulk-get",
        "/preview",
        "/admin",
        "/cluster",  # Changes of the members may be repeated as they are.
    )
    for target, call in CALLS.items():
        key = asked(recorder, call).headers.get("idempotency-key")
        reads = target.startswith("GET") or any(part in target for part in fenced)
        assert (key is None) is reads, target
        keys += [] if key is None else [key]
    assert len(keys) == len(set(keys)) > 20
