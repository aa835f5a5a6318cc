"""The examples of the pages in docs/ do what the pages say."""

import json

from tests.support.pages import run_examples


async def test_every_example_of_the_page_on_cron(node, client):
    answers = [json.loads(line) for line in await run_examples("reference/cron.md", node.address)]
    assert len(answers) >= 10
    assert not [answer for answer in answers if "error" in answer]
    assert (await client.get("/api/v1/schedules")).json() == []
    assert answers[-1]["runs"][1]["at"] == "2026-03-08T07:00:00Z"


async def test_every_example_of_the_page_on_searching(node):
    lines = await run_examples("reference/search.md", node.address)
    lines += await run_examples("reference/bulk.md", node.address)
    answers = [json.loads(line) for line in lines if line.startswith("{")]
    assert not [answer for answer in answers if "code" in answer]
    pages = [answer for answer in answers if "has_more" in answer]
    assert [len(page["jobs"]) for page in pages] == [1, 1, 1, 0]
    assert [answer["affected"] for answer in answers if "affected" in answer] == [2, 2]
    assert any(line == "event: bulk.async.completed" for line in lines)


async def test_every_example_of_the_page_on_the_stream(node):
    first, second = [json.loads(line) for line in await run_examples("reference/stream.md", node.address)]
    assert second["jobs"][0]["job_id"] == first["enqueued_job_ids"][0]
