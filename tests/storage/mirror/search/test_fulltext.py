"""Full-text search: the index, what is not in it yet, and what cannot be."""

import sqlite3

import pytest

from corvo.core.job import Job
from corvo.core.namespace import ANYWHERE, Reach, qualified
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.ops.job_admin import Action
from corvo.storage.mirror import database, tokenizer
from corvo.storage.mirror.batch import RowBatch
from corvo.storage.mirror.compare import compare
from corvo.storage.mirror.fts_indexer import index_words
from corvo.storage.mirror.search import fulltext
from corvo.storage.mirror.write import write
from tests.storage.mirror.support import build, plans


@pytest.fixture(params=["indexed", "not indexed", "half indexed"])
def texts(request, mirrored, fsm, monkeypatch):
    """However far the index has come, and wherever the newest jobs end, answers are the same."""
    monkeypatch.setattr(fulltext, "_NEWEST", 2)

    def add(*payloads, **members):
        ids = [fsm.enqueue(payload=payload.encode(), **members) for payload in payloads]
        mirrored.flush()
        if request.param == "indexed":
            mirrored.index_words()
        elif request.param == "half indexed":
            mirrored.mirror._worded_place = (
                index_words(mirrored.mirror._db, mirrored.mirror._worded_place, max(1, len(ids) // 2))
                or mirrored.mirror._worded_place
            )
        return ids

    add.mirrored = mirrored
    return add


def found(texts, asked, **members):
    return [hit.job.id for hit in texts.mirrored.text(asked, **members).hits]


def test_words_are_found_newest_first(texts):
    a, b, _, d = texts('{"t":"red apple"}', '{"t":"green apple"}', '{"t":"pear"}', '{"t":"apple tree"}')
    assert found(texts, "apple") == [d, b, a]
    assert found(texts, "apple", limit=2) == [d, b]


def test_all_words_must_be_there_in_any_order_and_place(texts):
    a, _, c = texts('{"t":"red apple"}', '{"t":"apple"}', '{"apple":"x","y":["red"]}')
    assert found(texts, "red apple") == [c, a]
    assert found(texts, "apple, RED!") == [c, a]


def test_a_word_matches_words_that_begin_with_it(texts):
    a, b, _ = texts('{"t":"application"}', '{"t":"apple"}', '{"t":"snapple"}')
    assert found(texts, "app") == [b, a]
    assert found(texts, "appl app") == [b, a]


def test_case_and_accents_do_not_matter(texts):
    a, b, c = texts('{"t":"CAFÉ"}', '{"t":"cafe"}', r'{"t":"Caf\u00e9"}')
    for asked in ("café", "CAFE", "Cafe\u0301"):
        assert found(texts, asked) == [c, b, a]


def test_escaped_line_breaks_part_words(texts):
    (a,) = texts(r'{"t":"one\ntwo\tthree"}')
    for word in ("one", "two", "three"):
        assert found(texts, word) == [a]


def test_queues_and_tags_have_words_too(texts):
    (a,) = texts("1", queue="billing-emails", tags={"customer": "Acme Corp"})
    for asked in ("billing", "emails", "customer", "acme corp", "billing acme"):
        assert found(texts, asked) == [a]


def test_an_id_is_found_as_it_is_written(texts):
    a, b = texts("1", "2")
    assert found(texts, a) == [a]
    assert found(texts, f"  {b.lower()} ") == [b]
    assert found(texts, a.removeprefix("job_")) == [a]
    assert found(texts, a[:20]) == [b, a]


def test_the_syntax_of_fts5_has_no_meaning(texts):
    (a,) = texts('{"t":"apple or not col payload x a b 1"}')
    for asked in (
        "apple OR",
        "NOT apple",
        "apple*",
        "col:x",
        "payload : apple",
        "a\x00b",
        "' OR 1",
        "-apple",
    ):
        assert found(texts, asked) == [a]
    for asked in ("", "   ", "!?", '"', "%", "_", "(", "{", "*", "^"):
        assert found(texts, asked) == []


def test_letters_that_fts5_does_not_know_are_looked_for_in_the_texts(texts):
    # Added to Unicode in 2019: FTS5 takes it for a separator.
    a, _, c = texts('{"t":"x\U00010fe1y apple"}', '{"t":"x y apple"}', '{"t":"apple x\U00010fe1y"}')
    assert found(texts, "x\U00010fe1y") == [c, a]
    assert found(texts, "x\U00010fe1y apple") == [c, a]


def test_a_moved_job_is_found_under_its_new_queue_only(texts):
    a, _ = texts('{"t":"apple"}', '{"t":"pear"}', queue="old")
    texts.mirrored.fsm.act(Action.MOVE, a, queue="new")
    assert found(texts, "new") == [a]
    assert found(texts, "old apple") == []
    texts.mirrored.index_words()
    assert found(texts, "new apple") == [a]


def test_a_deleted_job_is_found_no_more(texts):
    a, b = texts('{"t":"apple"}', '{"t":"apple"}')
    texts.mirrored.fsm.act(Action.DELETE, a)
    assert found(texts, "apple") == [b]
    texts.mirrored.index_words()
    assert found(texts, "apple") == [b]


def test_a_namespace_sees_its_own_jobs_only(texts):
    (a,) = texts('{"t":"apple"}', queue=qualified("acme", "mail"))
    (b,) = texts('{"t":"apple"}', queue="mail")
    assert found(texts, "apple", reach=Reach("acme")) == [a]
    assert found(texts, "mail", reach=Reach("acme")) == [a]
    assert found(texts, b, reach=Reach("acme")) == []
    assert found(texts, "apple") == [b]
    assert found(texts, a) == []
    assert found(texts, "apple", reach=Reach("acme", ("other",))) == []
    assert found(texts, "apple", reach=ANYWHERE) == [b, a]
    assert found(texts, "acme", reach=Reach("acme")) == [], "its own name is in no job"


def test_limits_are_brought_into_their_bounds(texts):
    texts(*['"apple"'] * 3)
    assert len(found(texts, "apple", limit=0)) == 1
    assert len(found(texts, "apple", limit=10_000)) == 3


# The index


def test_old_jobs_are_found_by_the_index_and_not_by_reading(mirrored, fsm, monkeypatch):
    monkeypatch.setattr(fulltext, "_NEWEST", 2)
    for n in range(20):
        fsm.enqueue(payload=b'"word%d"' % n)
    mirrored.flush()
    mirrored.index_words()
    found = plans(fulltext.full_text("word3", 50), mirrored.db)
    assert any("VIRTUAL TABLE INDEX" in line for plan in found for line in plan)


def test_jobs_beyond_all_measure_that_are_not_indexed_make_an_answer_partial(mirrored, fsm, monkeypatch):
    monkeypatch.setattr(fulltext, "_NEWEST", 2)
    monkeypatch.setattr(fulltext, "_UNWORDED_MAX", 4)
    ids = [fsm.enqueue(payload=b'"apple"') for _ in range(9)]
    mirrored.flush()
    answer = mirrored.text("apple")
    assert answer.is_partial
    assert [hit.job.id for hit in answer.hits] == ids[:-5:-1]

    mirrored.index_words()
    answer = mirrored.text("apple")
    assert not answer.is_partial
    assert len(answer.hits) == 9


def test_without_fts5_all_texts_are_read(mirrored, fsm, monkeypatch):
    monkeypatch.setattr(fulltext, "_NEWEST", 2)
    ids = [fsm.enqueue(payload=b'"apple %d"' % n) for n in range(6)]
    mirrored.flush()
    for name in ("deleted", "leaves_queue", "enters_queue", "late"):
        mirrored.mirror._db.execute(f"DROP TRIGGER fulltext_{name}")
    mirrored.mirror._db.execute("DROP TABLE fulltext")

    answer = mirrored.text("apple")
    assert [hit.job.id for hit in answer.hits] == ids[::-1]
    assert not answer.is_partial
    mirrored.mirror._has_words = False
    assert not mirrored.mirror.index_words()


def test_a_mirror_without_fts5_is_built_without_its_index(fsm, tmp_path, monkeypatch):
    monkeypatch.setattr(database, "has_fts5", lambda db: False)
    fsm.enqueue()
    path = build(fsm.kv, tmp_path)
    assert list(compare(fsm.kv, path)) == []
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'fulltext'").fetchone() == (0,)
    db.close()


def test_a_restored_job_older_than_the_index_is_indexed_at_once(mirrored, fsm):
    fsm.enqueue(payload=b'"young"')
    mirrored.flush()
    mirrored.index_words()
    restored = Job("job_77", "q", JobState.PENDING, Priority.NORMAL, b'"old"', created_ns=5, order_ns=5)
    batch = RowBatch(mirrored.mirror.held, 1)
    batch.put(restored.id, restored, None, {})
    db = mirrored.mirror._db

    write(db, batch)
    assert db.execute("SELECT rowid FROM fulltext WHERE fulltext MATCH 'old'").fetchall() == [(5,)]

    db.execute("DELETE FROM jobs WHERE id = 'job_77'")
    assert db.execute("SELECT rowid FROM fulltext WHERE fulltext MATCH 'old'").fetchall() == []


def test_words_are_taken_apart_as_fts5_does():
    assert tokenizer.words('{"a_b":"c-d É9"}') == ["a", "b", "c", "d", "e9"]
    assert tokenizer.terms("b a b") == ["b", "a"]
    assert tokenizer.is_indexed_whole("äö9")
    assert not tokenizer.is_indexed_whole("\U00010fe1")
