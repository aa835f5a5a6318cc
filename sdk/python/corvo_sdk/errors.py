"""What may go wrong, one class per cause: match on the class, or on `code`, never on the text. Classes that
share a remedy share a parent: everything below Unavailable may work if tried again later."""

from typing import Any

from corvo_sdk.error_base import BY_CODE, CorvoError

__all__ = ["BY_CODE", "CorvoError"]  # And all that is below.

# The request is wrong: correct it.


class BadRequest(CorvoError):
    """The server does not accept this request as it is."""


class ParseError(BadRequest):
    """The body is not what the server expects."""

    code = "PARSE_ERROR"


class TlsRequired(BadRequest):
    """The server speaks TLS on this port; its address begins with https://."""

    code = "TLS_REQUIRED"


class ValidationFailed(BadRequest):
    """A field is missing or its value is not allowed."""

    code = "VALIDATION_ERROR"


class MethodNotAllowed(BadRequest):
    """The server is older than this call."""

    code = "METHOD_NOT_ALLOWED"


class PayloadTooLarge(BadRequest):
    """A payload or the whole request is too large. Store the data elsewhere and send a link."""

    code = "PAYLOAD_TOO_LARGE"


class EntryTooLarge(BadRequest):
    """One write is larger than the server can take at once. Split it."""

    code = "ENTRY_TOO_LARGE"


class BadFrame(BadRequest):
    """A line of the worker stream could not be read."""

    code = "BAD_FRAME"


class LineTooLong(BadRequest):
    """A line of the worker stream is too long."""

    code = "LINE_TOO_LONG"


class HeadersTooLarge(BadRequest):
    """The headers are larger than the server accepts."""

    code = "HEADERS_TOO_LARGE"


class HostNotAllowed(BadRequest):
    """The server does not answer for the name in the client's address. Use one it knows."""

    code = "HOST_NOT_ALLOWED"


class OriginNotAllowed(BadRequest):
    """A web page of another site has sent the request."""

    code = "ORIGIN_NOT_ALLOWED"


class NotFound(CorvoError):
    """No such thing: it never existed, was deleted, or its retention has passed."""

    code = "NOT_FOUND"


# The job is in another state than the request needs.


class Refused(CorvoError):
    """What was asked for is not possible in the state the job is in."""

    @property
    def job_state(self) -> str:
        return str(self.facts.get("job_state", ""))


class AckRefused(Refused):
    """The job is not active."""

    code = "ACK_ERROR"


class FailRefused(Refused):
    """The job is not active."""

    code = "FAIL_ERROR"


class ReleaseRefused(Refused):
    """The job is not active."""

    code = "RELEASE_ERROR"


class RetryRefused(Refused):
    """The job has not ended, or its unique key is taken."""

    code = "RETRY_ERROR"


class CancelRefused(Refused):
    """The job has ended already."""

    code = "CANCEL_ERROR"


class HoldRefused(Refused):
    """Only jobs that wait or run can be held."""

    code = "HOLD_ERROR"


class ApproveRefused(Refused):
    """Only a held job can be approved."""

    code = "APPROVE_ERROR"


class RejectRefused(Refused):
    """Only a held job can be rejected."""

    code = "REJECT_ERROR"


class MoveRefused(Refused):
    """An active job cannot be moved, nor one whose unique key is taken there."""

    code = "MOVE_ERROR"


class ReplayRefused(Refused):
    """The job cannot be replayed from there."""

    code = "REPLAY_ERROR"


class PriorityRefused(Refused):
    """The job has been handed out already."""

    code = "PRIORITY_ERROR"


class MembershipRefused(Refused):
    """The node cannot be added to the cluster or removed from it like this."""

    code = "JOIN_ERROR"


class BulkRefused(Refused):
    """The bulk request names no jobs or an unknown action, or the task has ended."""

    code = "BULK_ERROR"


class WebhookRefused(BadRequest):
    """The webhook's address or its events are not allowed."""

    code = "WEBHOOK_ERROR"


# Somebody else was first.


class Conflict(CorvoError):
    """Such a thing exists already, or changed meanwhile."""

    code = "CONFLICT"


