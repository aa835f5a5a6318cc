"""SIGTERM and SIGINT: all workers of a loop are told, and when the last has ended everything is as it was."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakKeyDictionary

_NUMBERS = (signal.SIGTERM, signal.SIGINT)


class _Ears:
    """A loop has one handler for each signal, so its workers share it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._before: dict[signal.Signals, Any] = {}
        self.listeners: list[Callable[[], None]] = []

    def open(self) -> None:
        for number in _NUMBERS:
            before = signal.getsignal(number)
            # Not available outside the main thread and on Windows.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                self._loop.add_signal_handler(number, self._heard)
                self._before[number] = before

    def close(self) -> None:
        for number, before in self._before.items():
            self._loop.remove_signal_handler(number)
            if before is not None:  # None: it was not set from Python, and cannot be.
                signal.signal(number, before)
        self._before.clear()

    def _heard(self) -> None:
        for listener in list(self.listeners):
            listener()


_ears: WeakKeyDictionary[asyncio.AbstractEventLoop, _Ears] = WeakKeyDictionary()


@contextmanager
def heard_by(listener: Callable[[], None]) -> Iterator[None]:
    """While this lasts, a signal calls the listener on the loop that runs now."""
    loop = asyncio.get_running_loop()
    ears = _ears.setdefault(loop, _Ears(loop))
    if not ears.listeners:
        ears.open()
    ears.listeners.append(listener)
    try:
        yield
    finally:
        ears.listeners.remove(listener)
        if not ears.listeners:
            ears.close()
