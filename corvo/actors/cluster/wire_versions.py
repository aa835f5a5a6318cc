"""Wire versions: the formats that a node must read and write to be a member of this cluster."""

from typing import Final

from corvo.consensus import roster
from corvo.core.errors import MembershipRefused
from corvo.ops import entry
from corvo.ops.base import BY_NUMBER
from corvo.storage import meta

FORMATS: Final = {
    "entry": entry.FORMAT,
    "store": meta.FORMAT,
    "ops": max(BY_NUMBER),
    "roster": roster.FORMAT,
}


def check_formats(theirs: dict[str, int]) -> None:
    """Raise unless a node with these formats understands all that this one writes."""
    for name in ("entry", "store"):
        if theirs.get(name) != FORMATS[name]:
            raise MembershipRefused(
                f"the node writes {name} format {theirs.get(name)}, this cluster {FORMATS[name]}; "
                "run the same version of Corvo on all nodes"
            )
    if theirs.get("roster", 1) < FORMATS["roster"]:
        raise MembershipRefused(
            "the node is of an older version that does not know the keys of members; upgrade it"
        )
    if theirs.get("ops", 0) < FORMATS["ops"]:
        raise MembershipRefused(
            "the node is of an older version that does not know all operations of this cluster; upgrade it"
        )
