"""Client and worker runtime for the Corvo job server.

    from corvo_sdk import Client, Worker

`Client` and `AsyncClient` produce and operate; `Worker` runs handlers.
"""

from corvo_sdk.aio.client import AsyncClient
from corvo_sdk.codec import AesGcmCodec, Codec
from corvo_sdk.errors import CorvoError
from corvo_sdk.models.claim import ClaimedJob
from corvo_sdk.models.job import Job
from corvo_sdk.options import new_job
from corvo_sdk.retrying import RetryPolicy
from corvo_sdk.sync.client import Client
from corvo_sdk.version import __version__
from corvo_sdk.worker.app import Worker
from corvo_sdk.worker.context import AsyncContext, Context
from corvo_sdk.worker.metrics import Metrics
from corvo_sdk.worker.verdicts import Dead, ExitChain, Hold, JobCancelled, Release, Retry

__all__ = [
    "AesGcmCodec",
    "AsyncClient",
    "AsyncContext",
    "ClaimedJob",
    "Client",
    "Codec",
    "Context",
    "CorvoError",
    "Dead",
    "ExitChain",
    "Hold",
    "Job",
    "JobCancelled",
    "Metrics",
    "Release",
    "Retry",
    "RetryPolicy",
    "Worker",
    "__version__",
    "new_job",
]
