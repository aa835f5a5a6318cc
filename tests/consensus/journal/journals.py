"""Small steps with a journal, shared by its tests."""

from corvo.consensus.journal.journal import Journal
from tests.consensus.doubles import SMALL


def open_journal(disk, *, sync="always", limits=SMALL):
    return Journal(disk, limits, sync=sync)


def make_durable(journal):
    assert journal.flush()
    if (job := journal.sync_job()) is not None:
        job.run()
        journal.synced(job)


def add(journal, *commands, term=1):
    for command in commands:
        journal.add(command, journal.last_index + 1, term)


def contents(journal):
    return list(journal[:])
