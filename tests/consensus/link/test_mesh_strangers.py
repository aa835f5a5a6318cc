"""Who knocks at the node link and is not a member finds nothing, and does no harm."""

import asyncio
import errno
import socket
from struct import pack

import pytest

from corvo.consensus.link.frames import LinkFrameReader
from corvo.consensus.link.hello import Hello
from corvo.consensus.link.mesh import STRANGERS_MAX
from corvo.observe.event_loop import running_loop_name
from tests.consensus.link.mesh_peers import Knock

KEEPALIVE = {"type": "keepalive", "term": 7}


@pytest.mark.parametrize(
    "hello",
    [
        Hello("a", "corvo").encode(),  # The node itself.
        Hello("b", "another").encode(),  # Of another cluster.
        Hello("b", "corvo", protocol=1).encode(),
        b"",
        b"\x80\x04\x95garbage",
        b"\x93\x01\xa5corvo",
        b"\xdd\xff\xff\xff\xff",
        bytes(1_000),
    ],
)
async def test_who_does_not_greet_as_a_member_is_shown_out(lonely, hello):
    mesh, inbox = lonely
    knock = await Knock.at(mesh)
    knock.say(hello)

    assert await knock.is_closed()
    assert inbox.connected == set()


async def test_a_stranger_may_not_even_announce_much(lonely):
    mesh, _ = lonely
    knock = await Knock.at(mesh)
    knock.writer.write(pack(">I", 1 << 30))

    assert await knock.is_closed()


async def test_who_says_nothing_is_shown_out(lonely):
    mesh, _ = lonely
    knock = await Knock.at(mesh)
    assert await knock.is_closed()


async def test_a_member_that_sends_nonsense_loses_its_connection_and_nothing_else(lonely):
    mesh, inbox = lonely
    knock = await Knock.at(mesh)
    knock.say(Hello("b", "corvo").encode())
    await inbox.until(lambda: inbox.connected == {"b"})
    knock.say(b"\x81\xa4type\xa3foo")

    assert await knock.is_closed()
    await inbox.until(lambda: not inbox.connected)
    assert inbox.messages == []


async def test_a_crowd_of_strangers_does_not_keep_a_member_out(lonely):
    mesh, inbox = lonely
    crowd = [await Knock.at(mesh) for _ in range(STRANGERS_MAX + 10)]
    await asyncio.gather(*(knock.is_closed() for knock in crowd))

    member = await Knock.at(mesh)
    member.say(Hello("b", "corvo").encode())
    await inbox.until(lambda: inbox.connected == {"b"})
    member.writer.close()


async def test_a_member_comes_in_while_a_crowd_stands_in_the_door(lonely):
    """Nobody of the crowd has left when it comes: who has waited longest makes room."""
    mesh, inbox = lonely
    crowd = [await Knock.at(mesh) for _ in range(2 * STRANGERS_MAX)]
    member = await Knock.at(mesh)
    member.say(Hello("b", "corvo").encode())
    await inbox.until(lambda: inbox.connected == {"b"})
    assert len(mesh._strangers) <= STRANGERS_MAX
    member.writer.close()
    await asyncio.gather(*(knock.is_closed() for knock in crowd))


async def test_a_member_that_dials_again_replaces_its_old_connection(lonely):
    mesh, inbox = lonely
    old = await Knock.at(mesh)
    old.say(Hello("b", "corvo").encode())
    await inbox.until(lambda: inbox.connected == {"b"})
    new = await Knock.at(mesh)
    new.say(Hello("b", "corvo").encode())

    assert await old.is_closed()
    assert inbox.connected == {"b"}
    reader = LinkFrameReader(1_000)
    mesh.send("b", KEEPALIVE)
    frames = []
    while len(frames) < 2:
        reader.feed(await new.reader.read(1_000))
        frames += iter(reader.next, None)
    new.writer.close()


async def test_running_out_of_descriptors_does_not_end_the_listening(lonely, monkeypatch):
    if running_loop_name() != "asyncio":
        pytest.skip("uvloop accepts in libuv, where nothing can be put in the way")
    mesh, inbox = lonely
    listening = mesh._server.sockets[0]._sock
    real_accept = socket.socket.accept
    failures = []

    def accept(self):
        if self.fileno() == listening.fileno() and not failures:
            failures.append(1)
            raise OSError(errno.EMFILE, "too many open files")
        return real_accept(self)

    # asyncio waits a second after such an error; the loop's own report of it is expected.
    reports = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: reports.append(context["message"]))
    monkeypatch.setattr(socket.socket, "accept", accept)
    knock = await Knock.at(mesh)
    knock.say(Hello("b", "corvo").encode())

    await inbox.until(lambda: inbox.connected == {"b"})
    assert failures
    assert "out of system resource" in reports[0]
    knock.writer.close()
