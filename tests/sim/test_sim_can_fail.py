"""A simulator that cannot fail proves nothing: with one guard taken away it must find out."""

import itertools

import pytest

from corvo.consensus import engine as engine_file
from corvo.consensus import outbox as outbox_file
from corvo.consensus.journal import Journal
from corvo.consensus.progress import Progress
from corvo.consensus.proposals import Proposals
from tests.sim.run import run

SEEDS_MAX = 60


def first_violation(nodes=3):
    for seed in itertools.islice(itertools.count(), SEEDS_MAX):
        outcome = run(seed, nodes=nodes, seconds=20)
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
    acknowledged = Progress.acknowledged

    def going_back(progress, index):
        acknowledged(progress, index)
        progress.next_index = index + 1

    monkeypatch.setattr(Progress, "acknowledged", going_back)
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
    ],
)
def test_a_missing_guard_is_found_out(missing_guard, request):
    request.getfixturevalue(missing_guard)
    assert first_violation() is not None


def test_the_quick_tests_would_notice_a_gross_fault(cut_what_is_not_stored):
    assert first_violation() is not None
