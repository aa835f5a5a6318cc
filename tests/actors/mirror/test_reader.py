"""The mirror reader on the loop: questions in, answers out, whatever becomes of the file meanwhile."""

import asyncio

import pytest

from corvo.actors.kernel.api import Actor, named
from corvo.actors.kernel.loop import ActorSystem
from corvo.actors.mirror.messages import (
    AwaitMirror,
    CountByState,
    CountJobs,
    FindIds,
    FullText,
    MirrorDamaged,
    MirrorReached,
    Query,
    RebuildMirror,
    SearchJobs,
)
from corvo.actors.mirror.reader import MirrorReader, ReaderSettings
from corvo.actors.mirror.writer import MirrorWriter
from corvo.actors.state.messages import EntryLanded
from corvo.actors.status import GetStatus
from corvo.core.clock import SystemClock
from corvo.core.errors import Overloaded, ShuttingDown, Stale, ValidationFailed
from corvo.core.states import JobState
from corvo.storage.mirror import database, files
from tests.storage.mirror.actors import Listener
from tests.storage.mirror.support import build
from tests.support.fsm import Fsm

QUICK = ReaderSettings(wait_ms=50)


class Node:
    """A state machine, its mirror's writer and reader, on the loop."""

    def __init__(self, folder, settings=QUICK):
        self.fsm = Fsm()
        self.folder = folder
        self.system = ActorSystem()
        self.writer = self.system.createActor(
            MirrorWriter, self.fsm.kv, self.system.createActor(Listener), folder, SystemClock()
        )
        self.reader = self.system.createActor(MirrorReader, self.writer, folder, settings)
        self._fed = 0

    def feed(self):
        for applied in self.fsm.applied[self._fed :]:
            self.system.tell(self.writer, EntryLanded(applied))
        self._fed = len(self.fsm.applied)

    @property
    def index(self):
        return self.fsm.machine.index

    async def ask(self, message):
        self.feed()
        async with asyncio.timeout(20):
            return await self.system.ask(self.reader, message)

    async def ids(self, **members):
        page = await self.ask(SearchJobs(Query(**members), self.index))
        return [hit.job.id for hit in page.hits]

    async def ready(self):
        await self.system.ask(self.writer, AwaitMirror(1, 20_000))


@pytest.fixture
async def node(tmp_path):
    node = Node(tmp_path / "mirror", ReaderSettings(wait_ms=5_000))
    await node.ready()
    yield node
    assert await node.system.stop(timeout=5) == ()


class Writer(Actor):
    """Stands in for the writer: names a file, or keeps silent."""

    def __init__(self, path, damaged):
        self.path = path
        self.damaged = damaged

    def receiveMsg_AwaitMirror(self, msg, sender):
        if self.path is not None:
            self.send(sender, MirrorReached(msg.index, self.path))

    def receiveMsg_MirrorDamaged(self, msg, sender):
        self.damaged.append(msg)


# Questions


async def test_a_search_sees_what_was_written_before_it(node):
    for _ in range(5):
        job_id = node.fsm.enqueue()
        assert (await node.ids())[0] == job_id


async def test_a_page_has_all_that_the_edge_needs(node):
    ids = [node.fsm.enqueue(payload=b'{"n":%d}' % n) for n in range(5)]
    page = await node.ask(SearchJobs(Query(limit=2), node.index))
    assert ([hit.job.id for hit in page.hits], page.total) == (ids[:-3:-1], 5)
    assert (page.has_more, page.total_is_estimate, page.stale) == (True, False, False)
    assert page.hits[0].payload == '{"n":4}'

    page = await node.ask(SearchJobs(Query(limit=3, cursor=page.cursor), node.index))
    assert [hit.job.id for hit in page.hits] == ids[2::-1]
    assert not page.has_more


async def test_a_known_total_is_passed_on(node):
    node.fsm.enqueue()
    assert (await node.ask(SearchJobs(Query(), node.index, known_total=7))).total == 7


