"""Relations: which jobs name a job, a batch or a chain, and so belong to it.

A job names its relatives when it is made and never changes them, so these keys are written with the job
and removed with it, and not at every step of its life as index entries are.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from corvo.core.job import Job
from corvo.core.namespace import Qualified, namespace_of, qualified
from corvo.storage import keys
from corvo.storage.kv import KvReader


def named_by(job: Job) -> Iterable[Qualified]:
    """Parent, batch, chain and dependencies, each once. In the namespace of the job, whatever it names: so no
    job of another one is ever found as a relative."""
    namespace, flow = namespace_of(job.queue), job.flow
    if flow is None:
        return (qualified(namespace, job.parent_id),) if job.parent_id else ()
    ids = (job.parent_id, flow.batch_id, flow.chain_id, *flow.depends_on)
    return dict.fromkeys(qualified(namespace, named_id) for named_id in ids if named_id)


def relations(job: Job) -> Sequence[bytes]:
    """The keys that exist as long as the job does. Values are empty."""
    if job.flow is None and job.parent_id is None:
        return ()  # Nearly all jobs, so it has to be quick.
    return [keys.relative(named_id, job.id) for named_id in named_by(job)]


def naming(reader: KvReader, named_id: Qualified, limit: int) -> Iterator[str]:
    """Jobs that name this id, oldest first, at most so many."""
    prefix = keys.relatives_prefix(named_id)
    for key, _ in islice(reader.scan(prefix, keys.after(prefix)), limit):
        found, job_id = keys.parse_relative(key)
        # A parent is any text, so another one may begin with this id and a zero byte.
        if found == named_id:
            yield job_id
