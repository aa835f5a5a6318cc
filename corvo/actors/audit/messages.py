"""Messages about the audit log. The imperative asks, the past tense tells."""

from corvo.actors.kernel.messages import Message
from corvo.core.access.audit import AuditRecord


class AuditFilter(Message, frozen=True):
    """Which records are wanted."""

    #: None for all namespaces.
    namespace: str | None = None
    principal: str | None = None
    method: str | None = None
    path_prefix: str | None = None
    #: Not before this time.
    since_ns: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether all records of the namespace are wanted."""
        return self.principal is None and self.method is None and not self.path_prefix and not self.since_ns

    def wants(self, record: AuditRecord) -> bool:
        return (
            record.at_ns >= self.since_ns
            and self.principal in (None, record.principal)
            and self.method in (None, record.method)
            and record.path.startswith(self.path_prefix or "")
        )


class FindAudit(Message, frozen=True):
    """edge -> fsm: records before this time, newest first. Answer: AuditFound."""

    wanted: AuditFilter
    before_ns: int
    #: How many are wanted, and at how many to look at most: the next question goes on from there.
    count: int
    look_at: int


class AuditFound(Message, frozen=True):
    records: list[AuditRecord]
    #: Where to go on; None if there are no more.
    before_ns: int | None
    #: How many records there are in the namespace, or in all.
    held: int


class ReadAudit(Message, frozen=True):
    """audit stream -> fsm: records after this time, oldest first. Answer: AuditRead."""

    after_ns: int
    limit: int


class AuditRead(Message, frozen=True):
    records: list[AuditRecord]


class AuditWritten(Message, frozen=True):
    """fsm -> audit stream: records of one entry, as they are now."""

    #: Counts these messages, so that one which found no room is missed.
    number: int
    records: tuple[AuditRecord, ...]
