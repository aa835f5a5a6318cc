"""Runs the examples of a page as a reader would: pasted into a shell, beside a node."""

import asyncio
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


async def run_examples(page: str, address: str) -> list[str]:
    """The answers, line by line."""
    script = "\n".join(re.findall(r"```sh\n(.*?)```", (DOCS / page).read_text(), re.DOTALL))
    assert "curl" in script
    # One line per answer.
    script = script.replace("localhost:8080", address).replace("curl -s", "curl -s -w '\\n'")
    process = await asyncio.create_subprocess_exec(
        "bash", "-euc", script, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output
    return [line for line in output.decode().splitlines() if line]
