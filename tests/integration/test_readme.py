"""The tour in the README works when pasted line by line."""

import re
import subprocess
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def tour():
    section = README.read_text().partition("## Two minutes with curl")[2]
    script, *_ = re.findall(r"```sh\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    return script


def test_the_tour_works_line_by_line(serve):
    started = serve()
    script = tour().replace("localhost:8080", f"localhost:{started.server.port}")
    done = subprocess.run(
        ["bash", "-eu"], input=script, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    answers = done.stdout.splitlines()
    assert not [answer for answer in answers if '"code"' in answer], answers
    assert len(answers) >= script.count("curl ")
    assert sum('"duplicate":true' in answer for answer in answers) == 1
    assert '"state":"completed"' in "".join(answers)
    first, again = answers[-2:]
    assert first == again
