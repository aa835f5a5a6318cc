"""An edge process: speaks HTTP for a node, which it reaches over a link. Started by `processes.py`.

    python -m corvo.http.edges.process LINK LISTENER      two descriptors, inherited

Its settings are the first frame on the link; it lives as long as the link does. Signals are for the node: a
Ctrl-C or a `systemctl stop` reaches all processes, and the node tells this one when to stop.
"""

import asyncio
import gc
import os
import signal
import socket
import sys
from typing import Final

import structlog

from corvo.config import Config
from corvo.http.edges.edge_app import EdgeApp
from corvo.http.edges.factory import in_this_process
from corvo.http.edges.frames import (
    BodyFrame,
    EdgeFrameReader,
    Frame,
    GoneFrame,
    ReadyFrame,
    ReloadFrame,
    ResponseFrame,
    RouteName,
    StartFrame,
    StopFrame,
    TakenFrame,
)
from corvo.http.edges.link import EdgeLink
from corvo.http.edges.remote_hot_routes import RemoteHotRoutes
from corvo.http.wire.tls import TlsRefused
from corvo.observe.event_loop import loop_factory, running_loop_name
from corvo.observe.log import configure

log = structlog.get_logger()

#: Exit code of a process whose node is gone.
_ORPHANED: Final = 3


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    ours, listener = (socket.socket(fileno=int(descriptor)) for descriptor in sys.argv[1:3])
    start = _start_frame(ours)
    config = Config(**start.settings)
    configure(config.log_level, config.log_format, node=config.node_id)
    with asyncio.Runner(loop_factory=loop_factory(config.loop)) as runner:
        runner.run(_serve(config, start.hot, ours, listener))


def _start_frame(ours: socket.socket) -> StartFrame:
    """The first frame, read without a loop: it says which loop to run. No other comes before ReadyFrame."""
    reader = EdgeFrameReader()
    while data := ours.recv(65_536):
        for frame in reader.feed(data):
            assert isinstance(frame, StartFrame), frame
            return frame
    sys.exit(_ORPHANED)


async def _serve(config: Config, hot: list[RouteName], ours: socket.socket, listener: socket.socket) -> None:
    relay = EdgeApp()
    relay.hot_routes = RemoteHotRoutes(relay, config, hot)
    stop = asyncio.Event()

    def heard(frame: Frame) -> None:
        match frame:
            case StopFrame():
                stop.set()
            case ReloadFrame():
                server.reload()
            case ResponseFrame() | BodyFrame() | TakenFrame() | GoneFrame():
                relay.heard(frame)

    def lost() -> None:
        # Nothing can be answered any more; every client must notice at once, and none get half an answer.
        os._exit(_ORPHANED)

    link = await EdgeLink.on(ours, heard, lost)
    relay.connect(link)
    try:
        server = in_this_process(config, relay, listener)
    except TlsRefused as reason:
        # The node has seen good files when it started; it tries again, and the other processes go on.
        log.error("edge.no_certificate", reason=str(reason))  # noqa: TRY400 - the sentence is enough
        os._exit(1)
    server.start()
    link.send(ReadyFrame(running_loop_name()))
    gc.collect()
    gc.freeze()
    failed = asyncio.ensure_future(server.wait())
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait({failed, stopping}, return_when=asyncio.FIRST_COMPLETED)
    await server.stop()
    link.close()
    # What was sent last is on its way out; a process that is done need not tidy up.
    os._exit(0 if stop.is_set() else 1)


if __name__ == "__main__":
    main()
