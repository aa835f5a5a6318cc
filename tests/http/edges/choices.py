"""The edges there are, and every point in which one of them does something else than the default.

A test never skips an edge: it asks `differs` and checks what that edge does instead. The rows of Granian are
those its module names itself, so that neither list can forget one.
"""

from typing import NamedTuple

from corvo.http.edges.granian import DEVIATIONS


class Choice(NamedTuple):
    flags: tuple[str, ...]
    #: What the log says of it.
    edge: str
    loop: str
    edge_workers: int = 0

    def differs(self, point: str) -> bool:
        assert point in DEVIATIONS, f"{point} is no row of the table"
        return self.edge == "granian"


CHOICES = {
    "hypercorn": Choice(("--loop", "asyncio"), "hypercorn", "asyncio"),
    "uvloop": Choice(("--loop", "uvloop"), "hypercorn", "uvloop"),
    "granian": Choice(("--edge", "granian"), "granian", "uvloop"),
    "edge-workers": Choice(("--edge-workers", "2"), "hypercorn", "uvloop", 2),
    "granian-edge-workers": Choice(
        ("--edge", "granian", "--edge-workers", "2", "--loop", "asyncio"), "granian", "asyncio", 2
    ),
}

HEAD_BYTES_MAX = 16 * 1024
BODY_BYTES_MAX = 128 * 1024
BODY_TIMEOUT_S = 1.0
IDLE_TIMEOUT_S = 1.0

SETTINGS = (
    *("--durable", "off"),
    *("--raft-bind", "127.0.0.1:0"),
    *("--max-header-size", str(HEAD_BYTES_MAX)),
    *("--max-body-size", str(BODY_BYTES_MAX)),
    *("--body-timeout", f"{round(BODY_TIMEOUT_S * 1_000)}ms"),
    *("--idle-timeout", f"{IDLE_TIMEOUT_S:g}s"),
    *("--shutdown-timeout", "3s"),
)
