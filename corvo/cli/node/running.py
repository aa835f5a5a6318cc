"""Running a node in the foreground: signals, logging, exit codes."""

import asyncio
import contextlib
import signal
import sys

import click
import structlog

from corvo.config import Config
from corvo.consensus.errors import RefusedToStart
from corvo.fsm.state import FormatUnknown
from corvo.http.wire.protocols import EdgeMissing
from corvo.http.wire.server import AddressTaken
from corvo.http.wire.tls import TlsRefused
from corvo.node.node import Node, serve
from corvo.node.seal_keys import SealKeysProblem
from corvo.observe.event_loop import LoopMissing, loop_factory
from corvo.observe.log import configure
from corvo.observe.process import raise_file_limit
from corvo.storage.datadir import DataDirProblem
from corvo.storage.leveldb import StoreBusy, StoreDamaged

log = structlog.get_logger()

#: Reasons not to start that a person must read; each is one sentence, without a traceback.
_REASONS = (
    AddressTaken,
    DataDirProblem,
    EdgeMissing,
    FormatUnknown,
    LoopMissing,
    RefusedToStart,
    SealKeysProblem,
    StoreBusy,
    StoreDamaged,
    TlsRefused,
)


def _reload_on_hang_up(config: Config, node: Node) -> None:
    """SIGHUP asks a service to read its files again. For a node without any that runs on a terminal it is
    what it was: the terminal has gone."""

    def asked() -> None:
        log.info("node.reloading", signal=signal.SIGHUP.name)
        node.reload()

    if _has_files(config):
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, asked)


def _has_files(config: Config) -> bool:
    given = config.tls_cert or config.seal_keys or config.seal_keys_command
    return bool(given) or not sys.stdin.isatty()


def run(config: Config) -> int:
    """0 after a clean stop, 1 if the node could not start."""
    raise_file_limit()
    configure(config.log_level, config.log_format, node=config.node_id)
    try:
        with asyncio.Runner(loop_factory=loop_factory(config.loop)) as runner:
            runner.run(_run(config))
    except _REASONS as reason:
        click.echo(f"Error: {reason}", err=True)
        return 1
    return 0


async def _run(config: Config) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def asked(name: str) -> None:
        if stop.is_set():
            # Asked twice means now.
            log.warning("node.killed", signal=name)
            sys.exit(130)
        log.info("node.stopping", signal=name)
        stop.set()

    for signal_number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_number, asked, signal_number.name)
    if _has_files(config):
        # A node that starts is about to read them anyway, and must not die of it.
        loop.add_signal_handler(signal.SIGHUP, lambda: None)
    with contextlib.suppress(KeyboardInterrupt):
        await serve(config, stop, lambda node: _reload_on_hang_up(config, node))
