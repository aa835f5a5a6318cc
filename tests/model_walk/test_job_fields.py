"""Every field of a job is wired wherever people meet jobs, or it is written down here why not.

The field `group` once was stored and shown, but no worker received it, no flag set it and no search found it.
A new field of `core.job.Job` fails here until it is in every place, or has a reason for each where it is not.
"""

import re
import typing
from pathlib import Path

import msgspec
import pytest

from corvo.cli.commands.jobs.enqueue import command as enqueue_command
from corvo.core.job import Flow, Job, Lease, Unique
from corvo.core.query import fields as query_fields
from corvo.http.api.schema.enqueue import EnqueueRequest
from corvo.http.api.schema.job import JobBody
from corvo.http.api.schema.worker import FetchedJob
from corvo.storage.mirror.rows import Row
from corvo.storage.mirror.search.request import SearchRequest
from corvo_sdk.models.claim import ClaimedJob
from corvo_sdk.models.job import Job as SdkJob
from corvo_sdk.options import JobOptions
from corvo_sdk.search import Filter

ROOT = Path(__file__).parents[2]
PARTS = {"unique": Unique, "lease": Lease, "flow": Flow}


def members(struct: type[msgspec.Struct]) -> set[str]:
    return {field.name for field in msgspec.structs.fields(struct)}


def document_fields() -> list[str]:
    """Fields of the document, those of its parts as `part.field`."""
    found: list[str] = []
    for name in (field.name for field in msgspec.structs.fields(Job)):
        part = PARTS.get(name)
        found += [name] if part is None else [f"{name}.{field}" for field in part.__struct_fields__]
    return found