async def test_ids_come_in_chunks(node):
    ids = [node.fsm.enqueue() for _ in range(7)]
    found, cursor = [], None
    while True:
        answer = await node.ask(FindIds(Query(), cursor, 3, node.index))
        found.append(answer.ids)
        cursor = answer.cursor
        if cursor is None:
            break
    assert found == [ids[:3], ids[3:6], ids[6:]]


async def test_jobs_are_counted(node):
    node.fsm.enqueue_many(*(node.fsm.new_job() for _ in range(5)))
    node.fsm.lease()
    counted = await node.ask(CountJobs(Query(), 3, node.index))
    assert (counted.count, counted.is_capped) == (3, True)
    counted = await node.ask(CountJobs(Query(), 5, node.index))
    assert (counted.count, counted.is_capped) == (5, False)
    by_state = await node.ask(CountByState(Query(), node.index))
    assert by_state.counts == {JobState.PENDING: 4, JobState.ACTIVE: 1}


async def test_words_are_found(node):
    job_id = node.fsm.enqueue(payload=b'"red apple"')
    node.fsm.enqueue(payload=b'"pear"')
    answer = await node.ask(FullText("app", min_index=node.index))
    assert [hit.job.id for hit in answer.hits] == [job_id]
    assert not answer.stale


async def test_nonsense_is_refused(node):
    with pytest.raises(ValidationFailed, match="cursor"):
        await node.ask(SearchJobs(Query(cursor="nonsense")))
    with pytest.raises(ValidationFailed, match="cursor"):
        await node.ask(FindIds(Query(), "nonsense"))


async def test_many_questions_at_once_are_all_answered(node):
    ids = [node.fsm.enqueue(f"q{n}") for n in range(40)]
    node.feed()
    asked = [node.ask(SearchJobs(Query(queue=f"q{n}"), node.index)) for n in range(40)]
    pages = await asyncio.gather(*asked)
    assert [page.hits[0].job.id for page in pages] == ids


# Waiting


async def test_a_mirror_that_is_late_is_waited_for_and_then_used_as_it_is(tmp_path):
    node = Node(tmp_path)
    await node.ready()
    job_id = node.fsm.enqueue()
    await node.ids()
    page = await node.ask(SearchJobs(Query(), node.index + 100))
    assert [hit.job.id for hit in page.hits] == [job_id]
    assert page.stale
    await node.system.stop(timeout=5)


async def test_a_writer_that_keeps_silent_delays_but_does_not_prevent_an_answer(tmp_path):
    fsm = Fsm()
    job_id = fsm.enqueue()
    build(fsm.kv, tmp_path)
    system = ActorSystem()
    reader = system.createActor(MirrorReader, system.createActor(Writer, None, []), tmp_path, QUICK)
    page = await system.ask(reader, SearchJobs(Query()))
    assert ([hit.job.id for hit in page.hits], page.stale) == ([job_id], True)
    await system.stop(timeout=5)


async def test_without_any_mirror_the_answer_is_to_come_back_later(tmp_path):
    system = ActorSystem()
    reader = system.createActor(MirrorReader, system.createActor(Writer, None, []), tmp_path, QUICK)
    with pytest.raises(Stale, match="no search view yet"):
        await system.ask(reader, SearchJobs(Query()))
    await system.stop(timeout=5)


async def test_too_many_questions_are_turned_away(tmp_path):
    system = ActorSystem()
    settings = ReaderSettings(questions_max=2, wait_ms=50)
    reader = system.createActor(MirrorReader, system.createActor(Writer, None, []), tmp_path, settings)
    asked = [system.ask(reader, SearchJobs(Query())) for _ in range(3)]
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Stale, Stale, Overloaded]
    await system.stop(timeout=5)


# Time


