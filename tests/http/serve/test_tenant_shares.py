"""Tenant shares: a flood of one namespace leaves room for the others."""

import asyncio

import pytest

from corvo.core.clock import NS_PER_S, SystemClock
from corvo.core.errors import Overloaded
from corvo.http.serve.tenancy.tenant_shares import SHARE, TenantShares


class Clock(SystemClock):
    ahead_ns = 0

    def monotonic_ns(self):
        return super().monotonic_ns() + self.ahead_ns


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def shares(clock):
    return TenantShares(clock)


def test_a_namespace_that_is_alone_has_the_whole_node(shares):
    assert all(shares.begin("acme", 0) for _ in range(10 * SHARE))


def test_beside_another_it_has_its_share(shares):
    shares.begin("globex", 0)
    assert [bool(shares.begin("acme", 0)) for _ in range(SHARE + 1)] == [True] * SHARE + [False]
    assert shares.begin("globex", 0), "the other has its own"


def test_a_neighbour_that_has_gone_quiet_no_longer_counts(shares, clock):
    shares.end("globex", shares.begin("globex", 0))
    assert [bool(shares.begin("acme", 0)) for _ in range(SHARE + 1)][-1] is False
    clock.ahead_ns = 2 * NS_PER_S
    assert shares.begin("acme", 0)


def test_a_large_request_counts_as_several(shares):
    shares.begin("globex", 0)
    weight = shares.begin("acme", 1_000_000)
    assert weight > SHARE
    assert not shares.begin("acme", 0)
    shares.end("acme", weight)
    assert shares.begin("acme", 0)


async def test_those_that_wait_come_in_their_order(shares):
    shares.begin("globex", 0)
    held = [shares.begin("acme", 0) for _ in range(SHARE)]
    came = []

    async def come(number):
        came.append((number, await shares.turn("acme", 0)))

    tasks = [asyncio.create_task(come(number)) for number in range(3)]
    await asyncio.sleep(0)
    for weight in held[:2]:
        shares.end("acme", weight)
    # One that comes now does not overtake those that wait.
    assert not shares.begin("acme", 0)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert came == [(0, 1), (1, 1)]
    shares.end("acme", held[2])
    await asyncio.gather(*tasks)
    assert [number for number, _ in came] == [0, 1, 2]


async def test_one_that_waits_too_long_is_refused(shares, monkeypatch):
    shares.begin("globex", 0)
    held = [shares.begin("acme", 0) for _ in range(SHARE)]
    with pytest.raises(Overloaded, match="acme"):
        await shares.turn("acme", 0, patience_s=0.01)
    # What it left behind is nobody's turn.
    for weight in held:
        shares.end("acme", weight)
    assert await shares.turn("acme", 0) == 1


async def test_one_that_is_cancelled_after_its_turn_gives_it_back(shares):
    shares.begin("globex", 0)
    held = [shares.begin("acme", 0) for _ in range(SHARE)]
    waiting = asyncio.create_task(shares.turn("acme", 0))
    await asyncio.sleep(0)
    shares.end("acme", held[0])
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert shares.begin("acme", 0)


async def test_a_client_that_hangs_up_waits_no_longer(shares):
    shares.begin("globex", 0)
    for _ in range(SHARE):
        shares.begin("acme", 0)

    async def gone():
        """At once."""

    with pytest.raises(Overloaded):
        await shares.turn("acme", 0, gone, patience_s=None)
