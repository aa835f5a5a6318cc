"""Every way a request can fail, each with the code clients match on. The docstring is the help text.

The registry feeds the HTTP mapping, the OpenAPI document and `corvo errors CODE`. An expected
failure is a result and part of history; an AssertionError is a bug and stops the node.
"""

from typing import Any, ClassVar

#: code -> class. One row per cause; several codes may share a status.
REGISTRY: dict[str, type["CorvoError"]] = {}


class CorvoError(Exception):
    """Something went wrong inside the server. The log of the node has the details."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    status: ClassVar[int] = 500
    #: Whether the same request may succeed later without being changed.
    retryable: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        assert cls.__doc__, f"{cls.__name__} needs a docstring: it is the help text"
        assert cls.code not in REGISTRY, f"code {cls.code} is taken"
        REGISTRY[cls.code] = cls

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        #: Extra members of the error body, such as `job_state` or `retry_after_ms`.
        self.facts = facts
        #: Whether it is the answer to an earlier request with the same key.
        self.replayed = False

    @classmethod
    def hint(cls) -> str:
        """What the caller can do about it, on one line."""
        assert cls.__doc__ is not None
        return " ".join(cls.__doc__.split())


REGISTRY[CorvoError.code] = CorvoError


# The request is wrong.


class ParseError(CorvoError):
    """The body is not valid JSON, or a member has the wrong type. Correct the request."""

    code, status = "PARSE_ERROR", 400


class TlsRequired(CorvoError):
    """This port speaks TLS, and the request came without it. Write https:// instead of http://."""

    code, status = "TLS_REQUIRED", 400


class ValidationFailed(CorvoError):
    """A field is missing or its value is not allowed. Correct the request."""

    code, status = "VALIDATION_ERROR", 400


class AckRefused(CorvoError):
    """The job is not active, so there is nothing to acknowledge. Fetch it again before acking."""

    code, status = "ACK_ERROR", 400


class FailRefused(CorvoError):
    """The job is not active, so it cannot be failed. Fetch it again before failing it."""

    code, status = "FAIL_ERROR", 400


class ReleaseRefused(CorvoError):
    """The job is not active, so there is no lease to hand back. Drop the job; nothing has to be done."""

    code, status = "RELEASE_ERROR", 400


class RetryRefused(CorvoError):
    """A dead, cancelled, completed or scheduled job can be retried, unless another job holds its unique
    key or a job it depends on has failed. Look at the job, or enqueue a new one."""

    code, status = "RETRY_ERROR", 400


class CancelRefused(CorvoError):
    """The job has ended already, so it cannot be cancelled. Nothing has to be done."""

    code, status = "CANCEL_ERROR", 400


class HoldRefused(CorvoError):
    """Only a job that waits or runs can be held. Look at the state of the job first."""

    code, status = "HOLD_ERROR", 400


class ApproveRefused(CorvoError):
    """Only a held job can be approved. Look at the state of the job first."""

    code, status = "APPROVE_ERROR", 400


class RejectRefused(CorvoError):
    """Only a held job can be rejected. To end another one, cancel it."""

    code, status = "REJECT_ERROR", 400


class MoveRefused(CorvoError):
    """An active job cannot be moved, nor one whose unique key is taken in the other queue. Wait for
    its worker, or for the job that holds the key."""

    code, status = "MOVE_ERROR", 400


class PriorityRefused(CorvoError):
    """Only a job that waits can get another priority. Enqueue the next one with the right priority."""

    code, status = "PRIORITY_ERROR", 400


class BulkRefused(CorvoError):
    """The bulk request names an unknown action, too many bulk tasks are under way, or the task has ended. The
    message says which; correct the request, or wait for a task to end."""

    code, status = "BULK_ERROR", 400


class WebhookRefused(CorvoError):
    """The webhook's address, events or settings are not allowed. Correct what the message names."""

    code, status = "WEBHOOK_ERROR", 400


class AccessRefused(CorvoError):
    """The key or role cannot be made or changed like that. The message says what stands against it."""

    code, status = "ACCESS_ERROR", 409


class Unauthorized(CorvoError):
    """The request has no credential that counts here. Send an API key as `X-API-Key`, or as a bearer token;
    `corvo keys create` makes one, `corvo init` the first."""

    code, status = "UNAUTHORIZED", 401


class Forbidden(CorvoError):
    """The credential does not allow this. Ask an admin for a role, a queue scope or a namespace that does."""

    code, status = "FORBIDDEN", 403


class NotFound(CorvoError):
    """No such thing: it never existed, was deleted, or its retention has passed. Check the id."""

    code, status = "NOT_FOUND", 404


class MethodNotAllowed(CorvoError):
    """The path exists but not with this method. The Allow header lists the methods it takes."""

    code, status = "METHOD_NOT_ALLOWED", 405


class HostNotAllowed(CorvoError):
    """The request names a host that this node does not answer for. Use the node's own address, or add the
    name to --allowed-hosts."""

    code, status = "HOST_NOT_ALLOWED", 421


class OriginNotAllowed(CorvoError):
    """A page of another site has sent the request. If that site may call this node, add its origin to
    --cors-origin; behind a proxy, let the proxy pass on the Host."""

    code, status = "ORIGIN_NOT_ALLOWED", 403


class Conflict(CorvoError):
    """The name is taken, or another client has changed the thing meanwhile. Read it again, then decide."""

    code, status = "CONFLICT", 409


