"""The sync thread."""

import asyncio

import pytest

from corvo.consensus.journal.syncer import ThreadSyncer


class Job:
    def __init__(self, work=None):
        self._work = work

    def run(self):
        if self._work is not None:
            self._work()


@pytest.fixture
async def syncer():
    syncer = ThreadSyncer(asyncio.get_running_loop(), name="test-sync")
    yield syncer
    syncer.close()
    await asyncio.wait_for(syncer.ended, 5)


async def test_jobs_run_in_order_and_are_reported_on_the_loop(syncer):
    ran, reported = [], asyncio.Queue()
    jobs = [Job(lambda number=number: ran.append(number)) for number in range(20)]
    for job in jobs:
        syncer.submit(job, lambda job, error: reported.put_nowait((job, error)))

    for job in jobs:
        assert await asyncio.wait_for(reported.get(), 5) == (job, None)
    assert ran == list(range(20))


async def test_an_error_is_reported_and_the_thread_goes_on(syncer):
    reported = asyncio.Queue()
    syncer.submit(Job(lambda: 1 / 0), lambda job, error: reported.put_nowait(error))
    syncer.submit(Job(), lambda job, error: reported.put_nowait(error))

    assert isinstance(await asyncio.wait_for(reported.get(), 5), ZeroDivisionError)
    assert await asyncio.wait_for(reported.get(), 5) is None


async def test_what_was_submitted_before_the_end_is_still_done():
    syncer = ThreadSyncer(asyncio.get_running_loop(), name="test-sync")
    done = []
    syncer.submit(Job(lambda: done.append(1)), lambda job, error: done.append(2))
    syncer.close()
    await asyncio.wait_for(syncer.ended, 5)

    assert done == [1, 2]
