"""Bodies of the job endpoints."""

from typing import Annotated

import msgspec
from msgspec import Meta

from corvo.http.schema.job import JobBody


class BulkGetRequest(msgspec.Struct):
    job_ids: list[Annotated[str, Meta(max_length=64)]] | None = None


class BulkGetResponse(msgspec.Struct):
    jobs: list[JobBody]
