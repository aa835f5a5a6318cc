"""From documents to rows."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.core.failures import failure_of
from corvo.core.job import Flow, Job, Lease, Unique, UniqueUntil, decode_job
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.storage.mirror.rows import COLUMNS, Row, row_of, spelled, tags_of, text_of


def test_a_row_has_a_value_for_every_column(fsm):
    job = fsm.job(fsm.enqueue("mail", b'{"to":1}', unique_key="k", tags={"team": "a"}, parent_id="job_p"))
    row = dict(zip(COLUMNS, row_of(job), strict=True))

    assert row["place"] == job.created_ns
    assert (row["id"], row["queue"], row["state"]) == (job.id, "mail", 1)
    assert (row["unique_key"], row["parent_id"], row["worker_id"]) == ("k", "job_p", None)


def test_every_value_stands_under_the_name_of_its_column():
    job = Job(
        id="job_1",
        queue="mail",
        state=JobState.DEAD,
        priority=Priority.HIGH,
        payload=None,
        created_ns=1,
        order_ns=2,
        attempt=3,
        error_count=4,
        scheduled_ns=5,
        started_ns=6,
        completed_ns=7,
        failed_ns=8,
        expire_ns=9,
        unique=Unique("unique", 1, UniqueUntil.SUCCESS),
        flow=Flow(batch_id="batch", chain_id="chain"),
        lease=Lease(1, 2, 3, "worker", "host"),
        parent_id="parent",
        group="group",
        last_error="broken",
    )
    row = Row._make(row_of(job))
    assert (row.place, row.id, row.queue, row.state, row.priority) == (1, "job_1", "mail", JobState.DEAD, 1)
    assert (row.attempt, row.error_count, row.scheduled_ns, row.started_ns) == (3, 4, 5, 6)
    assert (row.completed_ns, row.failed_ns, row.expire_ns) == (7, 8, 9)
    assert (row.unique_key, row.batch_id, row.worker_id) == ("unique", "batch", "worker")
    assert (row.parent_id, row.group_label, row.chain_id) == ("parent", "group", "chain")
    assert row.failure == failure_of("broken")
    assert decode_job(row.document) == job
    assert None not in row


def test_the_document_in_a_row_is_the_job_without_its_payload(fsm):
    job = fsm.job(fsm.enqueue("mail", b'{"to":1}'))
    document = decode_job(dict(zip(COLUMNS, row_of(job), strict=True))["document"])

    assert document.payload is None
    document.payload = job.payload
    assert document == job


def test_a_job_in_the_hands_of_a_worker_names_it(fsm):
    fsm.enqueue()
    job = fsm.job(fsm.lease(worker="w7").id)
    assert dict(zip(COLUMNS, row_of(job), strict=True))["worker_id"] == "w7"


def test_numbers_are_plain_because_sqlite3_is_slow_with_enumerations(fsm):
    row = row_of(fsm.job(fsm.enqueue()))
    assert {type(value) for value in row} <= {int, str, bytearray, type(None)}


def test_no_tags_are_no_text(fsm):
    assert tags_of(fsm.job(fsm.enqueue())) is None
    assert tags_of(fsm.job(fsm.enqueue(tags={"a": "é"}))) == '{"a":"é"}'


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (b'"plain"', '"plain"'),
        (rb'"caf\u00e9"', '"café"'),
        (rb'"caf\u00E9"', '"café"'),
        (rb'"\ud83d\ude00"', '"😀"'),
        (rb'"a\/b"', '"a/b"'),
        (rb'"\u0022\u005c"', r'"\"\\"'),
        (rb'"\u000a\n"', r'"\n\n"'),
        (rb'"\u001F"', r'"\u001f"'),
        (rb'"\uD800"', r'"\ud800"'),
        (rb'"\\u00e9"', r'"\\u00e9"'),
        (b"12345678901234567890.10", "12345678901234567890.10"),
        (b'"\xff"', '"�"'),
    ],
)
def test_payloads_have_one_spelling(payload, text):
    assert text_of(payload) == text


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(values)
def test_spelling_changes_no_meaning(value):
    for ascii_only in (True, False):
        payload = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        try:
            payload.decode()
        except UnicodeDecodeError:
            continue  # Half a pair, which only an escape can write.
        assert json.loads(text_of(payload)) == value


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_all_spellings_of_a_string_become_one(text):
    escaped = "".join(f"\\u{unit:04X}" for character in text for unit in _units(character))
    assert text_of(f'"{escaped}"'.encode()) == f'"{spelled(text)}"'


def _units(character):
    data = character.encode("utf-16-be")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
