"""Event loop: which one a process runs on, uvloop when it is installed, asyncio's own otherwise.

It is chosen once, where a process begins; all other code asks for the running loop. The simulator has its own
time and runs on none.
"""

import asyncio
import contextlib
import importlib
from collections.abc import Callable
from types import ModuleType

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


class LoopMissing(Exception):
    """The loop that was asked for is not installed; the message says how to get it."""


def loop_factory(choice: str) -> LoopFactory:
    """For `auto`, `asyncio` or `uvloop`."""
    uvloop = None if choice == "asyncio" else _uvloop()
    if uvloop is not None:
        factory: LoopFactory = uvloop.new_event_loop
        return factory
    if choice == "uvloop":
        raise LoopMissing("uvloop is not installed: pip install 'corvo-server[fast]', or leave out --loop")
    return asyncio.new_event_loop


def _uvloop() -> ModuleType | None:
    """uvloop is not installed on every system, so it is looked for by name."""
    with contextlib.suppress(ImportError):
        return importlib.import_module("uvloop")
    return None


def running_loop_name() -> str:
    """The package the running loop comes from: `asyncio` or `uvloop`."""
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]
