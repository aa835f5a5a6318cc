"""Every kind of difference between mirror and store is told."""

import pytest

from corvo.storage.mirror.compare import compare
from corvo.storage.mirror.rows import COLUMNS


@pytest.fixture
def whole(mirrored, fsm):
    """A mirror with a bit of everything in it, and a way to spoil it."""
    ids = [fsm.enqueue("q", b'{"n":%d}' % n, tags={"a": "b"}) for n in range(3)]
    fsm.fail(ids[0], fsm.lease(ids[0]).lease.token, error="boom")
    mirrored.flush()
    mirrored.index_words()
    yield mirrored, ids
    mirrored.mirror.abandon()


def told(mirrored):
    mirrored.mirror._db.execute("PRAGMA wal_checkpoint")
    return mirrored.differences()


def test_equal_means_silence(whole):
    assert told(whole[0]) == []


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("DELETE FROM jobs WHERE place = (SELECT max(place) FROM jobs)", "{2} is missing from the mirror"),
        ("UPDATE jobs SET state = 5 WHERE id = '{1}'", "{1} has state 5 in the mirror, 1 in the store"),
        ("UPDATE jobs SET document = x'00' WHERE id = '{1}'", "{1} has document b'\\x00' in the mirror"),
        ("UPDATE texts SET payload = '1' WHERE place = 5", None),
        ("UPDATE texts SET payload = '1'", "{0} has payload '1' in the mirror"),
        ("UPDATE texts SET tags = NULL", "{0} has tags None in the mirror"),
        ("DELETE FROM texts", "{0} has payload None in the mirror"),
        ("DELETE FROM errors", "error 0 of {0} is missing from the mirror"),
        ("UPDATE errors SET error = 'x'", "error 0 of {0} reads 'x' in the mirror"),
        ("INSERT INTO errors VALUES ('{2}', 4, 'x')", "error 4 of {2} is in the mirror but not in the store"),
        ("INSERT INTO texts VALUES (77, '1', NULL)", "the text at 77 belongs to no job"),
        ("DELETE FROM failures", "the mirror counts -1 jobs too many of failure 'boom' in q"),
        ("UPDATE mirror SET worded_place = 0", "should not be in"),
        ("DELETE FROM fulltext_docsize", "is missing from the full-text index"),
        ("UPDATE mirror SET applied_index = 99", "the mirror is at entry 99"),
        ("UPDATE mirror SET schema_version = 99", "the mirror cannot be opened: it has schema 99"),
        ("DROP TABLE texts", "the mirror cannot be read: no such table"),
    ],
)
def test_each_difference_is_a_sentence(whole, sql, sentence):
    mirrored, ids = whole
    mirrored.mirror._db.execute(sql.format(*ids))
    sentences = told(mirrored)
    if sentence is None:
        assert sentences == []
    elif "worded_place" in sql:
        assert sentences == []  # More words than promised do no harm.
    else:
        assert any(sentence.format(*ids) in told for told in sentences), sentences


def test_a_job_that_the_store_does_not_have_is_told(whole, fsm):
    mirrored, ids = whole
    mirrored.mirror._db.execute(
        f"INSERT INTO jobs ({', '.join(COLUMNS)})"
        f" SELECT 7, 'job_zzz', {', '.join(COLUMNS[2:])} FROM jobs WHERE id = '{ids[1]}'"
    )
    assert told(mirrored)[0] == "job_zzz is in the mirror but not in the store"


def test_no_mirror_is_a_difference(fsm, tmp_path):
    (sentence,) = compare(fsm.kv, tmp_path / "mirror-1.db")
    assert sentence == "the mirror cannot be opened: mirror-1.db is missing"
