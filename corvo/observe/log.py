"""Logging: a line is an event name and facts. JSON for machines, text on a terminal.

    log.info("lease.reclaimed", job_id=job.id, queue=job.queue, late_ms=late_ms)

Names are dotted and in the past tense; `job_id`, `queue`, `request_id` and `node` are spelled the same
everywhere.
"""

import logging
import sys
from typing import Any, TextIO

import structlog

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warn": logging.WARNING, "error": logging.ERROR}


def configure(level: str, style: str, *, node: str, stream: TextIO | None = None) -> None:
    """Set up logging for the process. Libraries that use the standard module come out the same way."""
    stream = stream or sys.stderr
    as_text = style == "text" or (style == "auto" and stream.isatty())
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: list[Any]
    if as_text:
        # Plain tracebacks: the pretty ones take a tenth of a second, and that on the loop.
        renderer = [
            structlog.dev.ConsoleRenderer(
                colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback
            )
        ]
    else:
        renderer = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=[*shared, *renderer],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )
    structlog.contextvars.bind_contextvars(node=node)
    root = logging.getLogger()
    root.handlers[:] = [_Forward()]
    root.setLevel(max(_LEVELS[level], logging.WARNING))


class _Forward(logging.Handler):
    """Lines of libraries, in our form."""

    def emit(self, record: logging.LogRecord) -> None:
        log = structlog.get_logger()
        method = "error" if record.levelno >= logging.ERROR else "warning"
        getattr(log, method)(
            "library.said", logger=record.name, text=record.getMessage(), exc_info=record.exc_info or None
        )