def documented(page: str) -> set[str]:
    """Names in the first column of a page's tables."""
    rows = re.findall(r"^\| ((?:`[^`|]+`(?:, )?)+)", (ROOT / page).read_text(), re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def ui_reads() -> set[str]:
    """Members that some page of the UI reads."""
    sources = [path.read_text() for path in (ROOT / "ui/src").rglob("*.ts*")]
    return {name for source in sources for name in re.findall(r"\.([a-z][a-z0-9_]*)\b", source)}


def interface(name: str) -> set[str]:
    """Members of an interface that the UI declares by hand."""
    text = (ROOT / "ui/src/api/types.ts").read_text()
    body = text.split(f"export interface {name} {{")[1].split("\n}")[0]
    return set(re.findall(r"^  (\w+)\??:", body, re.MULTILINE))


#: Where people meet a job, and the names it has there.
PLACES = {
    "enqueue": members(EnqueueRequest),
    "job body": members(JobBody),
    "fetched job": members(FetchedJob),
    "sdk job": members(SdkJob),
    "sdk claimed job": members(ClaimedJob),
    "sdk options": set(typing.get_type_hints(JobOptions)),
    "cli enqueue": {str(parameter.name) for parameter in enqueue_command.params},
    "mirror": set(Row._fields),
    "search": members(SearchRequest),
    "query language": set(query_fields.NAMES),
    "ui": ui_reads(),
    "docs": documented("docs/reference/jobs.md"),
}

#: What a field of the document is called elsewhere. Any of the names will do.
ALIASES = {
    "id": "job_id job_id_prefix",
    "state": "status",
    "created_ns": "created_at created_after created place",
    "order_ns": "",
    "backoff": "retry_backoff",
    "retry_base_ms": "retry_base_delay retry_base_delay_ms",
    "retry_max_ms": "retry_max_delay retry_max_delay_ms",
    "unique.key": "unique_key unique",
    "unique.period_s": "unique_period",
    "unique.until": "unique_until",
    "tags": "tag",
    "payload": "payload_contains document",
    "lease.token": "lease_token",
    "lease.expires_ns": "lease_expires_at",
    "lease.length_ms": "lease_duration",
    "lease.worker_id": "worker_id worker",
    "lease.hostname": "hostname",
    "scheduled_ns": "scheduled_at scheduled_after scheduled delay at",
    "expire_ns": "expire_at expire_after expires",
    "expire_after_ms": "expire_after",
    "started_ns": "started_at started_after started",
    "completed_ns": "completed_at completed_after completed",
    "failed_ns": "failed_at",
    "cancelled_ns": "cancelled_at",
    "error_count": "errors errors_total has_errors has",
    "last_error": "error_contains error",
    "attempt": "attempt_min",
    "parent_id": "parent",
    "group": "group_label",
    "flow.batch_id": "batch_id batch",
    "flow.chain_id": "chain_id",
    "flow.chain_step": "chain_step",
    "flow.chain": "chain chain_config",
    "flow.depends_on": "depends_on",
    "flow.unmet": "waiting_for",
    "flow.on_dependency_failure": "on_dependency_failure",
}

#: Fields that are the state machine's own business everywhere.
INTERNAL = {
    "order_ns": "the place in the line; explain tells how many jobs are ahead",
    "commit": "how the last lease ended; a repeated request is answered from it",
    "trail": "where a job's history is; GET /jobs/{id}/events shows the history itself",
    "awaited": "whether jobs wait for this one; GET /jobs/{id}/graph shows which",
    "size": "bytes of the payload, which is shown itself; the queue and the namespace sum them up",
    "flow.batch_outcome": "how the job was counted; the batch shows its counts",
}

#: What no producer can say: the server, or the worker, decides it.
DECIDED = (
    "id state created_ns attempt progress result lease.token lease.expires_ns lease.length_ms "
    "lease.worker_id lease.hostname lease_version lease_losses started_ns completed_ns failed_ns "
    "cancelled_ns error_count last_error hold_reason flow.chain_id flow.chain_step flow.unmet"
)
#: What is over or open when a worker gets the job, or means nothing to it.
NOT_FETCHED = (
    "state created_ns backoff retry_base_ms retry_max_ms retry_jitter unique.key unique.period_s "
    "unique.until progress result lease.worker_id lease.hostname lease_losses scheduled_ns expire_ns "
    "expire_after_ms started_ns completed_ns failed_ns cancelled_ns error_count last_error hold_reason "
    "flow.chain flow.depends_on flow.unmet flow.on_dependency_failure"
)
#: What a row of the mirror has in its document only, so that no search can ask for it.
NOT_A_COLUMN = (
    "max_retries backoff retry_base_ms retry_max_ms retry_jitter unique.period_s unique.until progress "
    "checkpoint result lease.token lease.expires_ns lease.length_ms lease.hostname lease_version "
    "lease_losses cancelled_ns hold_reason flow.chain_step flow.depends_on flow.unmet "
    "flow.on_dependency_failure"
)

#: Where a field is not, and why: place -> reason -> fields.
ABSENT: dict[str, dict[str, str]] = {
    "enqueue": {"the server decides it": DECIDED},
    "job body": {
        "a token proves a claim, so only its holder is told": "lease.token",
        "what is left of it is in lease_expires_at": "lease.length_ms",
        "the time it comes to is in expire_at": "expire_after_ms",
    },
    "fetched job": {"a worker has no use for it": NOT_FETCHED},
    "sdk job": {
        "as in the job body": "lease.token lease.length_ms expire_after_ms",
        "graph() speaks of chains": "flow.chain",
    },
    "sdk claimed job": {"as in the fetched job": NOT_FETCHED},
    "sdk options": {
        "the server decides it": DECIDED,
        "arguments of enqueue() itself": "queue payload",
        "enqueue_chain() makes it": "flow.chain",
    },
    "cli enqueue": {"the server decides it": DECIDED},
    "mirror": {
        "part of the document, which a row has whole": f"{NOT_A_COLUMN} expire_after_ms flow.chain",
        "in tables of their own: texts and errors": "tags last_error",
    },
    "search": {
        "nobody has asked to search by it": f"{NOT_A_COLUMN} flow.chain",
        "it is a sort order only": "failed_ns",
    },
    "query language": {"as in search": f"{NOT_A_COLUMN} expire_after_ms failed_ns"},
    "ui": {
        "the UI shows no tokens": "lease.token",
        "the graph and the explanation show them": "flow.chain flow.depends_on flow.unmet",
        "the lease's end is shown": "lease.length_ms lease_version",
        "the time it comes to is shown": "expire_after_ms",
        "the key and its mode are shown": "unique.period_s",
    },
    "docs": {},
}


def absent(place: str) -> dict[str, str]:
    return {field: reason for reason, fields in ABSENT[place].items() for field in fields.split()}


def is_there(field: str, place: str) -> bool:
    return not PLACES[place].isdisjoint([field, *ALIASES.get(field, "").split()])


@pytest.mark.parametrize("place", PLACES)
def test_a_field_is_in_every_place_or_it_is_said_why_not(place):
    reasons = absent(place)
    fields = [field for field in document_fields() if field not in INTERNAL]
    forgotten = [field for field in fields if field not in reasons and not is_there(field, place)]
    assert forgotten == [], f"wire them into the {place}, or say in ABSENT why not"
    there_after_all = [field for field in reasons if is_there(field, place)]
    assert there_after_all == [], f"they are in the {place}; take them out of ABSENT"


def test_what_is_listed_exists():
    known = set(document_fields())
    listed = {*ALIASES, *INTERNAL, *(field for place in ABSENT for field in absent(place))}
    assert listed - known == set()


#: Members of an enqueue request that no field of the document has, and what they are for.
ENQUEUE_ONLY = {
    "allow_missing": "decides whether unknown dependencies are refused; nothing to keep",
    "retry_base_delay_ms": "older clients' spelling of retry_base_delay",
    "retry_max_delay_ms": "older clients' spelling of retry_max_delay",
    "expire_after_ms": "older clients' spelling of expire_after",
}
#: Members of an enqueue request that the command or the SDK spells otherwise.
SPELLED = {"delay": {"at"}, "scheduled_at": {"at"}}


@pytest.mark.parametrize("member", sorted(members(EnqueueRequest)))
def test_what_a_producer_may_say_can_be_said_everywhere(member):
    assert member in PLACES["docs"], f"add {member} to docs/reference/jobs.md"
    aliases = {name for names in ALIASES.values() for name in names.split()} | set(document_fields())
    assert member in aliases | ENQUEUE_ONLY.keys(), f"{member} is of no field of the document"
    if member.endswith("_ms") or member in ("queue", "payload", "chain"):
        return
    spellings = {member} | SPELLED.get(member, set())
    assert spellings & PLACES["sdk options"], f"add {member} to corvo_sdk.options.JobOptions"
    assert spellings & PLACES["cli enqueue"], f"add --{member.replace('_', '-')} to corvo enqueue"


@pytest.mark.parametrize("member", sorted(members(SearchRequest)))
def test_what_can_be_searched_for_can_be_searched_for_everywhere(member):
    assert member in documented("docs/reference/search.md"), f"add {member} to docs/reference/search.md"
    assert member in interface("Filter"), f"add {member} to Filter in ui/src/api/types.ts"
    if member not in ("limit", "cursor"):  # Arguments of the SDK's search itself.
        assert member in typing.get_type_hints(Filter), f"add {member} to corvo_sdk.search.Filter"


def test_a_row_of_the_ui_has_what_the_server_sends():
    assert interface("JobRow") <= members(JobBody)
