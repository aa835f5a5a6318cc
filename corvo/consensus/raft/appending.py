"""Appending, a follower's side: what of a leader's message is new, what contradicts, how much it proves.

pysyncobj deletes everything behind the message's first entry, also entries it has acknowledged, and takes
the leader's commit index for its own unverified tail. Both lose data. So a message is cut down here to what
is really new before pysyncobj sees it, and its commit index to what it really proves.
"""

from corvo.consensus.journal.journal import Journal
from corvo.consensus.journal.record import HEAD_BYTES
from corvo.consensus.link.protocol import PeerMessage


class Contradiction(Exception):
    """A leader's entry differs from one that is committed here. One of the two logs is wrong."""


def prepare(message: PeerMessage, journal: Journal, commit_index: int) -> PeerMessage:
    """The message, reduced to its new entries. Raises DiskFull if there is no room for them.

    If the log does not hold the entry the message continues, it is left alone: pysyncobj refuses it.
    """
    previous, previous_term, entries = message["prevLogIdx"], message["prevLogTerm"], message["entries"]
    if journal.term_at(previous) != previous_term:
        return message
    known = 0
    for _, index, term in entries:
        if journal.term_at(index) != term:
            break
        known += 1
    new = entries[known:]
    if known:
        _, previous, previous_term = entries[known - 1]
    proven = previous + len(new)
    if new:
        _check(new[0][1], journal, commit_index)
        # Before anything changes, so that a full disk leaves the message wholly undone.
        journal.ensure_room(sum(HEAD_BYTES + len(command) for command, _, _ in new))
    return {
        **message,
        "prevLogIdx": previous,
        "prevLogTerm": previous_term,
        "entries": new,
        "commit_index": min(message["commit_index"], proven),
    }


def without_entries(message: PeerMessage) -> PeerMessage:
    """What a prepared message says of entries that are here already: how many of them are committed."""
    proven = min(message["commit_index"], message["prevLogIdx"])
    return {**message, "entries": (), "commit_index": proven}


def _check(first_new: int, journal: Journal, commit_index: int) -> None:
    if first_new <= min(commit_index, journal.last_index):
        raise Contradiction(f"the leader's entry {first_new} differs from the one committed here")
