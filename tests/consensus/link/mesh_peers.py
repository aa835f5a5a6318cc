"""Real nodes' links on loopback, and certificates for them."""

import asyncio
import os
import socket
import ssl

import trustme

from corvo.consensus.link.frames import pieces
from corvo.consensus.link.mesh import Mesh
from corvo.consensus.settings import RaftSettings, RaftTiming, Tls
from corvo.core.clock import NS_PER_S, SystemClock

QUICK = RaftTiming(connect_retry_s=0.02, silence_s=1.0, hello_s=0.5)


class Inbox:
    """Where a mesh delivers, and a way to wait for what it delivers."""

    def __init__(self):
        self.connected = set()
        self.messages = []
        self.accepts = True
        self._changed = asyncio.Event()

    def peer_connected(self, peer):
        self.connected.add(peer)
        self._changed.set()

    def peer_disconnected(self, peer):
        self.connected.discard(peer)
        self._changed.set()

    def message_received(self, peer, message, size):
        self.messages.append((peer, message))
        self._changed.set()
        return self.accepts

    async def until(self, condition):
        async with asyncio.timeout(10):
            while not condition():
                self._changed.clear()
                await self._changed.wait()


def now_s():
    return SystemClock().monotonic_ns() / NS_PER_S


def _own_host():
    """A loopback address of this process alone, so that test processes do not take each other's ports."""
    number = os.getpid()
    host = f"127.{1 + number // 65_536 % 250}.{number // 256 % 256}.{1 + number % 254}"
    try:
        socket.create_server((host, 0)).close()
    except OSError:
        return "127.0.0.1"  # Not everywhere is all of 127.0.0.0/8 the machine itself.
    return host


HOST = _own_host()


def free_ports(count):
    """Ports nobody listens on at the moment."""
    sockets = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def settings_of(ids, ports, tmp_path, *, tls=None, timing=QUICK, **more):
    """Settings for each of these nodes, which know each other."""
    addresses = {node_id: f"{HOST}:{port}" for node_id, port in zip(ids, ports, strict=True)}
    return {
        node_id: RaftSettings(
            node_id=node_id,
            directory=tmp_path / node_id,
            peers={other: address for other, address in addresses.items() if other != node_id},
            bind=addresses[node_id],
            timing=timing,
            tls=tls[node_id] if tls else None,
            **more,
        )
        for node_id in ids
    }


def tls_of(authority, name):
    """Contexts of a node whose certificate says this name."""
    certificate = authority.issue_cert(f"{name}.example", common_name=name)
    contexts = []
    for purpose in (ssl.Purpose.CLIENT_AUTH, ssl.Purpose.SERVER_AUTH):
        context = ssl.create_default_context(purpose)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        authority.configure_trust(context)
        certificate.configure_cert(context)
        contexts.append(context)
    return Tls(server=contexts[0], client=contexts[1])


def new_authority():
    return trustme.CA()


def mesh_of(settings):
    return Mesh(settings, now_s)


class Knock:
    """A connection of somebody else's making."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    @classmethod
    async def at(cls, mesh):
        return cls(*await asyncio.open_connection(HOST, mesh.port))

    def say(self, body):
        for piece in pieces(body):
            self.writer.write(piece)

    async def is_closed(self):
        """Whether the other side closes, whatever it says before."""
        try:
            async with asyncio.timeout(5):
                while await self.reader.read(65_536):
                    continue
        except ConnectionError:
            return True
        finally:
            self.writer.close()
        return True
