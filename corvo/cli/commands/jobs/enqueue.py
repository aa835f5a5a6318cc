"""`corvo enqueue`: add jobs to a queue."""

import sys
from collections.abc import Iterator
from typing import IO, Any

import click

from corvo.cli.exit_codes import of_state
from corvo.cli.input.complete import queue_names
from corvo.cli.input.tags import tags_of
from corvo.cli.output.output import to_json
from corvo.cli.output.progress import ProgressLine
from corvo.cli.output.table import Column
from corvo.cli.problems import Misused, Problem
from corvo.cli.request.exact_json import ExactJson, parse, written
from corvo.cli.request.job_wait import wait_for
from corvo.cli.request.session import Duration, Session, talks_to_server
from corvo.core.clock import NS_PER_S
from corvo.core.errors import ValidationFailed
from corvo.core.priority import LABELS
from corvo.core.times import format_time_ns, parse_duration_ms, parse_time_ns
from corvo.core.wording import count as number_of

#: Jobs in one request when many go in: all of them or none.
_CHUNK = 500
#: A request larger than the server takes would be refused as a whole.
_CHUNK_CHARS = 2_000_000

#: Options that are passed on as they are.
_AS_GIVEN = (
    "priority",
    "unique_key",
    "unique_until",
    "retry_backoff",
    "retry_base_delay",
    "retry_max_delay",
    "retry_jitter",
    "expire_after",
    "group",
    "parent_id",
    "on_dependency_failure",
    "batch_id",
)

_COLUMNS = [Column("ID", "id", "id"), Column("QUEUE", "queue"), Column("STATE", "state", "state")]


@click.command("enqueue")
@click.argument("queue", shell_complete=queue_names)
@click.argument("payload", required=False)
@click.option(
    "--file", "-f", "file", type=click.File("rb"), help="One payload per line (NDJSON); - for stdin."
)
@click.option("--priority", type=click.Choice(LABELS), help="Jobs of a higher priority go first.")
@click.option(
    "--unique-key",
    "--unique",
    "unique_key",
    metavar="KEY",
    help="Not enqueued while another job holds this key.",
)
@click.option("--unique-period", type=Duration(), help="How long the key is taken.  [default: 1h]")
@click.option(
    "--unique-until",
    type=click.Choice(["success", "start", "ttl"]),
    help="What frees the key before that.",
)
@click.option("--max-retries", type=int, default=-1, help="Attempts at most.  [default: 3]")
@click.option(
    "--retry-backoff",
    type=click.Choice(["none", "fixed", "linear", "exponential"]),
    help="How the delay grows.",
)
@click.option("--retry-base-delay", metavar="DURATION", help="Delay after the first failure.  [default: 5s]")
@click.option("--retry-max-delay", metavar="DURATION", help="Longest delay.  [default: 10m]")
@click.option("--retry-jitter", type=click.FloatRange(0, 1), help="Part of the delay left to chance.")
@click.option("--at", "--scheduled-at", "at", metavar="WHEN", help="Not before: 10m from now, or RFC 3339.")
@click.option(
    "--expire-after", metavar="DURATION", help="Give it up if it is neither active nor ended by then."
)
@click.option("--tags", metavar="JSON", help='Tags as an object: {"tenant":"acme"}.')
@click.option("--tag", "tag", multiple=True, metavar="K=V", help="One tag; may be repeated.")
@click.option("--checkpoint", metavar="JSON", help="What the first attempt finds as its checkpoint.")
@click.option("--group", metavar="LABEL", help="A label to find jobs by; it has no other effect.")
@click.option("--parent-id", metavar="ID", help="The job this one came from.")
@click.option("--depends-on", multiple=True, metavar="ID", help="Wait for this job; may be repeated.")
@click.option(
    "--on-dependency-failure",
    type=click.Choice(["fail", "ignore", "wait"]),
    help="What to do if one of them does not complete.  [default: fail]",
)
@click.option("--allow-missing", is_flag=True, help="Take a --depends-on job that does not exist as done.")
@click.option("--batch-id", metavar="ID", help="Join this open batch.")
@click.option("--chain", metavar="JSON", help='What follows: {"steps":[{"queue":"a"},{"queue":"b"}]}.')
@click.option("--wait", "wait", is_flag=True, help="Wait until the job has ended; the exit code says how.")
@click.option("--wait-timeout", type=Duration(), default="5m", help="How long --wait waits.")
@talks_to_server
def command(
    session: Session, queue: str, payload: str | None, file: IO[bytes] | None, wait: bool, **fields: Any
) -> None:
    """Add a job with PAYLOAD (JSON; {} if left out, - for stdin) to QUEUE.

    \b
    Examples:
      corvo enqueue emails '{"to":"ann@example.com"}' --tag tenant=acme
      echo '{"day":"2026-01-31"}' | corvo enqueue reports - --at 10m --unique daily
      corvo enqueue thumbs --file jobs.ndjson -o id
      corvo enqueue migrate --wait && echo done
    """
    wait_timeout = fields.pop("wait_timeout")
    job = {"queue": queue} | _fields(session, fields)
    if file is not None:
        if payload is not None or wait:
            raise Misused("--file goes with neither a payload nor --wait")
        session.out.many(_enqueue_lines(session, job, file), _COLUMNS)
        return
    answer = session.api.post("/api/v1/enqueue", job | {"payload": _payload(payload)})
    document = {"id": answer["job_id"], **answer}
    if not wait:
        session.out.one(document, f"{answer['job_id']} {answer['status']}")
        return
    try:
        ended = wait_for(session.api, answer["job_id"], wait_timeout, was_there=True, quiet=session.quiet)
    except (KeyboardInterrupt, Problem):
        session.talk(f"{answer['job_id']} is enqueued; `corvo wait {answer['job_id']}` waits for it again")
        raise
    session.out.one(ended, _ending(ended))
    sys.exit(of_state(ended["state"]))


