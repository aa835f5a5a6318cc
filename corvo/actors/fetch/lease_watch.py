"""Lease watch: tells workers on a stream at once when a job of theirs is no longer theirs.

    fsm --EntryLanded--> [lease watch] --job id--> the stream that holds the job

Without it a worker learns by its next heartbeat, which may be a quarter of a minute later.
"""

from typing import NamedTuple

from corvo.actors.fetch.messages import HoldJobs, LetGo, Tell
from corvo.actors.kernel.api import Actor, ActorAddress
from corvo.actors.state.messages import EntryLanded, Subscribe, Topic
from corvo.core.job import Job


class _Holder(NamedTuple):
    token: int
    #: The entry of the claim.
    since_index: int
    tell: Tell


class LeaseWatch(Actor):
    def __init__(self, fsm: ActorAddress) -> None:
        self._fsm = fsm
        self._holders: dict[str, _Holder] = {}

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.LANDED,)))

    def receiveMsg_HoldJobs(self, msg: HoldJobs, sender: ActorAddress) -> None:
        for job_id, token in msg.tokens.items():
            self._holders[job_id] = _Holder(token, msg.since_index, msg.tell)

    def receiveMsg_LetGo(self, msg: LetGo, sender: ActorAddress) -> None:
        for job_id in msg.job_ids:
            # By now it may be with another stream.
            if job_id in self._holders and self._holders[job_id].tell == msg.tell:
                del self._holders[job_id]

    def receiveMsg_EntryLanded(self, msg: EntryLanded, sender: ActorAddress) -> None:
        """By the jobs themselves, not by events: a queue that is destroyed has one event for all its jobs."""
        if not self._holders:
            return
        for job_id, job in msg.applied.rows.items():
            holder = self._holders.get(job_id)
            # A claim is answered before its entry lands, so older ones may still be coming.
            if holder is None or msg.applied.index <= holder.since_index or _is_held(job, holder.token):
                continue
            del self._holders[job_id]
            holder.tell(job_id, not _was_handed_back(job, holder.token))


def _is_held(job: Job | None, token: int) -> bool:
    return job is not None and job.lease is not None and job.lease.token == token


def _was_handed_back(job: Job | None, token: int) -> bool:
    """By ack, fail or release, over the stream or by a request."""
    return job is not None and job.commit is not None and job.commit.token == token
