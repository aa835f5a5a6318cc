"""A simulator that cannot fail proves nothing: with one guard taken away it must find out."""

import zlib

import pytest

from corvo.consensus.journal.journal import Journal
from corvo.consensus.raft import engine as engine_file
from corvo.consensus.raft import outbox as outbox_file
from corvo.consensus.raft.feeding import Feeding
from corvo.consensus.raft.membership import Membership
from corvo.consensus.raft.progress import FollowerProgress
from corvo.consensus.raft.proposals import Proposals
from corvo.consensus.raft.replication import Replication
from corvo.consensus.raft.snapshot_in import IncomingSnapshot
from corvo.consensus.raft.snapshot_out import OutgoingSnapshot
from corvo.consensus.roster import ROSTER, Roster, Rosters
from tests.sim.run import run
from tests.sim.test_sim_slow import SECONDS

SEEDS_MAX = 100


def first_violation(spares=0):
    """As the many seeds of test_sim_slow.py are run."""
    for seed in range(SEEDS_MAX):
        outcome = run(seed, nodes=3, seconds=SECONDS, spares=spares)
        if outcome.violations:
            return outcome.violations[0]
    return None


@pytest.fixture
def commit_what_the_leader_says(monkeypatch):
    """As pysyncobj does: the leader's commit index counts for entries it never verified."""
    prepare = engine_file.prepare

    def unclipped(message, journal, commit_index):
        prepared = prepare(message, journal, commit_index)
        return {**prepared, "commit_index": min(message["commit_index"], journal.last_index)}

    monkeypatch.setattr(engine_file, "prepare", unclipped)


@pytest.fixture
def promise_before_the_disk_has_it(monkeypatch):
    monkeypatch.setattr(outbox_file, "PROMISES", frozenset())


@pytest.fixture
def forget_the_vote(monkeypatch):
    def only_in_memory(journal, term, vote):
        journal.term, journal.vote = term, vote

    monkeypatch.setattr(Journal, "set_term", only_in_memory)


@pytest.fixture
def truncate_whatever_follows(monkeypatch):
    """As pysyncobj does: a message deletes all behind its first entry, and entries are sent repeatedly."""
    acknowledged = FollowerProgress.acknowledged

    def going_back(progress, index):
        acknowledged(progress, index)
        progress.next_index = index + 1

    monkeypatch.setattr(FollowerProgress, "acknowledged", going_back)
    prepare = engine_file.prepare

    def truncating(message, journal, commit_index):
        previous = message["prevLogIdx"]
        if journal.term_at(previous) == message["prevLogTerm"]:
            del journal._entries[previous - journal.first_index + 1 :]
            journal.durable_index = min(journal.durable_index, journal.last_index)
        return prepare(message, journal, commit_index)

    monkeypatch.setattr(engine_file, "prepare", truncating)


@pytest.fixture
def cut_what_is_not_stored(monkeypatch):
    cut_index = engine_file.cut_index

    def greedy(journal, limits, **conditions):
        return cut_index(journal, limits, **{**conditions, "stored_index": journal.last_index - 1})

    monkeypatch.setattr(engine_file, "cut_index", greedy)


@pytest.fixture
def keep_tickets_without_the_lead(monkeypatch):
    monkeypatch.setattr(Proposals, "lose_all", lambda proposals: proposals._waiting.clear())


@pytest.fixture
def paper_over_lost_chunks(monkeypatch):
    """As pysyncobj does: what was on its way when the connection broke is missing, and nobody counts."""
    monkeypatch.setattr(OutgoingSnapshot, "connection_lost", lambda snapshot: None)
    take = IncomingSnapshot.take

    def trusting(incoming, peer, message):
        if message["number"]:
            incoming._next = message["number"]
            incoming._checksum = 0
            message = {**message, "checksum": zlib.crc32(message["chunk"])}
        return take(incoming, peer, message)

    monkeypatch.setattr(IncomingSnapshot, "take", trusting)


@pytest.fixture
def feed_without_end(monkeypatch):
    monkeypatch.setattr(Feeding, "has_room", True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "missing_guard",
    [
        "commit_what_the_leader_says",
        "promise_before_the_disk_has_it",
        "forget_the_vote",
        "truncate_whatever_follows",
        "cut_what_is_not_stored",
        "keep_tickets_without_the_lead",
        "paper_over_lost_chunks",
        "feed_without_end",
    ],
)
def test_a_missing_guard_is_found_out(missing_guard, request):
    request.getfixturevalue(missing_guard)
    assert first_violation() is not None


# Members


@pytest.fixture
def two_changes_at_once(monkeypatch):
    """As pysyncobj does: its guard is never armed."""
    monkeypatch.setattr(Membership, "is_settled", property(lambda membership: True))


@pytest.fixture
def count_a_member_before_it_has_the_state(monkeypatch):
    """A newcomer counts as having the log as soon as it has the first piece of a snapshot."""
    on_snapshot_reply = Replication.on_snapshot_reply

    def credulous(replication, peer, message):
        on_snapshot_reply(replication, peer, message)
        follower = replication._followers.get(peer)
        if follower is not None and follower.snapshot is not None and message["success"]:
            replication._core.set_match(peer, replication._core.journal.last_index)

    monkeypatch.setattr(Replication, "on_snapshot_reply", credulous)


@pytest.fixture
def keep_a_roster_that_was_replaced(monkeypatch):
    """A roster stays in force although another leader's entry has taken its place in the log."""

    def only_adding(rosters, entries):
        before = rosters.current
        for command, index, _ in entries:
            if command[:1] == ROSTER and index > rosters._base_index:
                rosters._in_log.append((index, Roster.decode(command[1:])))
        return rosters.current is not before

    monkeypatch.setattr(Rosters, "added", only_adding)


@pytest.mark.slow
@pytest.mark.parametrize(
    "missing_guard",
    ["two_changes_at_once", "count_a_member_before_it_has_the_state", "keep_a_roster_that_was_replaced"],
)
def test_a_missing_guard_of_the_membership_is_found_out(missing_guard, request):
    request.getfixturevalue(missing_guard)
    assert first_violation(spares=3) is not None


def test_the_quick_tests_would_notice_a_gross_fault(cut_what_is_not_stored):
    assert first_violation() is not None
