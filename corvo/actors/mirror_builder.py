"""Mirror builder: builds a new mirror beside the one in use, on a thread of its own.

    mirror writer --Build--> [builder] --Built--> mirror writer

It works in small steps and looks at its mailbox in between, so that a node can stop at any time. What it has
begun then leaves no trace. A writer makes one for each rebuild and ends it afterwards.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

from corvo.actors.kernel.api import ActorAddress, OnCrash, ThreadActor, WakeupMessage
from corvo.actors.mirror_messages import Build, BuildFailed, Building, Built
from corvo.storage.kv import Kv
from corvo.storage.mirror.rebuild import FAILURES, Progress, build


class MirrorBuilder(ThreadActor):
    #: The writer decides whether and when to try again.
    on_crash: ClassVar[OnCrash] = OnCrash.STOP

    def __init__(self, kv: Kv, folder: Path, writer: ActorAddress) -> None:
        self._kv = kv
        self._folder = folder
        self._writer = writer
        self._steps: Iterator[Progress] = iter(())

    def receiveMsg_Build(self, msg: Build, sender: ActorAddress) -> None:
        self._steps = build(self._kv, self._folder)
        self._rest()

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        try:
            progress = next(self._steps)
        except FAILURES as error:
            # No room, or LevelDB was closed under us. The generator has cleaned up.
            self.send(self._writer, BuildFailed(f"{type(error).__name__}: {error}"))
            return
        if progress.path is not None:
            self.send(self._writer, Built(progress.path, progress.jobs))
            return
        self.send(self._writer, Building(progress.jobs, progress.jobs_expected))
        self._rest()

    def stopping(self) -> None:
        close = getattr(self._steps, "close", None)
        if close is not None:
            close()

    def _rest(self) -> None:
        """Go on after whatever waits in the mailbox."""
        self.wakeupAfter(timedelta(0))
