"""Client and worker runtime for the Corvo job server.

    from corvo_client import Client, Worker

`Client` and `AsyncClient` produce and operate; `Worker` runs handlers.
"""

from corvo_client.aio.client import AsyncClient
from corvo_client.errors import CorvoError
from corvo_client.models.claim import ClaimedJob
from corvo_client.models.job import Job
from corvo_client.options import new_job
from corvo_client.retrying import RetryPolicy
from corvo_client.sync.client import Client
from corvo_client.version import __version__
from corvo_client.worker.app import Worker
from corvo_client.worker.context import AsyncContext, Context
from corvo_client.worker.metrics import Metrics
from corvo_client.worker.verdicts import Dead, ExitChain, Hold, JobCancelled, Release, Retry

__all__ = [
    "AsyncClient",
    "AsyncContext",
    "ClaimedJob",
    "Client",
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