async def test_a_search_that_takes_too_long_is_cut_short(node):
    slow = ReaderSettings(connections=1, wait_ms=5_000, search_ms_max=1)
    reader = node.system.createActor(named(MirrorReader, "hasty"), node.writer, node.folder, slow)
    for _ in range(20):
        new = [node.fsm.new_job(payload=b'{"a":"%s"}' % (b"x" * 900)) for _ in range(500)]
        node.fsm.enqueue_many(*new)
    await node.ids()
    query = Query(payload_jq=" and ".join(['.a | contains("xxxxxxxxxxxxy")'] * 20))
    with pytest.raises(Overloaded, match="took longer than 1 ms"):
        await node.system.ask(reader, SearchJobs(query))
    assert (await node.system.ask(reader, GetStatus())).cut_short == 1
    # The connection has survived it.
    page = await node.system.ask(node.reader, SearchJobs(Query(limit=1)))
    assert len(page.hits) == 1


async def test_stopping_answers_who_waits(tmp_path):
    system = ActorSystem()
    patient = ReaderSettings(wait_ms=60_000)
    reader = system.createActor(MirrorReader, system.createActor(Writer, None, []), tmp_path, patient)
    asked = system.ask(reader, SearchJobs(Query()))
    await system.stop(timeout=5)
    with pytest.raises(ShuttingDown):
        await asked


# The file


async def test_searches_go_on_over_a_rebuild(node):
    job_id = node.fsm.enqueue()
    assert await node.ids() == [job_id]
    before = files.current(node.folder)

    rebuilt = node.system.ask(node.writer, RebuildMirror())
    while not rebuilt.done():
        assert await node.ids() == [job_id]
    assert files.current(node.folder) != before

    second = node.fsm.enqueue()
    assert await node.ids() == [second, job_id]


async def test_nobody_holds_on_to_a_file_that_was_replaced(node):
    await asyncio.gather(*(node.ids() for _ in range(10)))
    before = files.current(node.folder)
    desks = node.reader.instance._desks
    assert [desk.connection.path for desk in desks] == [before] * 3

    await node.system.ask(node.writer, RebuildMirror())
    await node.ids()
    assert before not in [desk.connection.path for desk in desks if desk.connection is not None]


async def test_a_damaged_file_is_reported_rebuilt_and_searched_again(node):
    ids = [node.fsm.enqueue(payload=b'"%s"' % (b"x" * 500)) for _ in range(500)]
    await node.ids()
    await node.system.ask(node.writer, RebuildMirror())  # So that the log of SQLite is empty.
    path = files.current(node.folder)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4_096)
        file.write(b"\xff" * (size - 4_096))

    for _ in range(200):
        try:
            found = await node.ids(limit=1_000, payload_contains="x")
        except Stale:
            continue
        if found:
            break
    assert found == ids[::-1]
    assert files.current(node.folder) != path


async def test_a_file_that_is_gone_is_reported(tmp_path):
    damaged = []
    system = ActorSystem()
    path = tmp_path / "mirror-1.db"
    reader = system.createActor(MirrorReader, system.createActor(Writer, path, damaged), tmp_path, QUICK)
    with pytest.raises(Stale, match="cannot be read"):
        await system.ask(reader, SearchJobs(Query()))
    await system.stop(timeout=5)
    assert [type(message) for message in damaged] == [MirrorDamaged]


async def test_a_file_of_another_version_is_not_read(tmp_path):
    damaged = []
    fsm = Fsm()
    path = build(fsm.kv, tmp_path)
    db, _ = database.open_writer(path)
    db.execute("UPDATE mirror SET schema_version = 99")
    db.close()
    system = ActorSystem()
    reader = system.createActor(MirrorReader, system.createActor(Writer, path, damaged), tmp_path, QUICK)
    with pytest.raises(Stale, match="cannot be read"):
        await system.ask(reader, SearchJobs(Query()))
    await system.stop(timeout=5)
    assert damaged[0].path == path


async def test_figures_tell_how_it_is_doing(node):
    await node.ids()
    figures = await node.system.ask(node.reader, GetStatus())
    assert (figures.answered, figures.waiting, figures.busy, figures.late) == (1, 0, 0, 0)
