"""How a node stops when it must."""

import errno
import subprocess
import sys

import pytest

from corvo.consensus.errors import is_disk_full

SCRIPT = """
import logging
from corvo.consensus.errors import exit_process
logging.basicConfig()
logging.getLogger().warning("the last words")
try:
    exit_process("entry 7 could not be applied")
finally:
    print("never reached")
"""


def test_the_process_ends_at_once_with_the_reason_on_record():
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)

    assert run.returncode == 70
    assert "entry 7 could not be applied" in run.stdout
    assert "the last words" in run.stderr
    assert "never reached" not in run.stdout


@pytest.mark.parametrize(
    ("code", "full"), [(errno.ENOSPC, True), (errno.EDQUOT, True), (errno.EIO, False), (errno.EROFS, False)]
)
def test_a_full_disk_is_told_from_a_broken_one(code, full):
    assert is_disk_full(OSError(code, "")) is full
