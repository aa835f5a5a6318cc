"""Samples of py-spy go to the stage that owns them."""

from pathlib import Path

import pytest

from bench.stages import OWNERS, shares, stage_of, table

ROOT = Path(__file__).parents[2]

LOOP = "run (asyncio/runners.py:118);_run_once (asyncio/base_events.py:1922)"


@pytest.mark.parametrize(
    ("inner", "stage"),
    [
        ("handle (corvo/actors/kernel/cell.py:1);apply (corvo/fsm/machine.py:9)", "4 state machine"),
        # Storage serves whoever called it, except for LevelDB itself.
        ("apply (corvo/fsm/machine.py:9);put (corvo/storage/tx.py:3)", "4 state machine"),
        ("write (corvo/storage/leveldb.py:3)", "4 LevelDB read and write"),
        ("put (corvo/storage/mirror/write.py:3);dumps (json/__init__.py:1)", "6 mirror"),
        ("feed (/v/site-packages/hypercorn/protocol/h11.py:1)", "1 edge: HTTP server"),
        ("feed (hypercorn/protocol/h11.py:1);app (corvo/http/serve/asgi_hot.py:2)", "1 edge: ours"),
        ("sleep (asyncio/tasks.py:2)", "event loop, sockets"),
    ],
)
def test_the_innermost_frame_that_someone_owns_decides(inner, stage):
    assert stage_of(f"{LOOP};{inner}") == stage


@pytest.mark.parametrize("part", [part for part, _ in OWNERS if part.startswith("corvo/")])
def test_what_a_stage_owns_is_there(part):
    assert list(ROOT.glob(f"{part}*"))


def test_threads_that_wait_do_not_count():
    lines = [
        "main (x.py:1);apply (corvo/fsm/a.py:1) 3",
        "main (x.py:1);decode (corvo/http/serve/decode.py:1) 1",
        "main (x.py:1);ThreadMailbox.wait (corvo/actors/kernel/mailbox.py:105) 96",
        "",
    ]
    found = shares(lines)
    assert found == {"4 state machine": 0.75, "1 edge: ours": 0.25}
    assert table(found, {"4 state machine": 1.0}).splitlines()[2:] == [
        "| 1 edge: ours | 25.0% | 0.0% |",
        "| 4 state machine | 75.0% | 100.0% |",
    ]
