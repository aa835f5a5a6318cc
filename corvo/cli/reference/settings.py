"""docs/reference/settings.md, printed from the settings struct."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final, NamedTuple

import msgspec.inspect

from corvo.actors.cluster.shared_settings import SETTINGS as SHARED
from corvo.cli.reference.markdown import MADE, escape, marked, table, wrapped
from corvo.config import WITHOUT_MEANING, Config, Setting, settings
from corvo.core.times import format_duration


class Subject(NamedTuple):
    heading: str
    about: str


#: A subject by its first setting; the others follow in the order in which the struct declares them.
_SUBJECTS: Final = {
    "bind": Subject(
        "Addresses, name and data",
        "Addresses are `host:port`. The port 0 takes any free one, and the host 0.0.0.0 is every address of "
        "the machine.",
    ),
    "bootstrap": Subject(
        "The cluster",
        "How a node finds the others, and what protects the link: [A cluster of three](../cluster.md).",
    ),
    "durable": Subject("Durability", "What a node promises when it answers a write with 2xx."),
    "max_payload_size": Subject("Jobs and events", "What is accepted, and for how long it is kept."),
    "audit_retention": Subject(
        "The audit log", "Who changed what is kept in the node: [The audit log](audit.md)."
    ),
    "seal": Subject("Encryption", "What is kept encrypted: [Encryption](../encryption.md)."),
    "apply_batch_max": Subject(
        "The write path",
        "Ops of many requests share one log entry, and so one sync of the disk. The defaults suit most.",
    ),
    "tls_cert": Subject(
        "TLS",
        "For the HTTP API and the web UI. The files are read again when they change, and on SIGHUP: "
        "[TLS](../tls.md).",
    ),
    "edge": Subject(
        "The HTTP server", "Which edge speaks HTTP, and how patient it is: [Which edge when](../edges.md)."
    ),
    "rate_limit_enabled": Subject(
        "Rate limits",
        "Off by default. A client is known by its API key, else by its address. It has a bucket for reads "
        "and one for writes, which hold the burst and fill at the rate per second.",
    ),
    "allowed_hosts": Subject(
        "Browsers",
        "For whom the node answers, which web pages may call the API, and whether it serves its description: "
        "[What a web page may do](../edges.md#what-a-web-page-may-do).",
    ),
    "webhook_allow_private": Subject("Webhooks", "How a node delivers events to other servers."),
    "chaos": Subject("Trials", "For the tests of Corvo itself."),
    "log_level": Subject("The log", "A node logs to stderr, one event per line."),
}

_ABOUT = """\
# Settings

{made}

The settings of `corvo serve`. Each has three names, made of the same words:

| | example | |
| --- | --- | --- |
| option | `--max-payload-size 1048576` | on the command line; `corvo serve --help` lists all |
| variable | `CORVO_MAX_PAYLOAD_SIZE=1048576` | in the environment |
| line of a file | `max_payload_size = 1048576` | in the TOML file that `--config FILE` names |

[corvo.toml](corvo.toml) is a complete file with every setting at its default, commented out.

## Which value wins

**An option wins over a variable, a variable over the file, and the file over the default.** Settings are
read once, when the node starts; a change needs a restart. (Files of certificates are read again when they
change.)

- A value that is not allowed, an unknown option or an unknown name in the file stop the start: exit code 2,
  and a sentence that names the place. Unknown `CORVO_*` variables are left alone, because [the command
  line](cli.md) and other programs have variables of that kind, too.
- There is no variable for `--config`. `corvo dev` reads neither variables nor a file.
- `GET /api/v1/cluster/status` shows many of the values that a node runs with.

## Values

| kind | as an option or variable | in the file |
| --- | --- | --- |
| text | `127.0.0.1:8080` | `"127.0.0.1:8080"` |
| number | `512` | `512` |
| bytes | `1048576`, without a unit | `1048576` |
| duration | `250ms`, `30s`, `1h30m`, `7d` | `"1h30m"`; a bare number means milliseconds |
| switch | `true`, `1`, `yes`, `on`; `false`, `0`, `no`, `off`; the bare option means true | `true`, `false` |

## Settings that all nodes share

