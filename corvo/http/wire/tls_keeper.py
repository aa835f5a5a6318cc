"""TLS keeper: the certificate that new connections are shown, replaced when its files are.

    files --watch, SIGHUP--> [tls keeper] --context--> the next handshake

Programs that renew certificates write new files at any time, one after the other. So a file that is broken,
or does not go with the others, changes nothing: what was good stays in use, and the log says what is wrong.
"""

import asyncio
import contextlib
import ssl
from typing import Final

import structlog

from corvo.core.clock import NS_PER_S, SystemClock
from corvo.http.wire.tls import Loaded, TlsFiles, TlsRefused, load

log = structlog.get_logger()

#: How often the files are looked at.
_LOOK_S: Final = 1.0
#: Whoever renews certificates has done so by then.
_EXPIRES_SOON_S: Final = 7 * 86_400

#: What changes when a file does: time, size and number of each; None for one that is not there.
_Stamp = tuple[tuple[int, int, int] | None, ...]


class TlsKeeper:
    def __init__(self, files: TlsFiles) -> None:
        """Raises TlsRefused."""
        self._files = files
        self._stamp = _stamp(files)
        self._loaded = load(files)
        self._asked = asyncio.Event()
        _tell("tls.loaded", self._loaded)

    @property
    def context(self) -> ssl.SSLContext:
        """For the next handshake. Each has its own tickets, so none is resumed that the files forbid."""
        return self._loaded.context

    def reload(self) -> None:
        """Read the files again, whether they look changed or not."""
        self._asked.set()

    async def watch(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S):
                    await self._asked.wait()
            was_asked = self._asked.is_set()
            self._asked.clear()
            # The files may be on a network, and must not hold up the loop.
            stamp = await asyncio.to_thread(_stamp, self._files)
            if was_asked or stamp != self._stamp:
                # Noted before they are read: what changes meanwhile is seen at the next look.
                self._stamp = stamp
                await self._replace()

    async def _replace(self) -> None:
        try:
            self._loaded = await asyncio.to_thread(load, self._files)
        except TlsRefused as reason:
            # Without the traceback: whoever wrote the files needs the sentence.
            log.warning(
                "tls.not_reloaded", reason=str(reason), consequence="the old certificate stays in use"
            )
        else:
            _tell("tls.reloaded", self._loaded)


def _stamp(files: TlsFiles) -> _Stamp:
    stamps: list[tuple[int, int, int] | None] = []
    for path in files.paths():
        try:
            found = path.stat()
            stamps.append((found.st_mtime_ns, found.st_size, found.st_ino))
        except OSError:
            stamps.append(None)
    return tuple(stamps)


def _tell(event: str, loaded: Loaded) -> None:
    facts = {"subject": loaded.subject, "expires": loaded.expires.isoformat()}
    left_s = loaded.expires.timestamp() - SystemClock().now_ns() / NS_PER_S
    if left_s < 0:
        log.error(event, **facts, problem="the certificate has expired: clients will refuse it")
    elif left_s < _EXPIRES_SOON_S:
        log.warning(event, **facts, problem="the certificate expires soon")
    else:
        log.info(event, **facts)
