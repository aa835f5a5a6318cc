"""How things are printed: forms, tables, times, colours."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.cli.output.job_page import page
from corvo.cli.output.output import Output, relative, to_json
from corvo.cli.output.table import Column, clean, render
from corvo.core.clock import ManualClock

S = 1_000_000_000
COLUMNS = [
    Column("ID", "id"),
    Column("N", "n", "number"),
    Column("AT", "at", "time"),
    Column("X", "x", "json"),
]
ROWS = [{"id": "a", "n": 5, "at": "2023-11-14T22:12:20Z", "x": {"k": 1}}, {"id": "bb", "n": 12}]


def printed(capsys, form, times="relative", colour=False):
    out = Output(form, times, colour, ManualClock(1_700_000_000 * S))
    out.many(iter(ROWS), COLUMNS)
    return capsys.readouterr().out


def test_a_table_is_aligned_and_says_times_in_words(capsys):
    assert printed(capsys, "table").splitlines() == [
        "ID   N  AT      X",
        'a    5  1m ago  {"k": 1}',
        "bb  12",
    ]


def test_times_can_be_exact(capsys):
    assert "2023-11-14T22:12:20Z" in printed(capsys, "table", times="iso")
    assert "2023-11-14T22:12:20Z" in printed(capsys, "table", times="raw")


@pytest.mark.parametrize("form", ["json", "jsonl", "id", "none"])
def test_the_other_forms_are_for_programs(capsys, form):
    text = printed(capsys, form)
    expected = {
        "json": lambda: json.loads(text) == ROWS,
        "jsonl": lambda: [json.loads(line) for line in text.splitlines()] == ROWS,
        "id": lambda: text == "a\nbb\n",
        "none": lambda: text == "",
    }
    assert expected[form](), text


def test_an_empty_list_is_an_empty_array(capsys):
    Output("json", "relative", False, ManualClock()).many([], COLUMNS)
    assert json.loads(capsys.readouterr().out) == []


def test_colour_is_used_only_when_it_is_on():
    columns = [Column("STATE", "state", "state")]
    assert list(render([["dead"]], columns, width=None, colour=False)) == ["STATE", "dead"]
    coloured = list(render([["dead"]], columns, width=None, colour=True))
    assert "\x1b[31m" in coloured[1]


def test_a_table_fits_the_terminal():
    columns = [Column("ID", "id"), Column("TEXT", "text")]
    lines = list(render([["x" * 20, "y" * 100]], columns, width=60, colour=False))
    assert max(map(len, lines)) <= 60
    assert lines[1].startswith("x" * 20)
    assert lines[1].endswith("\N{HORIZONTAL ELLIPSIS}")


@given(st.text())
def test_nothing_a_stranger_wrote_can_command_the_terminal(text):
    assert clean(text).isprintable() or not text
    assert len(clean(text)) == len(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_json_comes_out_as_it_went_in_and_can_be_printed(value):
    text = to_json(value)
    assert json.loads(text) == value
    text.encode()


def test_half_a_surrogate_pair_is_printed_escaped():
    assert to_json("\ud800") == '"\\ud800"'
    assert to_json("Grüße") == '"Grüße"'
    assert to_json("\x9b31m") == '"\\u009b31m"'


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "now"), (0.9, "now"), (-5, "5s ago"), (90, "in 1m"), (-7_300, "2h ago"), (-200_000, "2d ago")],
)
def test_times_are_told_from_now(seconds, words):
    assert relative(int(seconds * S)) == words


@pytest.mark.parametrize(
    ("total", "heading"),
    [(1, "  errors:"), (9, "  the last 1 of 9 errors; all are at /api/v1/jobs/job_1/errors:")],
)
def test_a_page_says_if_it_does_not_show_every_error(total, heading):
    error = {"attempt": 3, "at": "2023-11-14T22:12:20Z", "error": "boom"}
    job = {"id": "job_1", "errors": [error], "errors_total": total}
    assert heading in page(job, Output("table", "iso", False, ManualClock())).splitlines()


def test_ids_are_cut_in_the_middle_and_keep_what_tells_them_apart():
    columns = [Column("ID", "id", "id"), Column("ERROR", "error")]
    ids = ["job_01M7PGEADK3PMNDC4ZFM3BA1BY", "job_01M7PGEADK3PMNDC4ZFM3BA1BZ"]
    for width in range(20, 60):
        _, *lines = render([(job_id, "x" * 40) for job_id in ids], columns, width=width, colour=False)
        shown = [line.split()[0] for line in lines]
        assert len(set(shown)) == 2
        for short, whole in zip(shown, ids, strict=True):
            begin, cut, end = short.partition("…")
            assert begin.startswith("job_")
            assert whole.startswith(begin)
            assert not cut or (whole.endswith(end) and len(end) >= 8)
