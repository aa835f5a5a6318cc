"""A job that failed often: its document stays small, and the rest is read page by page."""

import pytest

from corvo.core import job
from corvo.core.limits import JOB_ERRORS_SHOWN_MAX

COUNT = JOB_ERRORS_SHOWN_MAX + 30


async def fail_often(client, times):
    job_id = await client.enqueue(max_retries=1_000)
    for number in range(times):
        taken = await client.fetch(timeout=5)
        body = {"error": f"e{number}", "lease_token": taken["lease_token"], "retry_after": "0s"}
        assert (await client.post(f"/api/v1/fail/{job_id}", body)).status == 200
    return job_id


async def test_a_document_has_the_newest_errors_and_says_how_many_there_are(client):
    job_id = await fail_often(client, COUNT)
    found = await client.job(job_id)
    (many,) = (await client.post("/api/v1/jobs/bulk-get", {"job_ids": [job_id]})).json()["jobs"]
    for body in (found, many):
        assert body["errors_total"] == COUNT
        newest = range(COUNT - JOB_ERRORS_SHOWN_MAX, COUNT)
        assert [error["error"] for error in body["errors"]] == [f"e{n}" for n in newest]
        assert [error["id"] for error in body["errors"]] == [n + 1 for n in newest]

    path, pages = f"/api/v1/jobs/{job_id}/errors", []
    query = "?limit=50"
    while query:
        pages.append((await client.get(path + query)).json())
        query = "?limit=50&cursor=" + pages[-1]["cursor"] if pages[-1]["has_more"] else None
    assert [len(page["errors"]) for page in pages] == [50, 50, 30]
    assert {page["total"] for page in pages} == {COUNT}
    ids = [error["id"] for page in reversed(pages) for error in page["errors"]]
    assert ids == list(range(1, COUNT + 1))


async def test_errors_that_are_no_longer_kept_are_not_promised(client, monkeypatch):
    monkeypatch.setattr(job, "ERRORS_KEPT_MAX", 5)
    job_id = await fail_often(client, 12)
    assert [error["error"] for error in (await client.job(job_id))["errors"]] == [
        f"e{n}" for n in range(7, 12)
    ]
    path = f"/api/v1/jobs/{job_id}/errors"
    first = (await client.get(path + "?limit=3")).json()
    assert (first["total"], first["has_more"]) == (12, True)
    last = (await client.get(f"{path}?limit=3&cursor={first['cursor']}")).json()
    assert ([error["error"] for error in last["errors"]], last["has_more"]) == (["e7", "e8"], False)
    assert "cursor" not in last
    assert (await client.get(path + "?cursor=3")).json()["errors"] == []
    found = await client.post("/api/v1/jobs/search", {"error_contains": "e6"})
    assert found.json()["jobs"] == []
    assert (await client.request("DELETE", f"/api/v1/jobs/{job_id}")).status == 200


async def test_a_job_without_errors_has_a_page_of_none(client):
    job_id = await client.enqueue()
    assert "errors_total" not in await client.job(job_id)
    reply = await client.get(f"/api/v1/jobs/{job_id}/errors?cursor=7")
    assert reply.json() == {"errors": [], "total": 0, "has_more": False}


@pytest.mark.parametrize("cursor", ["x", "-1", "9" * 5_000, "%C2%B2"])
async def test_a_cursor_of_another_list_is_refused(client, cursor):
    job_id = await client.enqueue()
    reply = await client.get(f"/api/v1/jobs/{job_id}/errors?cursor={cursor}")
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")
    assert (await client.get("/api/v1/jobs/job_none/errors")).code == "NOT_FOUND"
