"""Searching over HTTP. What filters mean is tested at the mirror; here it is about the way there and back."""

import json
from urllib.parse import quote

import pytest

SEARCH = "/api/v1/jobs/search"


async def search(client, **wanted):
    reply = await client.post(SEARCH, wanted)
    assert reply.status == 200, reply
    return reply.json()


async def test_what_was_enqueued_is_found_at_once(client):
    for number in range(20):
        job_id = await client.enqueue("mail", {"number": number}, tags={"half": str(number // 10)})
        found = await search(client, payload_jq=f".number == {number}")
        assert [job["id"] for job in found["jobs"]] == [job_id]
        assert found["jobs"][0]["payload"] == {"number": number}


async def test_pages_follow_each_other_until_all_are_seen(client):
    ids = [await client.enqueue("mail", {"n": n}) for n in range(7)]
    await client.enqueue("other")
    seen, cursor, pages = [], None, 0
    while True:
        page = await search(client, queue="mail", order="asc", limit=3, cursor=cursor)
        assert page["total"] == 7
        assert "total_is_estimate" not in page
        seen += [job["id"] for job in page["jobs"]]
        pages += 1
        if not page["has_more"]:
            assert "cursor" not in page
            break
        cursor = page["cursor"]
    assert (seen, pages) == (ids, 3)


async def test_a_page_is_never_null_and_says_how_long_it_took(client):
    page = await search(client, queue="nothing")
    assert (page["jobs"], page["total"], page["has_more"]) == ([], 0, False)
    assert page["duration_ms"] > 0


async def test_a_summary_leaves_out_what_is_large(client):
    job_id = await client.enqueue("q", {"a": 1})
    job = await client.fetch("q")
    await client.post(f"/api/v1/ack/{job_id}", {"result": {"big": 1}, "lease_token": job["lease_token"]})
    (found,) = (await search(client, state=["completed"]))["jobs"]
    assert "result" not in found
    assert found["completed_at"]


@pytest.mark.parametrize(
    "wanted",
    [
        {"state": ["nonsense"]},
        {"sort": "payload"},
        {"cursor": "nonsense"},
        {"payload_jq": ".a ~ 1"},
        {"payload_jq": ".a < null"},
        {"created_after": "yesterday"},
        {"priority": "urgent"},
        {"queue": "a\u0000b"},
    ],
)
async def test_a_search_that_makes_no_sense_is_refused(client, wanted):
    reply = await client.post(SEARCH, wanted)
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR"), reply


async def test_an_index_that_does_not_come_is_an_error(client):
    reply = await client.post(SEARCH, {}, **{"X-Corvo-Min-Index": "999999"})
    assert (reply.status, reply.code) == (503, "STALE")


async def test_dead_letters_are_a_search_for_the_dead(client):
    ids = []
    for number in range(3):
        ids.append(await client.enqueue("q", {"n": number}, max_retries=0))
        job = await client.fetch("q")
        await client.post(
            f"/api/v1/fail/{job['job_id']}", {"error": f"no {number}", "lease_token": job["lease_token"]}
        )
    page = (await client.get("/api/v1/dead?queue=q&limit=2")).json()
    assert [job["id"] for job in page["jobs"]] == [ids[2], ids[1]]
    assert page["jobs"][0]["last_error"] == "no 2"
    rest = (await client.get(f"/api/v1/dead?queue=q&limit=2&cursor={page['cursor']}")).json()
    assert [job["id"] for job in rest["jobs"]] == [ids[0]]
    assert (await client.get("/api/v1/dead?limit=x")).code == "VALIDATION_ERROR"


async def test_words_are_found_by_full_text(client):
    job_id = await client.enqueue("mail", {"subject": "Grüße from Reykjavík"}, tags={"kind": "postcard"})
    await client.enqueue("mail", {"subject": "an invoice"})
    for q in ("reykjav", "postcard%20gr%C3%BC%C3%9Fe", job_id):
        reply = await client.get(f"/api/v1/search/fulltext?q={q}")
        assert reply.status == 200, reply
        (found,) = reply.json()["results"]
        assert found["id"] == job_id
        assert json.loads(found["payload"]) == {"subject": "Grüße from Reykjavík"}
        assert json.loads(found["tags"]) == {"kind": "postcard"}
    assert (await client.get("/api/v1/search/fulltext?q=nowhere")).json()["results"] == []
    assert (await client.get("/api/v1/search/fulltext")).code == "VALIDATION_ERROR"


async def test_user_text_is_never_part_of_a_statement(client):
    await client.enqueue("q", {"a": "x"})
    for text in ("\"' OR 1=1 --", "%", "_", "'); DROP TABLE jobs; --", "NEAR(", "* OR x"):
        assert (await search(client, payload_contains=text))["total"] == 0
        assert (await search(client, tags={text: text}))["total"] == 0
        assert (await search(client, error_contains=text))["total"] == 0
        assert (await client.get("/api/v1/search/fulltext?q=" + quote(text))).status == 200
    assert (await search(client))["total"] == 1


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/v1/queues/mail/clear"), ("DELETE", "/api/v1/queues/mail?confirm=true")],
)
async def test_a_queue_that_was_emptied_is_empty_to_searches_too(client, method, path):
    await client.enqueue("mail", {"word": "unforgettable"})
    await client.enqueue("mail", {"word": "unforgettable"}, scheduled_at="2099-01-01T00:00:00Z")
    other = await client.enqueue("other", {"word": "unforgettable"})
    reply = await client.request(method, path)
    assert reply.status == 200, reply
    left = (await search(client))["jobs"]
    gone = {"pending"} if method == "POST" else {"pending", "scheduled"}
    assert not [job for job in left if job["queue"] == "mail" and job["state"] in gone]
    found = (await client.get("/api/v1/search/fulltext?q=unforgettable")).json()["results"]
    assert other in {job["id"] for job in found}
    assert {job["id"] for job in found} == {job["id"] for job in left}


async def test_low_is_a_priority_of_its_own(client):
    low, normal = await client.enqueue(priority="low"), await client.enqueue()
    assert (await client.job(low))["priority_name"] == "low"
    found = await client.post("/api/v1/jobs/search", {"priority": "low"})
    assert [job["id"] for job in found.json()["jobs"]] == [low]
    done = await client.post("/api/v1/jobs/bulk", {"action": "delete", "filter": {"priority": "low"}})
    assert done.json()["affected"] == 1
    assert (await client.job(normal))["state"] == "pending"


@pytest.mark.parametrize("priority", ["lowest", "LOW", 4, -1])
async def test_a_priority_that_nobody_knows_is_refused_everywhere(client, priority):
    for path, body in (
        ("enqueue", {"queue": "q", "priority": priority}),
        ("jobs/search", {"priority": priority}),
        ("jobs/bulk", {"action": "delete", "filter": {"priority": priority}}),
    ):
        reply = await client.post(f"/api/v1/{path}", body)
        assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")
        assert "critical, high, normal, low" in reply.json()["error"]
