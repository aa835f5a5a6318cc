"""Every route says what it needs and is explained, and the command line and the UI can call it, or it is
written down here why not. What the SDK calls: tests/sdk/client/test_routes.py."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from corvo.cli.main import main
from corvo.core.access.permissions import PERMISSIONS
from corvo.http.api.openapi import document
from corvo.http.api.table import routes
from corvo.http.serve.route import PUBLIC
from tests.support.recorder import recording

ROOT = Path(__file__).parents[2]
EVERY = {f"{route.method} {route.path}": route for route in routes()}

#: Routes that need no permission, and why.
FOR_ALL = {
    "GET /healthz": "load balancers ask it; it says nothing of jobs",
    "GET /api/v1/auth/status": "a client must know whether it needs a key before it has one",
    "POST /api/v1/auth/login": "it is how a person gets in",
    "POST /api/v1/auth/logout": "whoever has no session has nothing to end",
    "GET /api/v1/auth/oidc/start": "it is how a person gets in",
    "GET /api/v1/auth/oidc/callback": "it is how a person gets in",
    "GET /openapi.json": "the same for every node of a version",
    "GET /docs": "the same for every node of a version",
}

#: Route -> a command that calls it; a name in braces is passed as it is.
COMMANDS = {
    "POST /api/v1/enqueue": "enqueue q",
    "POST /api/v1/enqueue/batch": "enqueue q --file -",
    "GET /api/v1/batches": "batches",
    "POST /api/v1/batch": "batches open",
    "GET /api/v1/batch/{batch_id}": "batches show {batch_id}",
    "POST /api/v1/batch/{batch_id}/seal": "batches seal {batch_id}",
    "GET /api/v1/jobs/{job_id}": "inspect {job_id}",
    "GET /api/v1/jobs/{job_id}/explain": "why {job_id}",
    "GET /api/v1/jobs/{job_id}/events": "history {job_id}",
    "GET /api/v1/jobs/{job_id}/graph": "graph {job_id}",
    "POST /api/v1/jobs/{job_id}/retry": "retry {job_id}",
    "POST /api/v1/jobs/{job_id}/cancel": "cancel {job_id}",
    "POST /api/v1/jobs/{job_id}/hold": "hold {job_id}",
    "POST /api/v1/jobs/{job_id}/approve": "approve {job_id}",
    "POST /api/v1/jobs/{job_id}/reject": "reject {job_id}",
    "POST /api/v1/jobs/{job_id}/move": "move {job_id} q",
    "POST /api/v1/jobs/{job_id}/priority": "priority high {job_id}",
    "DELETE /api/v1/jobs/{job_id}": "delete {job_id} --yes",
    "POST /api/v1/jobs/search": "search state:dead",
    "GET /api/v1/failures": "failures",
    "POST /api/v1/jobs/bulk": "bulk retry --query state:dead --dry-run",
    "GET /api/v1/bulk": "bulk list",
    "GET /api/v1/bulk/{task_id}": "bulk show {task_id}",
    "POST /api/v1/bulk/{task_id}/cancel": "bulk stop {task_id}",
    "GET /api/v1/queues": "queues",
    "GET /api/v1/queues/{name}": "queues show {name}",
    "POST /api/v1/queues/{name}/pause": "pause {name}",
    "POST /api/v1/queues/{name}/resume": "resume {name}",
    "POST /api/v1/queues/{name}/drain": "drain {name}",
    "POST /api/v1/queues/{name}/clear": "clear {name} --yes",
    "POST /api/v1/queues/{name}/concurrency": "limit {name} 3",
    "POST /api/v1/queues/{name}/throttle": "throttle {name} 3",
    "DELETE /api/v1/queues/{name}/throttle": "throttle {name} 0",
    "DELETE /api/v1/queues/{name}": "destroy {name} --yes",
    "GET /api/v1/schedules": "schedules",
    "POST /api/v1/schedules": "schedules create n q @daily",
    "POST /api/v1/schedules/preview": "schedules next @daily",
    "GET /api/v1/schedules/{schedule_id}": "schedules show {schedule_id}",
    "PUT /api/v1/schedules/{schedule_id}": "schedules update {schedule_id} --cron @daily",
    "DELETE /api/v1/schedules/{schedule_id}": "schedules delete {schedule_id} --yes",
    "POST /api/v1/schedules/{schedule_id}/run": "schedules run {schedule_id}",
    "GET /api/v1/schedules/{schedule_id}/preview": "schedules next {schedule_id}",
    "GET /api/v1/webhooks": "webhooks",
    "POST /api/v1/webhooks": "webhooks add http://x",
    "GET /api/v1/webhooks/{name}": "webhooks show {name}",
    "DELETE /api/v1/webhooks/{name}": "webhooks delete {name} --yes",
    "POST /api/v1/webhooks/{name}/enable": "webhooks enable {name}",
    "POST /api/v1/webhooks/{name}/disable": "webhooks disable {name}",
    "GET /api/v1/webhooks/{name}/deliveries": "webhooks deliveries {name}",
    "POST /api/v1/webhooks/{name}/redeliver": "webhooks redeliver {name} 1",
    "POST /api/v1/webhooks/{name}/test": "webhooks test {name}",
    "GET /api/v1/auth/whoami": "whoami",
    "GET /api/v1/auth/keys": "keys",
    "POST /api/v1/auth/keys": "keys create k",
    "POST /api/v1/auth/keys/{key}/rotate": "keys rotate {key}",
    "DELETE /api/v1/auth/keys/{key}": "keys delete {key} --yes",
    "POST /api/v1/auth/keys/{key}/roles": "keys grant {key} r",
    "DELETE /api/v1/auth/keys/{key}/roles/{role}": "keys revoke {key} {role}",
    "GET /api/v1/namespaces": "namespaces",
    "POST /api/v1/namespaces": "namespaces create acme max_jobs=1",
    "GET /api/v1/namespaces/{namespace}": "namespaces show {namespace}",
    "DELETE /api/v1/namespaces/{namespace}": "namespaces delete {namespace} --yes",
    "GET /api/v1/auth/roles": "roles",
    "POST /api/v1/auth/roles": "roles set r queues:read",
    "DELETE /api/v1/auth/roles/{role}": "roles delete {role} --yes",
    "GET /api/v1/workers": "workers",
    "GET /api/v1/cluster/status": "cluster status",
    "GET /api/v1/cluster/events": "events",
    "GET /api/v1/events": "events --follow",
    "GET /api/v1/audit-logs": "audit",
    "GET /api/v1/audit-logs/export": "audit --export",
    "POST /api/v1/cluster/join": "cluster join n2 127.0.0.1:9400",
    "POST /api/v1/cluster/remove": "cluster remove n2 --yes",
    "POST /api/v1/cluster/leave": "cluster leave --yes",
    "POST /api/v1/cluster/transfer": "cluster transfer n2",
    "POST /api/v1/cluster/forget-key": "cluster forget-key n2 --yes",
    "POST /api/v1/admin/rebuild-sqlite": "cluster rebuild-mirror",
    "GET /healthz": "check ready",
}

_FOR_WORKERS = "for workers, which are programs"
_FOR_MACHINES = "for machines, which ask by HTTP"
_FOR_BROWSERS = "for browsers; a command shows a key with each request"
#: Routes that no command calls, and why.
NO_COMMAND = {
    "POST /api/v1/fetch": _FOR_WORKERS,
    "POST /api/v1/fetch/batch": _FOR_WORKERS,
    "POST /api/v1/ack/{job_id}": _FOR_WORKERS,
    "POST /api/v1/ack/batch": _FOR_WORKERS,
    "POST /api/v1/fail/{job_id}": _FOR_WORKERS,
    "POST /api/v1/release/{job_id}": _FOR_WORKERS,
    "POST /api/v1/heartbeat": _FOR_WORKERS,
    "POST /api/v1/stream": _FOR_WORKERS,
    "POST /corvo.v1.WorkerService/StreamLifecycle": _FOR_WORKERS,
    "POST /api/v1/webhooks/{name}": "for senders that can say a URL and nothing else",
    "DELETE /api/v1/auth/keys": "`corvo keys delete` names the key in the path",
    "GET /api/v1/auth/keys/{key}/roles": "`corvo keys show` has them from the list",
    "GET /api/v1/auth/status": "`corvo whoami` says it, too",
    "PUT /api/v1/namespaces/{namespace}/quotas": "`corvo namespaces quotas` looks at it first",
    "GET /api/v1/namespaces/{namespace}/rate-limit": "`corvo namespaces show` has the rates",
    "PUT /api/v1/namespaces/{namespace}/rate-limit": "`corvo namespaces quotas` sets rates, too",
    "POST /api/v1/auth/login": _FOR_BROWSERS,
    "POST /api/v1/auth/logout": _FOR_BROWSERS,
    "GET /api/v1/auth/oidc/start": _FOR_BROWSERS,
    "GET /api/v1/auth/oidc/callback": _FOR_BROWSERS,
    "GET /api/v1/auth/sessions": "by the page of the UI so far",
    "DELETE /api/v1/auth/sessions/{session_id}": "by the page of the UI so far",
    "GET /api/v1/settings/sso": "by the page of the UI so far",
    "POST /api/v1/settings/sso": "by the page of the UI so far",
    "GET /api/v1/metrics": _FOR_MACHINES,
    "GET /metrics": _FOR_MACHINES,
    "GET /openapi.json": _FOR_MACHINES,
    "GET /docs": "for browsers",
    "GET /api/v1/info": "`corvo version` is about the program itself, `corvo status` about the server",
    "POST /api/v1/schedules/{schedule_id}/enable": "`corvo schedules enable` changes the schedule by PUT",
    "POST /api/v1/schedules/{schedule_id}/disable": "`corvo schedules disable` changes it by PUT",
    "GET /api/v1/bulk/{task_id}/progress": "`corvo bulk` follows a task by GET /bulk/{task_id}",
    "GET /api/v1/dead": "`corvo search state:dead` is the same",
    "POST /api/v1/jobs/bulk-get": "`corvo inspect` asks for each job, so that one that is gone is told",
    "GET /api/v1/jobs/{job_id}/errors": "`corvo inspect` shows the newest hundred",
    "GET /api/v1/search/fulltext": "`corvo search word` searches payloads",
    "GET /api/v1/metrics/throughput": "`corvo status` and `corvo top` show the rates of queues",
    "GET /api/v1/metrics/throughput/queues": "`corvo status` and `corvo top` show the rates of queues",
    "GET /api/v1/debug/runtime": "`corvo bench` reads it with a client of its own",
    "POST /api/v1/admin/check": "`corvo doctor` calls it for a node that runs, from its data folder",
}

#: Routes that no page of the UI calls, and why.
NO_PAGE = {target: _FOR_WORKERS for target, reason in NO_COMMAND.items() if reason is _FOR_WORKERS} | {
    "POST /api/v1/webhooks/{name}": "for senders that can say a URL and nothing else",
    "DELETE /api/v1/auth/keys": "the page names the key in the path",
    "GET /api/v1/auth/keys/{key}/roles": "the list of keys has them",
    "POST /api/v1/auth/keys/{key}/roles": "by the command line so far",
    "DELETE /api/v1/auth/keys/{key}/roles/{role}": "by the command line so far",
    "GET /api/v1/auth/oidc/start": "a link of the login page",
    "GET /api/v1/auth/oidc/callback": "the provider sends browsers there",
    "GET /api/v1/namespaces/{namespace}": "the list has them all",
    "GET /api/v1/namespaces/{namespace}/rate-limit": "the list has the rates",
    "PUT /api/v1/namespaces/{namespace}/rate-limit": "the page sets all quotas at once",
    "POST /api/v1/batch": "a batch is opened by the program that fills it",
    "POST /api/v1/batch/{batch_id}/seal": "a batch is sealed by the program that filled it",
    "GET /api/v1/bulk/{task_id}/progress": "the page follows a task by GET /bulk/{task_id}",
    "GET /api/v1/jobs/{job_id}/errors": "the page shows the newest hundred",
    "GET /api/v1/search/fulltext": "the query bar searches payloads",
    "GET /api/v1/metrics": _FOR_MACHINES,
    "GET /metrics": _FOR_MACHINES,
    "GET /openapi.json": _FOR_MACHINES,
    "GET /docs": "a page of its own, linked from the UI",
    "GET /healthz": "the page knows by its other requests",
    "GET /api/v1/debug/runtime": "for benchmarks",
    "POST /api/v1/admin/check": "for `corvo doctor`",
    "POST /api/v1/cluster/join": "a node joins by its own flags, or by the command line",
    "GET /api/v1/audit-logs": "by the command line so far",
    "GET /api/v1/audit-logs/export": "by the command line so far",
    "POST /api/v1/cluster/remove": "by the command line so far",
    "POST /api/v1/cluster/forget-key": "by the command line so far",
    "POST /api/v1/cluster/leave": "by the command line so far",
    "POST /api/v1/cluster/transfer": "by the command line so far",
    "POST /api/v1/admin/rebuild-sqlite": "by the command line so far",
    "POST /api/v1/schedules/{schedule_id}/enable": "the page changes the schedule by PUT",
    "POST /api/v1/schedules/{schedule_id}/disable": "the page changes the schedule by PUT",
}


@pytest.mark.parametrize("target", EVERY)
def test_a_route_says_what_it_needs(target):
    needs = EVERY[target].needs
    if target in FOR_ALL:
        assert needs is PUBLIC
    else:
        assert needs is not PUBLIC, f"{target}: name a permission, or say why it is for all"
        assert needs in PERMISSIONS


@pytest.mark.parametrize("target", EVERY)
def test_a_route_is_explained(target):
    route = EVERY[target]
    assert re.match(r"[A-Z].*\.", route.description), f"{target}: its handler needs a sentence"
    described = document([route], "0")["paths"]
    if route.tag != "Docs":
        assert described[route.path][route.method.lower()]["summary"]


@pytest.fixture(scope="module")
def recorder():
    with recording() as recorder:
        yield recorder


def test_every_route_has_a_command_or_it_is_said_why_not():
    assert EVERY.keys() - COMMANDS.keys() - NO_COMMAND.keys() == set()
    assert (COMMANDS.keys() | NO_COMMAND.keys()) - EVERY.keys() == set()
    assert COMMANDS.keys() & NO_COMMAND.keys() == set()


@pytest.mark.parametrize("target", COMMANDS)
def test_the_command_calls_its_route(recorder, target):
    recorder.requests.clear()
    words = [*COMMANDS[target].split(), "--server", recorder.url]
    done = CliRunner().invoke(main, words, input='{"n":1}\n{"n":2}\n', env={"CORVO_URL": ""})
    assert target in recorder.targets(), (recorder.targets(), done.output)


def ui_requests() -> list[re.Pattern[str]]:
    """Paths that the UI asks for, names in them standing for anything."""
    found = []
    for path in (ROOT / "ui/src").rglob("*.ts*"):
        for text in re.findall(r"[`\"]((?:/|\$\{\w+\}/)[a-z][^`\"\s]*)[`\"]", path.read_text()):
            begins = re.sub(r"^\$\{\w+\}", "\1", text)
            plain = re.sub(r"\$\{[^}]*\}", "\0", begins).partition("?")[0]
            found.append(re.compile(re.escape(plain).replace("\0", "[^/]*").replace("\1", ".*")))
    types = (ROOT / "ui/src/api/types.ts").read_text()
    actions = re.findall(r'\| "(\w+)"', types.split("export type BulkAction =")[1].split(";")[0])
    found += [re.compile(rf"/jobs/[^/]*/{action.removeprefix('change_')}") for action in actions]
    found += [re.compile(rf"/webhooks/[^/]*/{verb}") for verb in ("enable", "disable")]  # A checkbox.
    return found


def test_every_route_has_a_page_or_it_is_said_why_not():
    asked = ui_requests()
    called = {
        target
        for target, route in EVERY.items()
        if any(pattern.fullmatch(route.path.removeprefix("/api/v1")) for pattern in asked)
    }
    assert EVERY.keys() - called - NO_PAGE.keys() == set(), "add a page, or say in NO_PAGE why not"
    assert NO_PAGE.keys() - EVERY.keys() == set()
