"""What the README says can be pasted, can be pasted."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["sdk/python/README.md", "docs/quickstart.md", "docs/worker-guide.md"]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)


def run(text, environment):
    return subprocess.run(
        [sys.executable, "-"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment,
    )


def test_the_tour_works_when_pasted_and_is_short(server):
    (tour,) = blocks("sdk/python/README.md")
    done = run(tour, os.environ | {"CORVO_URL": server.url})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "{'message': 'hello you'}\n"
    assert len([line for line in tour.splitlines() if line.strip()]) <= 15


@pytest.mark.parametrize("page", PAGES)
def test_python_on_the_pages_is_python(page):
    for block in blocks(page):
        compile(block, page, "exec")


@pytest.mark.slow
def test_the_quick_start_works(server, client, tmp_path):
    worker, producer, *others = blocks("docs/quickstart.md")
    (tmp_path / "worker.py").write_text(worker.replace("http://127.0.0.1:8080", server.url))
    environment = os.environ | {"CORVO_URL": server.url}
    with subprocess.Popen([sys.executable, tmp_path / "worker.py"]) as process:
        text = producer.replace("http://127.0.0.1:8080", server.url)
        done = run(text, environment)
        assert (done.returncode, done.stdout) == (0, "{'text': 'Hello, Ann!'}\n"), done.stderr
        for other in others:
            assert run(other, environment).returncode == 0
        process.terminate()
        assert process.wait(30) == 0


@pytest.mark.slow
def test_the_guides_test_is_a_test(tmp_path):
    (tmp_path / "test_mail.py").write_text(blocks("docs/worker-guide.md")[-1])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert "1 passed" in done.stdout, done.stdout
