"""Every example runs and shows what it says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "sdk/python/examples"

SHOWN = {
    "emails.py": [
        "sent: {'answer': '250 OK ann@example.com', 'attempts': 3}",
        "given up: 'nowhere' is not an address after 1 attempt",
    ],
    "report.py": ["between: pending with True attempts 0", "sum: 499500 resumed: True"],
    "batch.py": ["album holidays: 20 of 21 images, 1 broken"],
    "chain.py": ["3 words for everybody", "step 0 failed: 404"],
    "nightly.py": ["next at half past three: True", "cleaned the attic"],
    "django_shop.py": ["good: {'order': 1}", "bad: 500", "jobs: 1"],
    "fastapi_shop.py": ["accepted: 202 once: True", "{'price': 42}"],
}


def test_every_example_is_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} == SHOWN.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_example_shows_what_it_says(server, name):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
        env=os.environ | {"CORVO_URL": server.url},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == SHOWN[name]
