"""What can stop a node, and how it stops.

A node that cannot trust its log, its disk or its engine must not go on: a dead replica costs
availability, a wrong one costs data. Refusing to start is a sentence for the operator; failing
later ends the process, because its supervisor knows how to start it again.
"""

import errno
import logging
import os
import sys
from collections.abc import Callable

import structlog

log = structlog.get_logger()

#: Called with a sentence when the node must not go on. It is not expected to return.
FailStop = Callable[[str], None]

#: EX_SOFTWARE of sysexits.h, so that a supervisor can tell it from a refused start.
_EXIT_CODE = 70

_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class RefusedToStart(Exception):
    """Starting would risk data. The message says why, and names the file where there is one."""


class JournalDamaged(RefusedToStart):
    """Bytes that were durable once have changed."""


class JournalTooNew(RefusedToStart):
    """The journal was written in a format this version cannot read."""


class StateBehindLog(RefusedToStart):
    """The log begins after the state machine ends, so entries between the two are gone."""


class PinBroken(RefusedToStart):
    """The installed pysyncobj is not the one the adapter was written against."""


class DirectoryInUse(RefusedToStart):
    """Another process holds the journal."""


class NoRoomToStart(RefusedToStart):
    """The disk is full before there is even a journal."""


class DiskFull(Exception):
    """There is no room for this write. Nothing was written; it may be tried again."""


def is_disk_full(error: OSError) -> bool:
    return error.errno in _DISK_FULL


def exit_process(reason: str) -> None:
    """End the process at once. No clean-up: clean-up would write, and what it writes cannot be trusted."""
    log.critical("consensus.failed", reason=reason)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_EXIT_CODE)
