"""Every job whose 201 arrived is there."""

from collections.abc import Iterator

from chaos.history import History

#: job id -> document, as the server shows it now.
Documents = dict[str, dict[str, object]]


def check(history: History, documents: Documents) -> Iterator[str]:
    for job_id in history.accepted:
        if job_id not in documents:
            yield f"{job_id} was accepted and then vanished"
