"""Somebody who knows the secret of a cluster, and is no node of ours."""

import asyncio

from corvo.consensus.link import codec
from corvo.consensus.link.frames import LinkFrameReader
from corvo.consensus.link.hello import Hello
from corvo.consensus.link.mail import PeerMail
from corvo.consensus.link.noise import Handshake
from tests.consensus.link.mesh_peers import Knock


async def read(reader):
    try:
        return await reader.read(65_536)
    except ConnectionError:
        return b""


class Insider(Knock):
    """Somebody who knows the secret, and says what it likes."""

    @classmethod
    async def to(cls, host, port):
        return cls(*await asyncio.open_connection(host, port))

    async def enter(self, hello, key, identity=None):
        """Shake hands and greet. What the other side greets with, or None if it closes."""
        handshake = Handshake(key, is_dialler=True)
        self.say(handshake.say())
        self.frames = LinkFrameReader(1_000_000)
        answer = await self.next_frame()
        if answer is None:
            return None
        handshake.hear(answer)
        self.seal = handshake.seal()
        if identity is not None:
            hello = hello.signed(identity, handshake.transcript, is_dialler=True)
        self.greeting = self.seal.close_up(hello.encode())
        self.say(self.greeting)
        answer = await self.next_frame()
        return None if answer is None else Hello.decode(self.seal.open_up(answer))

    async def next_frame(self):
        async with asyncio.timeout(5):
            while (frame := self.frames.next()) is None:
                data = await read(self.reader)
                if not data:
                    self.writer.close()
                    return None
                self.frames.feed(data)
        return frame

    def mail(self, node_message):
        """Send a node message, as members do."""
        mailbag = PeerMail()
        mailbag.put(node_message)
        while (message := mailbag.next_message()) is not None:
            self.say(self.seal.close_up(codec.encode(message)))

    async def next_mail(self):
        """The next node message that comes, whatever else is said before."""
        mailbag = PeerMail()
        while True:
            body = self.seal.open_up(await self.next_frame())
            message = codec.decode(body) if body else {"type": "ping"}
            if message["type"] == "mail" and (node_message := mailbag.take(message)) is not None:
                return node_message
