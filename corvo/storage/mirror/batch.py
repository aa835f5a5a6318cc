"""Rows on their way into the mirror: many entries in, one transaction out.

    fsm --EntryLanded--> [batch] --> SQLite

A job that went from pending to completed while the batch was open is written once, as it is at the end.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from corvo.core.events import EventRecord
from corvo.core.job import Job, decode_error
from corvo.storage import keys
from corvo.storage.kv import Writes
from corvo.storage.mirror.rows import TextRow, row_of, tags_of, text_of

#: The places of jobs that cannot have the one they ask for.
Places: TypeAlias = Mapping[str, int]

_ATTACHED: Final = (keys.ERROR, keys.PAYLOAD)


class RowBatch:
    """What a stretch of the log, up to `index`, came to."""

    def __init__(self, index: int, last_seq: int) -> None:
        #: The last entry in the batch; at first the one before it.
        self.index = index
        self.last_seq = last_seq
        #: Each job touched, as it is now; None if it is gone.
        self.jobs: dict[str, Job | None] = {}
        #: Payloads too large for their documents.
        self.payloads: dict[str, bytes] = {}
        #: About how many bytes the payloads and errors take in memory.
        self.text_bytes = 0
        #: By job and number; None if it is gone.
        self.errors: dict[tuple[str, int], str | None] = {}
        #: Jobs whose errors are all in `errors`: what the mirror has of them is replaced.
        self.complete_errors: list[str] = []

    def __len__(self) -> int:
        return len(self.jobs)

    def add(
        self, index: int, rows: Mapping[str, Job | None], writes: Writes, record: EventRecord | None
    ) -> None:
        """One more entry, which follows the last one."""
        assert index == self.index + 1
        self.index = index
        if record is None:
            return
        self.last_seq = record.first_seq + len(record.events) - 1
        self.jobs.update(rows)
        for key in writes:
            if key.startswith(_ATTACHED):
                self._attach(key, writes[key])

    def put(self, job_id: str, job: Job | None, payload: bytes | None, errors: Mapping[int, str]) -> None:
        """A job as it was found in the store, with all that hangs on it."""
        self.jobs[job_id] = job
        if job is None:
            return
        if payload is not None:
            self._keep_payload(job_id, payload)
        self.complete_errors.append(job_id)
        for number, error in errors.items():
            self.errors[job_id, number] = error
            self.text_bytes += len(error)

    def _attach(self, key: bytes, value: bytes | None) -> None:
        if key.startswith(keys.ERROR):
            error = None if value is None else decode_error(value).error
            self.errors[keys.parse_error(key)] = error
            self.text_bytes += len(error or "")
        elif value is not None:
            self._keep_payload(key[len(keys.PAYLOAD) :].decode(), value)

    def _keep_payload(self, job_id: str, payload: bytes) -> None:
        self.payloads[job_id] = payload
        self.text_bytes += len(payload)

    # What to write

    def gone(self) -> list[str]:
        return [job_id for job_id, job in self.jobs.items() if job is None]

    def rows(self, places: Places) -> list[tuple[Any, ...]]:
        rows = [row_of(job) for job in self.jobs.values() if job is not None]
        return [(places.get(row[1], row[0]), *row[1:]) for row in rows] if places else rows

    def texts(self, places: Places) -> list[TextRow]:
        """Of new jobs and, since it is not known which are new, of old ones too: a text that is there stays
        as it is. A large payload comes with the entry that makes its job; later on the mirror has it."""
        texts = []
        for job_id, job in self.jobs.items():
            if job is not None:
                payload = job.payload if job.payload is not None else self.payloads.get(job_id)
                if payload is not None:
                    place = places.get(job_id, job.created_ns)
                    texts.append((place, text_of(payload), tags_of(job)))
        return texts

    def kept_errors(self) -> list[tuple[str, int, str]]:
        return [
            (job_id, number, error)
            for (job_id, number), error in self.errors.items()
            if error is not None and self.jobs.get(job_id) is not None
        ]

    def gone_errors(self) -> list[tuple[str, int]]:
        """Single errors that are gone while their job lives on; a deleted job takes its own along."""
        return [
            key for key, error in self.errors.items() if error is None and self.jobs.get(key[0]) is not None
        ]
