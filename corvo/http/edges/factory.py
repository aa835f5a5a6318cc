"""Factory: makes the HTTP server that the settings ask for."""

import importlib
import importlib.util
import socket

from corvo.config import Config
from corvo.http.edges.processes import ProcessServer
from corvo.http.wire.protocols import App, EdgeMissing, Server
from corvo.http.wire.server import HttpServer
from corvo.http.wire.tls import TlsFiles, load


def check(config: Config) -> None:
    """Before anything else is begun: raises EdgeMissing if what serves HTTP is not installed, and TlsRefused
    if its certificate cannot be used."""
    if config.edge == "granian" and importlib.util.find_spec("granian") is None:
        raise EdgeMissing("granian is not installed: pip install 'corvo-server[fast]', or leave out --edge")
    files = TlsFiles.of(config)
    if files is not None:
        load(files)


def make_server(config: Config, app: App, listening: socket.socket) -> Server:
    if config.edge_workers:
        check(config)
        return ProcessServer(config, app, listening)
    return in_this_process(config, app, listening)


def in_this_process(config: Config, app: App, listening: socket.socket) -> Server:
    check(config)
    if config.edge == "granian":
        # Not installed everywhere, so it is loaded only here.
        server: Server = importlib.import_module("corvo.http.edges.granian").GranianServer(
            config, app, listening
        )
        return server
    return HttpServer(config, app, listening)
