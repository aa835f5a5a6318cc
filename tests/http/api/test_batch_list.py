"""Batches in a list, newest first, however old they are."""

import pytest

from corvo.actors.state.reverse_scan import newest
from corvo.core.clock import ManualClock
from corvo.core.ids import IdSource, earliest, made_ms
from corvo.storage import keys
from corvo.storage.memory import MemoryKv
from tests.support.node import running


async def _make(client, count):
    return [
        (await client.post("/api/v1/batch", {"callback_queue": "done"})).json()["batch_id"]
        for _ in range(count)
    ]


async def test_batches_are_listed_newest_first_page_by_page(client):
    made = await _make(client, 7)

    first = (await client.get("/api/v1/batches?limit=4")).json()
    second = (await client.get(f"/api/v1/batches?limit=4&cursor={first['cursor']}")).json()

    assert [batch["id"] for batch in first["batches"] + second["batches"]] == made[::-1]
    assert first["has_more"]
    assert not second["has_more"]
    assert "cursor" not in second


async def test_a_batch_of_long_ago_is_found_as_well(tmp_path):
    clock = ManualClock()
    async with running(tmp_path / "data", clock) as node:
        (old,) = await _make(node.client, 1)
        clock.advance(s=90 * 86_400)
        (new,) = await _make(node.client, 1)
        listed = (await node.client.get("/api/v1/batches")).json()
    assert [batch["id"] for batch in listed["batches"]] == [new, old]


@pytest.mark.parametrize("per_ms", [1, 40, 6_000])
@pytest.mark.parametrize("idle_s", [0, 3, 20, 86_400])
def test_the_newest_of_a_crowd_is_found_however_long_ago_it_was(per_ms, idle_s):
    clock = ManualClock()
    ids = IdSource(clock)
    made = []
    for _ in range(12_000 // per_ms):
        made += [ids.new("batch") for _ in range(per_ms)]
        clock.advance(ms=1)
    clock.advance(s=idle_s)
    store = MemoryKv()
    store.write({keys.batch(made_id): made_id.encode() for made_id in made}, sync=False)

    def page(before, count):
        end, end_ms = (keys.after(keys.BATCH), clock.now_ns() // 1_000_000 + 1) if before is None else before
        found = newest(store, lambda at_ms: keys.batch(earliest("batch", at_ms)), end, end_ms, count)
        return [value.decode() for value in found]

    assert page(None, 50) == made[::-1][:50]
    middle = made[len(made) // 2]
    earlier = (keys.batch(middle), made_ms(middle) + 1)
    assert page(earlier, 50) == made[: len(made) // 2][::-1][:50]
    assert page((keys.batch(made[3]), made_ms(made[3]) + 1), 50) == made[:3][::-1]


async def test_a_cursor_of_something_else_is_refused(client):
    assert (await client.get("/api/v1/batches?cursor=what!")).code == "VALIDATION_ERROR"


def test_the_time_of_an_id_can_be_read_from_it():
    clock = ManualClock()
    made = IdSource(clock).new("batch")
    now_ms = clock.now_ns() // 1_000_000
    assert made_ms(made) == now_ms
    assert earliest("batch", now_ms) <= made < earliest("batch", now_ms + 1)
