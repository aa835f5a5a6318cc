"""The examples of docs/cron.md do what the page says."""

import asyncio
import json
import re
import shutil
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "cron.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
async def test_every_example_of_the_page_works(node, client):
    script = "\n".join(re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL))
    assert script.count("curl") >= 10
    # One line per answer.
    script = script.replace("localhost:8080", node.address).replace("curl -s", "curl -s -w '\\n'")

    process = await asyncio.create_subprocess_exec(
        "bash", "-euc", script, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()

    assert process.returncode == 0, output
    answers = [json.loads(line) for line in output.splitlines()]
    assert len(answers) == script.count("curl")
    assert not [answer for answer in answers if "error" in answer]
    assert (await client.get("/api/v1/schedules")).json() == []
    assert answers[-1]["runs"][1]["at"] == "2026-03-08T07:00:00Z"