class LeaseConflict(CorvoError):
    """The lease of this token is over: it ran out, or the job has ended or was taken away. Drop the job; do
    not retry."""

    code, status = "LEASE_CONFLICT", 409


class IdempotencyMismatch(CorvoError):
    """The Idempotency-Key was used within 24 hours for a different request. Use a new key."""

    code, status = "IDEMPOTENCY_MISMATCH", 409


class BadFrame(CorvoError):
    """A line of a stream is not a JSON object with a request_id. Send one object per line."""

    code, status = "BAD_FRAME", 400


class LineTooLong(CorvoError):
    """A line of a stream is longer than a request may be. Say it in several lines."""

    code, status = "LINE_TOO_LONG", 413


class PayloadTooLarge(CorvoError):
    """The body or a payload is larger than the server accepts. Store the data elsewhere and send a link."""

    code, status = "PAYLOAD_TOO_LARGE", 413


class HeadersTooLarge(CorvoError):
    """The request headers are larger than the server accepts. Send fewer or shorter ones."""

    code, status = "HEADERS_TOO_LARGE", 431


class RequestTimeout(CorvoError):
    """The request body did not arrive in time. Send it again."""

    code, status, retryable = "REQUEST_TIMEOUT", 408, True


# The server cannot take it now.


class Overloaded(CorvoError):
    """The server refused the work to protect itself. Retry after the given delay."""

    code, status, retryable = "OVERLOADED", 429, True


class RateLimited(CorvoError):
    """This client sends more requests than it may. Slow down, send batches, or ask for a higher limit."""

    code, status, retryable = "RATE_LIMITED", 429, True


class QuotaExceeded(CorvoError):
    """The namespace has as much of something as its quota allows; the message says of what. Wait until it has
    less, delete some jobs, or ask an admin for a larger quota."""

    code, status = "QUOTA_EXCEEDED", 429


class QueueQuotaExceeded(CorvoError):
    """The namespace has as many queues as its quota allows. Destroy queues that are not used, or ask for a
    larger quota."""

    code, status = "QUEUE_QUOTA_EXCEEDED", 403


class StreamLimit(CorvoError):
    """As many streams are open as the node takes. Use one stream per worker process, or retry later."""

    code, status, retryable = "STREAM_LIMIT", 429, True


class NotLeader(CorvoError):
    """No leader is known at the moment, so nothing was written. Retry; an election takes about a second."""

    code, status, retryable = "LEADER_UNAVAILABLE", 503, True


class LedElsewhere(CorvoError):
    """Another node leads, and the request asked not to be passed on. Send it to `leader_addr`."""

    code, status, retryable = "NOT_LEADER", 503, True


class MembershipBusy(CorvoError):
    """Another change of the membership is under way. They are made one by one; retry in a moment."""

    code, status, retryable = "MEMBERSHIP_BUSY", 503, True


class MembershipRefused(CorvoError):
    """The node cannot be added or removed like this. The message says why."""

    code, status = "JOIN_ERROR", 400


class OutcomeUnknown(CorvoError):
    """The write may or may not have happened. Retry with the same Idempotency-Key and it happens once."""

    code, status, retryable = "OUTCOME_UNKNOWN", 503, True


class StorageFull(CorvoError):
    """The disk is full, so writes are refused; reads go on. Free some space and writes resume."""

    code, status, retryable = "STORAGE_FULL", 503, True


class Stale(CorvoError):
    """This node has not yet applied the index the request asked for. Retry, or ask another node."""

    code, status, retryable = "STALE", 503, True


class ShuttingDown(CorvoError):
    """This node is stopping. Retry on another node, or on this one when it is back."""

    code, status, retryable = "SHUTTING_DOWN", 503, True


class Unhealthy(CorvoError):
    """The node's storage does not answer. Look at its log and at `corvo doctor`."""

    code, status, retryable = "UNHEALTHY", 503, True


class SealKeyMissing(CorvoError):
    """What is asked for is sealed with a key that this node does not have. Add the key to the file or command
    that gives the node its keys, and send it SIGHUP; jobs that could not be handed out come again by
    themselves."""

    code, status, retryable = "SEAL_KEY_MISSING", 503, True


class SealDamaged(CorvoError):
    """A sealed value was changed outside of the server, or put where it does not belong, so its job is handed
    to nobody. Find out who has written to the data folder; restore the job from a backup or delete it. A
    worker that fetches again gets other jobs."""

    code, status, retryable = "SEAL_DAMAGED", 500, True


class CommandTooLarge(CorvoError):
    """One write is larger than a log entry may be. Split the request into smaller ones."""

    code, status = "ENTRY_TOO_LARGE", 413


class CsrfRefused(CorvoError):
    """A change that comes with a session cookie carries no token of that session. Send X-Corvo-CSRF with the
    `csrf` of GET /auth/whoami; requests with an API key need none."""

    code, status = "CSRF_REFUSED", 403


class SignOnFailed(CorvoError):
    """The provider of single sign-on cannot be reached, or its answer is not to be believed. Try again; the
    log of the node and the settings of single sign-on have the details."""

    code, status = "SIGN_ON_FAILED", 502


class AccessUnknown(CorvoError):
    """This node does not know at the moment which keys count, so it lets nobody in. Try again, or another
    node."""

    code, status, retryable = "ACCESS_UNKNOWN", 503, True
