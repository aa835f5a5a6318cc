"""Waiting for facts, and work that only ends when it is told to."""

import asyncio
import time


def until(condition, seconds=20.0):
    """Wait until it is true, or something."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
    return found


async def forever():
    """Work without an end of its own."""
    await asyncio.Event().wait()
