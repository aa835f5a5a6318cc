"""Audit stream: every record as a line of JSON on standard output or in a file, on a thread of its own.

    fsm --AuditWritten--> [audit stream] --lines--> file

A reader that is slow, or a disk that is full, holds up nobody: records wait in the store, and the stream
goes on from the last line that it has written. So does a node that starts again with the same file. A record
that grows (a queue that is cleared in several steps, say) is written again under the same id; the last line
counts.
"""

import os
import stat
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, Final

import msgspec
import structlog

from corvo.actors.audit.messages import AuditRead, AuditWritten, ReadAudit
from corvo.actors.kernel.api import ActorAddress, ThreadActor, WakeupMessage
from corvo.actors.state.messages import StateReplaced, Subscribe, Topic
from corvo.core.access.audit import AuditRecord, time_of_id

log = structlog.get_logger()

STDOUT: Final = "-"
_PAGE = 500
_RETRY = timedelta(seconds=5)
#: The last line of a file is looked for in so many bytes at its end.
_TAIL_BYTES = 64 * 1024


class AuditStream(ThreadActor):
    def __init__(self, fsm: ActorAddress, target: str, line_of: Callable[[AuditRecord], bytes]) -> None:
        """`line_of` puts a record into JSON, without a line feed."""
        self._fsm = fsm
        self._target = target
        self._line_of = line_of
        self._file: int | None = None
        #: The time of the last record that was written; None as long as there was none to write.
        self._last_ns: int | None = None
        #: Of the last AuditWritten.
        self._number: int | None = None
        #: While it reads what it has missed, what it is told is on its way by that, too.
        self._is_catching_up = False
        self._has_failed = False

    def started(self) -> None:
        if self._target != STDOUT:
            self._last_ns = _last_time(self._target)
        self.send(self._fsm, Subscribe((Topic.RECORDS, Topic.REPLACED)))
        if self._last_ns is not None:
            self._catch_up()
        else:
            self._write(())  # A file that cannot be written is told of now, not at the first record.

    def stopping(self) -> None:
        self._close()

    # Hearing

    def receiveMsg_AuditWritten(self, msg: AuditWritten, sender: ActorAddress) -> None:
        has_missed = self._number is not None and msg.number != self._number + 1
        self._number = msg.number
        if self._last_ns is None and msg.records:
            self._last_ns = msg.records[0].at_ns - 1
        if self._is_catching_up:
            return
        if has_missed and self._last_ns is not None:
            self._catch_up()
        else:
            self._write(msg.records)

    def receiveMsg_StateReplaced(self, msg: StateReplaced, sender: ActorAddress) -> None:
        if self._last_ns is not None and not self._is_catching_up:
            self._catch_up()

    def receiveMsg_AuditRead(self, msg: AuditRead, sender: ActorAddress) -> None:
        if not msg.records:
            self._is_catching_up = False
        elif self._write(msg.records):
            self._catch_up()

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if not self._write(()):
            return
        self._is_catching_up = False
        if self._last_ns is not None:
            self._catch_up()

    def _catch_up(self) -> None:
        self._is_catching_up = True
        assert self._last_ns is not None
        self.send(self._fsm, ReadAudit(self._last_ns, _PAGE))

    # Writing

    def _write(self, records: Iterable[AuditRecord]) -> bool:
        """Whether all of them were written. If not, it is tried again from where it stopped."""
        try:
            for record in records:
                _write_all(self._opened(), self._line_of(record) + b"\n")
                self._last_ns = max(self._last_ns or 0, record.at_ns)
            self._opened()
        except OSError as error:
            self._fail(error)
            return False
        if self._has_failed:
            log.info("audit.stream_resumed", target=self._target)
            self._has_failed = False
        return True

    def _fail(self, error: OSError) -> None:
        if not self._has_failed:
            log.error(
                "audit.stream_failed",
                target=self._target,
                error=str(error),
                consequence="records are kept in the node and written when that is possible again",
            )
        self._has_failed = True
        self._is_catching_up = True
        self._close()
        self.wakeupAfter(_RETRY)

    def _opened(self) -> int:
        """The file, opened anew if somebody has moved it away."""
        if self._file is not None and not self._is_moved(self._file):
            return self._file
        self._close()
        if self._target == STDOUT:
            if sys.stdout is None:
                raise OSError("standard output is closed")
            self._file = os.dup(sys.stdout.fileno())
            return self._file
        self._file = os.open(self._target, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            _write_all(self._file, b"\n")  # The node was killed, or the disk was full, within a line.
        return self._file

    def _is_moved(self, file: int) -> bool:
        if self._target == STDOUT:
            return False
        try:
            now = os.stat(self._target)
        except FileNotFoundError:
            return True
        opened = os.fstat(file)
        return (now.st_dev, now.st_ino) != (opened.st_dev, opened.st_ino)

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


class _Line(msgspec.Struct):
    id: str


def _last_time(path: str) -> int | None:
    """The time of the last whole record in the file."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None  # A pipe, say, remembers nothing, and to read it may take for ever.
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            lines = file.read(_TAIL_BYTES).split(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        log.warning("audit.stream_unread", target=path, error=str(error))
        return None
    times = [time for line in lines if (time := _time_of(line)) is not None]
    return max(times, default=None)


def _time_of(line: bytes) -> int | None:
    try:
        read: Any = msgspec.json.decode(line, type=_Line)
    except msgspec.DecodeError:
        return None
    return time_of_id(read.id)
