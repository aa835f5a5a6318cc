"""Random journals, random damage: what was durable is there, or the node refuses to start.

CORVO_FUZZ_CASES and CORVO_FUZZ_SEED choose how many cases and which; a failure names its own.
"""

import os
import random
from dataclasses import dataclass

import pytest

from corvo.consensus.errors import RefusedToStart
from corvo.consensus.journal.journal import Journal
from corvo.consensus.settings import JournalLimits
from tests.sim.disk import SECTOR, SimDisk

CASES = int(os.environ.get("CORVO_FUZZ_CASES", "400"))
SEED = int(os.environ.get("CORVO_FUZZ_SEED", "1"))
CHUNKS = 4


@dataclass
class Durable:
    """What a reader must find: entries by index, term and vote, and where durable bytes end."""

    entries: dict[int, tuple[bytes, int, int]]
    term: int
    vote: str | None
    end: int
    file: str


class Story:
    """A journal that lives through random days."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.disk = SimDisk()
        step = chance.choice((512, 4_096))
        limits = JournalLimits(
            segment_bytes=chance.choice((1_024, 8_192, 1 << 20)) + step,
            step_bytes=step,
            cut_entries=10_000,
            cut_bytes=1 << 30,
        )
        self.journal = Journal(self.disk, limits, sync="always")
        self.ever: set[tuple[bytes, int, int]] = set()
        self.term = 0
        self.durable = self._look()

    def live(self) -> None:
        for _ in range(self.chance.randrange(5, 60)):
            self.chance.choices(
                (self._append, self._new_term, self._conflict, self._cut, self._reset, self._sync),
                (70, 10, 8, 5, 1, 30),
            )[0]()
        assert self.journal.flush()

    def _append(self) -> None:
        self._add(self.journal.last_index + 1)

    def _add(self, index: int) -> None:
        self.term = max(self.term, 1)
        entry = (self.chance.randbytes(self.chance.choice((0, 30, 600, 2_000))), index, self.term)
        self.journal.add(*entry)
        self.ever.add(entry)

    def _new_term(self) -> None:
        self.term += 1
        self.journal.set_term(self.term, self.chance.choice(("a", "b", None)))

    def _conflict(self) -> None:
        if self.journal.last_index > self.journal.first_index + 2:
            self._new_term()
            self._add(self.chance.randrange(self.journal.first_index + 1, self.journal.last_index + 1))

    def _cut(self) -> None:
        self.journal.cut_to(self.chance.randrange(self.journal.first_index, self.journal.last_index + 1))

    def _reset(self) -> None:
        self.journal.reset(self.journal.last_index + 5, max(self.term, 1))

    def _sync(self) -> None:
        assert self.journal.flush()
        job = self.journal.sync_job()
        if job is not None:
            job.run()
            self.journal.synced(job)
            self.durable = self._look()

    def _look(self) -> Durable:
        name = self.disk.names()[-1]
        end = self.journal._segments[-1].used
        entries = {entry[1]: entry for entry in self.journal[1:]}
        return Durable(entries, self.journal.term, self.journal.vote, end, name)


def lose_power(story: Story) -> bool:
    story.disk.lose_power(story.chance)
    return True


def tear(story: Story) -> bool:
    """The last file ends somewhere behind what is durable."""
    data = story.disk.open(story.disk.names()[-1]).data
    start = story.durable.end if story.durable.file == story.disk.names()[-1] else 0
    del data[story.chance.randrange(start, len(data) + 1) :]
    return story.durable.file == story.disk.names()[-1]


def zero(story: Story) -> bool:
    """Sectors behind what is durable were never written."""
    data = story.disk.open(story.disk.names()[-1]).data
    start = story.durable.end if story.durable.file == story.disk.names()[-1] else 0
    first = -(-story.chance.randrange(start, len(data) + 1) // SECTOR) * SECTOR
    data[first:] = bytes(max(0, len(data) - first))
    return story.durable.file == story.disk.names()[-1]


def flip(story: Story) -> bool:
    """One bit, anywhere that was written."""
    data = story.disk.open(story.chance.choice(story.disk.names())).data
    written = len(bytes(data).rstrip(b"\0"))
    data[story.chance.randrange(written)] ^= 1 << story.chance.randrange(8)
    return False


def check(story: Story, journal: Journal, *, is_lossless: bool) -> None:
    found = list(journal[1:])
    indices = [index for _, index, _ in journal[:]]
    assert indices == list(range(indices[0], indices[0] + len(indices))), "a gap"
    assert all(entry in story.ever for entry in found), "an entry was invented"
    by_index = {entry[1]: entry for entry in found}
    # A later entry that was not synced but survived may have replaced durable ones; only that may.
    durable = story.durable.entries
    terms = {index: term for _, index, term in journal[:]}
    replaced_from = min((i for i in terms if i in durable and terms[i] != durable[i][2]), default=1 << 62)
    missing = [i for i in durable if journal.first_index < i < replaced_from and i not in by_index]
    if is_lossless:
        assert not missing, f"durable entries {missing} are gone"
        assert journal.term >= story.durable.term
    else:
        assert not missing or journal.damage is not None, "entries are gone and nobody was told"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_damage_is_repaired_reported_or_refused(chunk):
    refused = 0
    for case in range(chunk, CASES, CHUNKS):
        chance = random.Random(f"{SEED}:{case}")
        story = Story(chance)
        story.live()
        damage = chance.choice((lose_power, tear, zero, flip))
        is_lossless = damage(story)
        try:
            journal = Journal(story.disk, JournalLimits(), sync="always")
        except RefusedToStart:
            assert damage is flip, f"seed {SEED}, case {case}: {damage.__name__} was taken for rot"
            refused += 1
            continue
        try:
            check(story, journal, is_lossless=is_lossless)
        except AssertionError as error:
            raise AssertionError(f"seed {SEED}, case {case}, {damage.__name__}: {error}") from error
    assert refused, "no case met rot: the fuzzer is blunt"
