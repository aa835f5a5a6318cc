import pytest

from corvo.actors.fetch.job_wait import JobWait
from corvo.actors.fetch.messages import AwaitEnd, CloseJobWait
from corvo.actors.status import GetStatus
from corvo.core.errors import NotFound
from corvo.core.namespace import Reach, qualified
from corvo.ops.enqueue import Enqueue
from corvo.ops.finish import Ack
from corvo.ops.job_admin import Act, Action


@pytest.fixture
def room(path):
    room = path.system.createActor(JobWait, path.fsm)
    path.settle()
    return room


def enqueue(path):
    (outcome,) = path.do(Enqueue(path.new_job()))
    return outcome.job_id


def finish(path, job_id):
    path.wait().result()
    path.do(Ack(job_id, None, b'{"done":1}'))
    path.settle()


def test_those_who_wait_hear_of_the_end(path, room):
    job_id = enqueue(path)
    waiting = [path.system.ask(room, AwaitEnd(job_id, 30_000)) for _ in range(3)]
    path.advance(5)
    assert not any(answer.done() for answer in waiting)
    finish(path, job_id)
    assert [answer.result().job.state.label for answer in waiting] == ["completed"] * 3
    assert waiting[0].result().job.result == b'{"done":1}'


def test_who_comes_too_late_is_answered_at_once(path, room):
    job_id = enqueue(path)
    finish(path, job_id)
    assert path.system.ask(room, AwaitEnd(job_id, 30_000)).result().job.state.label == "completed"


def test_after_the_wait_the_state_is_told(path, room):
    job_id = enqueue(path)
    waiting = path.system.ask(room, AwaitEnd(job_id, 2_000))
    path.advance(2.1)
    assert waiting.result().job.state.label == "pending"
    assert path.system.ask(room, GetStatus()).result().waiting == 0


def test_a_job_that_is_deleted_or_never_was_is_not_found(path, room):
    job_id = enqueue(path)
    waiting = path.system.ask(room, AwaitEnd(job_id, 30_000))
    path.settle()
    path.do(Act(Action.DELETE, job_id))
    with pytest.raises(NotFound):
        waiting.result()
    with pytest.raises(NotFound):
        path.system.ask(room, AwaitEnd("job_none", 1_000)).result()


def test_when_the_room_closes_everybody_hears_how_things_stand(path, room):
    job_id = enqueue(path)
    waiting = path.system.ask(room, AwaitEnd(job_id, 30_000))
    path.settle()
    path.system.tell(room, CloseJobWait())
    assert waiting.result().job.state.label == "pending"
    assert path.system.ask(room, AwaitEnd(job_id, 30_000)).result().job.state.label == "pending"


def test_who_may_not_see_the_job_is_told_at_once_that_there_is_none(path, room):
    (outcome,) = path.do(Enqueue(path.new_job(queue=qualified("acme", "q"))))
    own = path.system.ask(room, AwaitEnd(outcome.job_id, 30_000, Reach("acme")))
    strangers = [
        path.system.ask(room, AwaitEnd(outcome.job_id, 30_000, reach))
        for reach in (None, Reach("bolt"), Reach("acme", ("other",)))
    ]
    path.settle()
    for stranger in strangers:
        with pytest.raises(NotFound):
            stranger.result()
    assert not own.done()
    path.do(Act(Action.CANCEL, outcome.job_id, reach=Reach("acme")))
    path.settle()
    assert own.result().job.state.label == "cancelled"
    assert path.system.ask(room, GetStatus()).result().waiting == 0
