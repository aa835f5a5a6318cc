"""Postbox: letters that come over the node link, handed to the actors they concern.

node link --letters--> [postbox] --> envoy, registrar, surveyor, auditor
"""

from collections.abc import Callable
from typing import Protocol

import structlog

from corvo.actors.cluster import node_messages as letters
from corvo.actors.cluster.messages import LetterCame, LinkChanged, VisitorAsked
from corvo.actors.cluster.node_messages import (
    AskFigures,
    Figures,
    LetterUnknown,
    RelayAnswer,
    RelayOps,
    RelayRefusal,
    Tally,
)
from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.system import System

log = structlog.get_logger()


class Link(Protocol):
    def post(self, peer: str, letter: bytes) -> bool: ...


class Postbox:
    """Implements mesh.Postbox and envoy.Post. Made before the actors, who are introduced later."""

    def __init__(self, system: System, link: Link) -> None:
        self._system = system
        self._link = link
        self.batcher: ActorAddress | None = None
        self.envoy: ActorAddress | None = None
        self.registrar: ActorAddress | None = None
        self.surveyor: ActorAddress | None = None
        self.auditor: ActorAddress | None = None

    def post(self, peer: str, letter: bytes) -> bool:
        return self._link.post(peer, letter)

    def mail_received(self, peer: str, letter: bytes) -> None:
        try:
            read = letters.decode(letter)
        except LetterUnknown as reason:
            log.warning("letter.unknown", peer=peer, reason=str(reason))
            return
        if isinstance(read, RelayOps | RelayAnswer | RelayRefusal):
            self._tell(self.envoy, LetterCame(peer, read))
        elif isinstance(read, AskFigures | Figures):
            self._tell(self.surveyor, LetterCame(peer, read))
        elif isinstance(read, Tally):
            self._tell(self.auditor, LetterCame(peer, read))
        else:
            self._tell(self.registrar, LetterCame(peer, read))

    def visitor_asks(self, visitor: str, letter: bytes, answer: Callable[[bytes], None]) -> None:
        try:
            read = letters.decode(letter)
        except LetterUnknown as reason:
            log.warning("letter.unknown", visitor=visitor, reason=str(reason))
            return
        self._tell(self.registrar, VisitorAsked(visitor, read, answer))

    def link_changed(self, peer: str, *, is_up: bool) -> None:
        for actor in (self.envoy, self.registrar, self.surveyor):
            self._tell(actor, LinkChanged(peer, is_up))

    def _tell(self, actor: ActorAddress | None, message: LetterCame | VisitorAsked | LinkChanged) -> None:
        assert actor is not None, "nothing comes before all are introduced"
        self._system.tell(actor, message)
