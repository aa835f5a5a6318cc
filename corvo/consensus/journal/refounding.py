"""Refounding: the log of a stopped node is made to say that this node is the whole cluster.

    corvo cluster recover -> [refounding] -> journal

For the day when most nodes are gone for good. A roster is an entry like any other and counts from the moment
it is in the log, so one is appended that has this node alone. At its next start the node elects itself and
commits all of its log, also what it was never told is decided: much of that was, by the nodes that are gone.
"""

from dataclasses import replace
from pathlib import Path

from corvo.consensus.api import Position
from corvo.consensus.errors import RefusedToStart, StateBehindLog
from corvo.consensus.journal.disk import OsDisk
from corvo.consensus.journal.journal import Journal
from corvo.consensus.roster import ROSTER, Roster
from corvo.consensus.settings import JournalLimits


def refound(directory: Path, node_id: str, roster: Roster, position: Position) -> int:
    """Make this node the only member, by an entry behind all that are there. The index of that entry.

    The position is where the state machine is durable. Raises RefusedToStart, and then nothing was changed.
    """
    disk = OsDisk(directory)
    journal = Journal(disk, JournalLimits().fitted(disk.bytes_total()), sync="always")
    try:
        if position.index < journal.first_index:
            raise StateBehindLog(
                f"the store ends at entry {position.index}, the log begins behind entry "
                f"{journal.first_index}: entries between the two are gone"
            )
        if journal.term_at(position.index) != position.term:
            # As at a start: stopped between the arrival of a snapshot and the journal's note of it.
            journal.reset(position.index, position.term)
        alone = Roster({node_id: replace(roster.seats[node_id], is_voter=True)})
        # A term that no node has led in, so that no entry of another leader could ever be taken for these.
        term = max(journal.term, journal.last_term, position.term) + 1
        index = journal.last_index + 1
        journal.set_term(term, node_id)
        journal.add(ROSTER + alone.encode(), index, term)
        if not journal.flush():
            raise RefusedToStart(f"there is no room on the disk for one more entry in {directory}")
        job = journal.sync_job()
        assert job is not None
        job.run()
    finally:
        journal.close()
    return index
