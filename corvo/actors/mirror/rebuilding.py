"""Rebuilding: the part of the mirror writer that has a new file built, and answers requests for that."""

from abc import abstractmethod
from pathlib import Path

import structlog

from corvo.actors.kernel.api import ActorAddress, ActorExitRequest, ChildActorExited, ThreadActor
from corvo.actors.mirror.builder import MirrorBuilder
from corvo.actors.mirror.messages import Build, BuildFailed, Building, Built, MirrorRebuilt, RebuildMirror
from corvo.actors.mirror.stats import MirrorStats
from corvo.core.clock import Clock
from corvo.core.errors import Unhealthy
from corvo.storage.kv import Kv
from corvo.storage.mirror.database import Unusable

log = structlog.get_logger()


class Rebuilding(ThreadActor):
    def __init__(self, kv: Kv, folder: Path, clock: Clock) -> None:
        self._kv = kv
        self._folder = folder
        self._figures = MirrorStats(clock)
        self._builder: ActorAddress | None = None
        self._rebuild_askers: list[ActorAddress] = []

    @abstractmethod
    def _take_over(self, path: Path) -> None:
        """Go on with this file. Raises Unusable or OSError."""

    @abstractmethod
    def _build_failed(self) -> None:
        """There is no new file."""

    def crashed(self) -> None:
        """Requests for a rebuild would get no other answer."""
        for asker in self._rebuild_askers:
            self.send(asker, Unhealthy("the mirror could not be rebuilt: its writer crashed"))

    def receiveMsg_RebuildMirror(self, msg: RebuildMirror, sender: ActorAddress) -> None:
        self._rebuild_askers.append(sender)
        self._rebuild("it was asked for")

    def _rebuild(self, reason: str) -> None:
        if self._builder is not None:
            return
        log.info("mirror.rebuild_began", reason=reason)
        self._figures.rebuild_began()
        self._builder = self.createActor(MirrorBuilder, self._kv, self._folder, self.myAddress)
        self.send(self._builder, Build())

    def receiveMsg_Building(self, msg: Building, sender: ActorAddress) -> None:
        self._figures.rebuild_progressed(msg.jobs, msg.jobs_expected)

    def receiveMsg_Built(self, msg: Built, sender: ActorAddress) -> None:
        if sender != self._builder:
            return
        try:
            self._take_over(msg.path)
        except (Unusable, OSError) as error:
            self._end_rebuild(str(error))
            return
        self._end_rebuild(None, msg.jobs)

    def receiveMsg_BuildFailed(self, msg: BuildFailed, sender: ActorAddress) -> None:
        if sender == self._builder:
            self._end_rebuild(msg.reason)

    def receiveMsg_ChildActorExited(self, msg: ChildActorExited, sender: ActorAddress) -> None:
        if msg.childAddress == self._builder:
            self._end_rebuild("the builder crashed")

    def _end_rebuild(self, error: str | None, jobs: int = 0) -> None:
        assert self._builder is not None
        self.send(self._builder, ActorExitRequest())
        self._builder = None
        took_ms = self._figures.rebuild_ended(error)
        askers, self._rebuild_askers = self._rebuild_askers, []
        for asker in askers:
            if error is None:
                self.send(asker, MirrorRebuilt(jobs, took_ms))
            else:
                self.send(asker, Unhealthy(f"the mirror could not be rebuilt: {error}"))
        if error is None:
            log.info("mirror.rebuilt", jobs=jobs, took_ms=took_ms)
        else:
            log.error("mirror.rebuild_failed", error=error)
            self._build_failed()
