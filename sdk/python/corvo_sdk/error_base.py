"""The parent of all errors, and which class stands for which code."""

from typing import Any, ClassVar

#: code -> class, for every code a server may answer with.
BY_CODE: dict[str, type["CorvoError"]] = {}


class CorvoError(Exception):
    """The request was not done. Parent of everything this package raises."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    #: Whether the same request may succeed later without being changed.
    retryable: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        if "code" in cls.__dict__:
            assert cls.code not in BY_CODE, f"code {cls.code} is taken"
            BY_CODE[cls.code] = cls

    def __init__(self, message: str, *, status: int = 0, facts: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        #: The HTTP status, or 0 if no answer arrived.
        self.status = status
        #: The whole error body: hint, request_id, job_state and whatever else the server said.
        self.facts = facts or {}

    @property
    def hint(self) -> str:
        """What can be done about it, in the server's words."""
        return str(self.facts.get("hint", ""))

    @property
    def request_id(self) -> str:
        """The name of this request in the server's log."""
        return str(self.facts.get("request_id", ""))

    @property
    def retry_after_s(self) -> float:
        """How long the server asks to wait before the next try."""
        return float(self.facts.get("retry_after_ms") or 0) / 1_000


BY_CODE[CorvoError.code] = CorvoError
