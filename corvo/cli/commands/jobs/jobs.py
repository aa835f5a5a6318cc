"""`corvo jobs`: the commands about jobs once more, under their noun."""

from corvo.cli.catalogue import SECTIONS
from corvo.cli.lazy import LazyGroup

#: Under the noun some have another name.
_NAMES = {"search": "list", "inspect": "show"}
#: These have a noun of their own, or make jobs instead of looking at them.
_ELSEWHERE = frozenset({"enqueue", "jobs", "batches", "bulk", "held", "failures"})

command = LazyGroup(
    "jobs",
    help="The commands about jobs under one name: `corvo jobs show ID` is `corvo inspect ID`.",
    sections={
        "Commands": {
            _NAMES.get(name, name): row for name, row in SECTIONS["Jobs"].items() if name not in _ELSEWHERE
        }
    },
)
