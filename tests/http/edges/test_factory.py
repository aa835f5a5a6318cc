"""What was asked for and is not installed is refused in one sentence that says how to get it."""

import asyncio
import subprocess
import sys

import pytest
import structlog

from corvo.config import Config
from corvo.http.edges.factory import check
from corvo.http.wire.protocols import EdgeMissing
from corvo.observe.event_loop import LoopMissing, loop_factory, running_loop_name
from tests.support.node import running, until

WITHOUT = """
import sys
sys.modules[sys.argv[1]] = None  # As if it were not installed.
sys.argv = ["corvo", "serve", "--data-dir", sys.argv[2], "--bind", "127.0.0.1:0", *sys.argv[3:]]
from corvo.cli.main import main
main()
"""


@pytest.mark.parametrize(
    ("choice", "name"), [("auto", "uvloop"), ("uvloop", "uvloop"), ("asyncio", "asyncio")]
)
def test_the_loop_is_the_one_that_was_asked_for(choice, name):
    async def ask():
        return running_loop_name()

    with asyncio.Runner(loop_factory=loop_factory(choice)) as runner:
        assert runner.run(ask()) == name


def test_without_uvloop_auto_is_asyncio(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert loop_factory("auto") is asyncio.new_event_loop
    with pytest.raises(LoopMissing, match="pip install"):
        loop_factory("uvloop")


@pytest.mark.parametrize("edge_workers", [0, 2])
def test_without_granian_only_granian_is_refused(monkeypatch, edge_workers):
    check(Config(edge="granian", edge_workers=edge_workers))
    monkeypatch.setitem(sys.modules, "granian", None)
    check(Config(edge_workers=edge_workers))
    with pytest.raises(EdgeMissing, match="pip install"):
        check(Config(edge="granian", edge_workers=edge_workers))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "flags"),
    [
        ("uvloop", ("--loop", "uvloop")),
        ("granian", ("--edge", "granian")),
        ("granian", ("--edge", "granian", "--edge-workers", "2")),
    ],
)
def test_a_node_that_cannot_serve_as_asked_does_not_start(tmp_path, package, flags):
    command = [sys.executable, "-c", WITHOUT, package, str(tmp_path / "data"), *flags]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1].startswith(f"Error: {package} is not installed")


async def test_processes_that_cannot_be_started_are_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with structlog.testing.capture_logs() as lines:
        async with running(tmp_path / "data", edge_workers=1) as node:
            await until(lambda: sum(line["event"] == "edge.not_started" for line in lines) >= 2)
            monkeypatch.undo()
            assert (await node.client.get("/healthz")).status == 200
