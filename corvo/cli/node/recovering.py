"""`corvo cluster recover`: what is left of a cluster in a stopped node's folder, and going on with that."""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from corvo.cli.exit_codes import ExitCode
from corvo.cli.problems import Misused, Problem
from corvo.consensus.api import Position
from corvo.consensus.errors import RefusedToStart
from corvo.consensus.journal.inspection import inspect
from corvo.consensus.journal.refounding import refound
from corvo.consensus.roster import Roster
from corvo.storage import keys
from corvo.storage.datadir import DataDir, DataDirProblem, read_marker
from corvo.storage.leveldb import StoreBusy, StoreDamaged
from corvo.storage.meta import GENESIS, decode_meta


class Survivor(NamedTuple):
    """A node that is left of a cluster."""

    node_id: str
    #: Where its store is, and the last entry its log has.
    position: Position
    last_index: int
    roster: Roster

    @property
    def others(self) -> list[str]:
        return sorted(self.roster.seats.keys() - {self.node_id})


class Recovery:
    """The folder of a stopped node, which is held until closed."""

    def __init__(self, folder: Path) -> None:
        try:
            marker = read_marker(folder)
            if marker is None or marker["state"] != "ready":
                raise Misused(f"{folder} is not the data folder of a node")
            self._data = DataDir(folder, node_id=marker["node_id"])
        except DataDirProblem as problem:
            raise Problem(str(problem), ExitCode.REFUSED, "Stop the node first.") from None

    def look(self) -> Survivor:
        node_id = self._node_id()
        try:
            with closing(self._data.open_store()) as kv:
                stored, meta = kv.get(keys.ROSTER), kv.get(keys.META)
        except (StoreBusy, StoreDamaged) as problem:
            raise Problem(str(problem), ExitCode.REFUSED) from None
        journal = inspect(self._data.journal)
        if journal.problem is not None:
            raise Problem(journal.problem, ExitCode.REFUSED)
        # What the log says last is in force, decided or not.
        kept = None if stored is None else Roster.decode(stored)
        roster = journal.roster or kept
        # A node that founded its cluster has it in its journal, and a moment later in its store.
        is_founder = roster is not None and roster.seats.keys() == {node_id}
        if roster is None or (meta is None and not is_founder):
            raise Problem(
                f"{node_id} never belonged to a cluster: there is nothing to recover", ExitCode.REFUSED
            )
        if not is_founder and (node_id not in roster.seats or kept is None or node_id not in kept.seats):
            raise Problem(
                f"{node_id} was removed from its cluster, or was never told what the others had",
                ExitCode.REFUSED,
                "Recover the folder of another node, or restore a backup.",
            )
        found = GENESIS if meta is None else decode_meta(meta)
        position = Position(found.index, found.term)
        return Survivor(node_id, position, max(journal.last_index, found.index), roster)

    def _node_id(self) -> str:
        marker = read_marker(self._data.path)
        assert marker is not None
        node_id: str = marker["node_id"]
        return node_id

    def recover(self, survivor: Survivor) -> int:
        """The entry from which on the node is a cluster of its own."""
        try:
            return refound(self._data.journal, survivor.node_id, survivor.roster, survivor.position)
        except RefusedToStart as refusal:
            raise Problem(str(refusal), ExitCode.REFUSED) from None

    def close(self) -> None:
        self._data.close()