class LeaseLost(Conflict):
    """The lease is over: it ran out, or the job has ended or was taken away. Drop the job."""

    code = "LEASE_CONFLICT"


class IdempotencyMismatch(Conflict):
    """The Idempotency-Key was used for a different request within 24 hours."""

    code = "IDEMPOTENCY_MISMATCH"


# Who are you?


class Unauthorized(CorvoError):
    """The API key is missing, unknown, disabled or expired."""

    code = "UNAUTHORIZED"


class Forbidden(CorvoError):
    """This API key may not do that."""

    code = "FORBIDDEN"


class CsrfRefused(CorvoError):
    """A change by a session cookie lacks its token. Programs show an API key and need none."""

    code = "CSRF_REFUSED"


class AccessRefused(Conflict):
    """The key or role cannot be made or changed like that."""

    code = "ACCESS_ERROR"


class BudgetExceeded(CorvoError):
    """A budget with the action reject is used up."""

    code = "BUDGET_EXCEEDED"


class QuotaExceeded(CorvoError):
    """The namespace has as much of something as it may."""

    code = "QUOTA_EXCEEDED"


class QueueQuotaExceeded(CorvoError):
    """The namespace has as many queues as it may."""

    code = "QUEUE_QUOTA_EXCEEDED"


# Not now: the same request may work later.


class Unavailable(CorvoError):
    """The server cannot do it at the moment."""

    retryable = True


class Overloaded(Unavailable):
    """The server refused the work to protect itself."""

    code = "OVERLOADED"


class RateLimited(Unavailable):
    """This client sends more than it is allowed to."""

    code = "RATE_LIMITED"


class StreamLimit(Unavailable):
    """As many worker streams are open as the server takes."""

    code = "STREAM_LIMIT"


class LeaderUnavailable(Unavailable):
    """No leader is known; an election takes about a second."""

    code = "LEADER_UNAVAILABLE"


class LedElsewhere(Unavailable):
    """Another node leads, and the request asked not to be passed on."""

    code = "NOT_LEADER"


class MembershipBusy(Unavailable):
    """Another change of the cluster's members is under way."""

    code = "MEMBERSHIP_BUSY"


class ForwardLoop(Unavailable):
    """The nodes disagree on who leads."""

    code = "FORWARD_LOOP"


class OutcomeUnknown(Unavailable):
    """The write may or may not have happened; with the same Idempotency-Key it happens once."""

    code = "OUTCOME_UNKNOWN"


class StorageFull(Unavailable):
    """The server's disk is full; reads go on."""

    code = "STORAGE_FULL"


class SealKeyMissing(Unavailable):
    """The job is sealed with a key that this node does not have. It comes again when the node has it."""

    code = "SEAL_KEY_MISSING"


class SealDamaged(Unavailable):
    """Somebody has changed the job outside of the server. Other jobs can be fetched."""

    code = "SEAL_DAMAGED"


class Stale(Unavailable):
    """This node has not caught up yet."""

    code = "STALE"


class ShuttingDown(Unavailable):
    """This node is stopping."""

    code = "SHUTTING_DOWN"


class Unhealthy(Unavailable):
    """The node's storage does not answer."""

    code = "UNHEALTHY"


class RequestTimeout(Unavailable):
    """The request did not arrive at the server in time."""

    code = "REQUEST_TIMEOUT"


class AccessUnknown(Unavailable):
    """This node does not know at the moment which keys count."""

    code = "ACCESS_UNKNOWN"


class SignOnFailed(CorvoError):
    """The provider of single sign-on cannot be reached, or its answer is not to be believed."""

    code = "SIGN_ON_FAILED"


class Unreachable(Unavailable):
    """No connection to the server, so nothing was done."""


class NotTrusted(Unreachable):
    """No TLS between us: a certificate is missing, has expired or is not trusted. Nothing was done."""

    retryable = False


class AnswerLost(Unavailable):
    """The connection broke or the time ran out before the answer came: nobody knows whether it was done."""


class Ended(CorvoError):
    """A job that was waited for did not complete. Its document is in `job`."""

    def __init__(self, message: str, job: Any) -> None:
        super().__init__(message)
        self.job = job


class WaitedTooLong(CorvoError, TimeoutError):
    """What was waited for has not happened in the time given."""