A setting with *yes* under *shared* decides what is written for the whole cluster, so all nodes must agree
on it. The cluster records these values when its second node joins. A node that differs is refused when it
joins and when it is restarted. To change one, restart the members one after the other with the new value
and `--change-settings`.
"""

_IGNORED = """\
## Accepted and ignored

Scripts made for other servers that speak this API may use settings that mean nothing here. A node that is
given one of them says so on stderr, and starts:
{names}.
"""


def subjects() -> Iterator[tuple[Subject, list[Setting]]]:
    """Every setting once, by subject."""
    unused = set(_SUBJECTS)
    current = None
    rows = []
    for setting in settings():
        if setting.name in _SUBJECTS:
            unused.discard(setting.name)
            current = _SUBJECTS[setting.name]
        assert current is not None, f"{setting.name} has no subject"
        rows.append((current, setting))
    assert not unused, f"there is no setting {unused}"
    for subject, group in groupby(rows, key=lambda row: row[0]):
        yield subject, [setting for _, setting in group]


def settings_page() -> str:
    parts = [_ABOUT.format(made=MADE)]
    for subject, group in subjects():
        parts.append(f"## {subject.heading}\n")
        parts.append("\n".join(wrapped(subject.about.split())) + "\n")
        parts.append(
            table(("setting", "value", "default", "shared", "what it does"), map(_row, group)) + "\n"
        )
    names = ", ".join(f"`{name}`" for name in sorted(WITHOUT_MEANING))
    parts.append(_IGNORED.format(names="\n".join(wrapped(names.split()))))
    return "\n".join(parts)


def _row(setting: Setting) -> tuple[str, ...]:
    names = f"`{setting.flag}`<br>`{setting.variable}`<br>`{setting.name}`"
    shared = "yes" if setting.name in SHARED else ""
    return names, allowed(setting), _default(setting), shared, marked(escape(setting.help))


def _default(setting: Setting) -> str:
    value = spelled(setting)
    if value == "":
        return "empty"
    nice = _size(setting.default) if kind(setting) == "bytes" else ""
    return f"`{value}`" + (f" ({nice})" if nice else "")


def spelled(setting: Setting, value: Any = None) -> str:
    """A value of this setting as people write it; the default unless told."""
    value = setting.default if value is None else value
    if setting.is_duration:
        return format_duration(value)
    return str(value).lower() if setting.type is bool else str(value)


def kind(setting: Setting) -> str:
    if setting.choices:
        return "choice"
    if setting.is_duration:
        return "duration"
    if setting.type is int and setting.name.endswith(("_size", "_bytes")):
        return "bytes"
    return {bool: "switch", int: "number"}.get(setting.type, "text")


def allowed(setting: Setting) -> str:
    """Kind and bounds."""
    if setting.choices:
        *others, last = (f"`{choice}`" if choice else "empty" for choice in setting.choices)
        return f"{', '.join(others)} or {last}"
    bounds = _bounds(setting)
    return f"{kind(setting)}, {bounds}" if bounds else kind(setting)


def _bounds(setting: Setting) -> str:
    struct = msgspec.inspect.type_info(Config)
    assert isinstance(struct, msgspec.inspect.StructType)
    declared: Any = next(field.type for field in struct.fields if field.name == setting.name)
    while isinstance(declared, msgspec.inspect.Metadata):
        declared = declared.type
    match declared:
        case msgspec.inspect.StrType(min_length=least, max_length=most):
            suffix = " characters"
        case msgspec.inspect.IntType(ge=least, le=most):
            suffix = ""
        case _:
            return ""
    if most is not None:
        assert least is not None, f"{setting.name} has no lower bound"
        return f"{_bound(setting, least)} to {_bound(setting, most)}{suffix}"
    # That a number is not negative goes without saying.
    return f"at least {_bound(setting, least)}{suffix}" if least else ""


def _bound(setting: Setting, bound: int) -> str:
    if kind(setting) == "bytes":
        return _size(bound) or str(bound)
    return format_duration(bound) if setting.is_duration else str(bound)


def _size(count: int) -> str:
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count and count % size == 0:
            return f"{count // size} {unit}"
    return ""
