"""The command starts fast because it loads little. Times are not asserted; what is loaded is."""

import re
import subprocess
import sys

import pytest

#: What takes long to load, and no command but serve, dev and doctor needs.
HEAVY = (
    "quart",
    "hypercorn",
    "plyvel",
    "pysyncobj",
    "aiosqlite",
    "prometheus_client",
    "structlog",
    "asyncio",
)
HEAVY += (
    "textual",
    "rich",
    "msgspec",
    "hypothesis",
    "corvo.actors",
    "corvo.storage",
    "corvo.http",
    "corvo.node",
)


def loaded(*args):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "corvo", *args],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return set(re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE))


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("queues", "--server", "127.0.0.1:1"),
        pytest.param(("search", "state:dead", "--server", "127.0.0.1:1"), marks=pytest.mark.slow),
        pytest.param(("enqueue", "q", "{}", "--server", "127.0.0.1:1"), marks=pytest.mark.slow),
        pytest.param(("top", "--once", "--server", "127.0.0.1:1"), marks=pytest.mark.slow),
        pytest.param(("completion", "bash"), marks=pytest.mark.slow),
    ],
)
def test_a_command_loads_nothing_heavy(words):
    modules = loaded(*words)
    assert "corvo.cli.main" in modules
    assert [name for name in HEAVY if name in modules] == []


def test_help_lists_the_commands_without_loading_them():
    assert [name for name in loaded("--help") if name.startswith("corvo.cli.commands.")] == []


@pytest.mark.slow
def test_help_of_serve_does_not_load_the_server():
    assert not {"quart", "plyvel", "asyncio"} & loaded("serve", "--help")
