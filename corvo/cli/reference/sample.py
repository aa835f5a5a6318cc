"""docs/reference/corvo.toml: a settings file with everything in it, commented out."""

import json
from textwrap import wrap

from corvo.actors.cluster.shared_settings import SETTINGS as SHARED
from corvo.cli.reference.settings import allowed, spelled, subjects
from corvo.config import Setting

_ABOUT = """\
# Settings of a Corvo node: `corvo serve --config corvo.toml`.
#
# Every setting is here at its default, commented out. Remove the # in front of a line to change it.
# Options of the command line and CORVO_* variables win over this file.
#
# Printed by `make docs`; docs/reference/settings.md says more.
"""


def sample_file() -> str:
    parts = [_ABOUT]
    for subject, group in subjects():
        parts.append(f"\n# {subject.heading}\n# {'-' * len(subject.heading)}\n")
        parts += [_lines(setting) for setting in group]
    return "\n".join(parts)


def _lines(setting: Setting) -> str:
    lines = wrap(setting.help, 98, break_on_hyphens=False)
    value = allowed(setting).replace("`", "").replace("empty", '""')
    if value not in ("text", "switch", "number", "bytes"):
        lines.append(f"Value: {value}.")
    if setting.name in SHARED:
        lines.append("All nodes of a cluster must have the same.")
    return "\n".join([*(f"# {line}" for line in lines), f"#{setting.name} = {_value(setting)}"]) + "\n"


def _value(setting: Setting) -> str:
    if isinstance(setting.default, str) or setting.is_duration:
        return json.dumps(spelled(setting))
    return spelled(setting)
