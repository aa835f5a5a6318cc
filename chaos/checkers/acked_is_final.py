"""A job whose ack was confirmed is completed, by that very lease, and is never handed out again."""

from collections.abc import Iterator

from chaos.checkers.no_lost_job import Documents
from chaos.history import History


def check(history: History, documents: Documents) -> Iterator[str]:
    for job_id in history.acked:
        document = documents.get(job_id)
        if document is not None and document["state"] != "completed":
            yield f"{job_id} was acknowledged but is {document['state']}"
    for claim in history.claims:
        acked_at = history.acked.get(claim.job_id)
        if acked_at is not None and claim.at_s > acked_at:
            late_s = claim.at_s - acked_at
            yield f"{claim.job_id} was handed out again {late_s:.3f} s after its ack was confirmed"
