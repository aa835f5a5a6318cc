"""Asking the system about a socket, by its number and without reading from it."""

import select

#: Some 25 days: what the system's call can take.
_POLL_MS_MAX = 2**31 - 1


def readable(number: int) -> bool:
    """Whether there is something to read, or the end. Where nobody was asked, both are bad news."""
    return _ready(number, 0.0, writing=False)[0]


def readable_or_writable(number: int, timeout_s: float) -> tuple[bool, bool]:
    """Which of the two it is; neither when the time is up."""
    return _ready(number, timeout_s, writing=True)


if hasattr(select, "poll"):

    def _ready(number: int, timeout_s: float, *, writing: bool) -> tuple[bool, bool]:
        poll = select.poll()
        poll.register(number, select.POLLIN | select.POLLOUT if writing else select.POLLIN)
        found = poll.poll(min(timeout_s * 1_000, _POLL_MS_MAX))
        mask = found[0][1] if found else 0
        # Errors and hang-ups are told to whoever reads.
        return bool(mask & ~select.POLLOUT), bool(mask & select.POLLOUT)

else:  # Windows, where select() has no trouble with large numbers.

    def _ready(number: int, timeout_s: float, *, writing: bool) -> tuple[bool, bool]:
        read, write, _ = select.select([number], [number] if writing else [], [], timeout_s)
        return bool(read), bool(write)
