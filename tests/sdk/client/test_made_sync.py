"""The blocking client is the asyncio client without await."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[3] / "sdk/python/make_sync.py"


def test_the_blocking_client_is_what_the_asyncio_client_makes():
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
