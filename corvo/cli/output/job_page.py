"""A job as a page for people."""

from typing import Any

from corvo.cli.output.output import Output, to_json
from corvo.cli.output.table import clean
from corvo.core.wording import count as number_of

#: Members with a line of their own, in this order; the rest follows by name.
_FIRST = ("queue", "state", "priority_name", "attempt", "hold_reason", "worker_id", "progress", "tags")
_LEFT_OUT = frozenset(
    {
        "id",
        "priority",
        "worker",
        "errors",
        "errors_total",
        "last_error",
        "payload",
        "result",
        "checkpoint",
        "max_retries",
        "chain_config",
        "retry_base_delay_ms",
        "retry_max_delay_ms",
    }
)


def page(job: dict[str, Any], out: Output) -> str:
    lines = [job["id"]]
    names = [name for name in _FIRST if name in job]
    names += sorted(name for name in job if name not in _LEFT_OUT and name not in _FIRST)
    lines += [f"  {_label(name):<18} {_value(name, job, out)}" for name in names]
    for name in ("payload", "checkpoint", "result"):
        if name in job:
            lines.append(f"  {name}:")
            lines += [f"    {line}" for line in to_json(job[name], indent=2).splitlines()]
    if job.get("errors"):
        lines.append(f"  {_errors_label(job)}:")
    for error in job.get("errors", ()):
        lines.append(f"    attempt {error['attempt']}, {out.time(error['at'])}: {clean(error['error'])}")
        lines += [f"      {clean(line)}" for line in error.get("backtrace", "").splitlines()]
    return "\n".join(lines)


def _errors_label(job: dict[str, Any]) -> str:
    shown, total = len(job["errors"]), job.get("errors_total", 0)
    if total <= shown:
        return "errors"
    return f"the last {shown} of {number_of(total, 'error')}; all are at /api/v1/jobs/{job['id']}/errors"


def _label(name: str) -> str:
    return name.removesuffix("_name").removesuffix("_at").replace("_", " ")


def _value(name: str, job: dict[str, Any], out: Output) -> str:
    value = job[name]
    if name == "attempt":
        return f"{value} of {job['max_retries']}"
    if name.endswith("_at"):
        return out.time(value)
    return clean(value) if isinstance(value, str) else to_json(value)