def _ending(job: dict[str, Any]) -> str:
    line = f"{job['id']} {job['state']}"
    if "result" in job:
        line += f" {to_json(job['result'])}"
    if job["state"] == "dead" and job.get("last_error"):
        line += f": {job['last_error']}"
    return line


def _payload(text: str | None) -> Any:
    if text is None:
        return {}
    if text == "-":
        text = sys.stdin.read()
    return written(text, "the payload", "Text goes in double quotes: '\"text\"'.")


def _fields(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {name: given[name] for name in _AS_GIVEN if given[name] is not None}
    for name in ("checkpoint", "chain"):
        if given[name] is not None:
            fields[name] = written(given[name], f"--{name}")
    if given["allow_missing"]:
        fields["allow_missing"] = True
    if given["max_retries"] >= 0:
        fields["max_retries"] = given["max_retries"]
    if given["unique_period"] is not None:
        fields["unique_period"] = max(1, round(given["unique_period"]))
    if given["depends_on"]:
        fields["depends_on"] = list(given["depends_on"])
    if given["at"] is not None:
        fields["scheduled_at"] = _moment(session, given["at"])
    tags = _tags(given["tags"], given["tag"])
    return fields | ({"tags": tags} if tags else {})


def _moment(session: Session, text: str) -> str:
    try:
        if text[:1].isdigit() and "-" in text:
            return format_time_ns(parse_time_ns(text, "--at"))
        ns = parse_duration_ms(text, "--at") * NS_PER_S // 1_000
    except ValidationFailed as refusal:
        raise Misused(refusal.message) from None
    return format_time_ns(session.clock.now_ns() + ns)


def _tags(text: str | None, pairs: tuple[str, ...]) -> dict[str, str]:
    tags = {} if text is None else parse(text, "--tags")
    if not isinstance(tags, dict):
        raise Misused("--tags is not a JSON object")
    return tags | tags_of(pairs)


# Many


def _enqueue_lines(session: Session, job: dict[str, Any], file: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Chunk by chunk. What was accepted before a bad line or Ctrl-C stays, and its ids were printed."""
    with ProgressLine("enqueued", quiet=session.quiet) as progress:
        try:
            for chunk in _chunks(_payloads(file)):
                jobs = [job | {"payload": payload} for payload in chunk]
                answer = session.api.post("/api/v1/enqueue/batch", {"jobs": jobs})
                progress.to(progress.done + len(chunk))
                yield from answer["jobs"]
        finally:
            session.talk(f"{number_of(progress.done, 'job')} enqueued")


def _chunks(payloads: Iterator[ExactJson]) -> Iterator[list[ExactJson]]:
    chunk: list[ExactJson] = []
    room = _CHUNK_CHARS
    for payload in payloads:
        chunk.append(payload)
        room -= len(payload.text)
        if len(chunk) == _CHUNK or room <= 0:
            yield chunk
            chunk, room = [], _CHUNK_CHARS
    if chunk:
        yield chunk


def _payloads(file: IO[bytes]) -> Iterator[ExactJson]:
    for number, line in enumerate(file, 1):
        # Files of Windows may begin with a byte order mark.
        text = line.decode("utf-8-sig" if number == 1 else "utf-8", errors="surrogateescape").strip()
        if text:
            yield written(text, f"line {number}")
