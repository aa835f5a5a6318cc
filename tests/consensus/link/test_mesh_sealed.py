"""The node link under the cluster's secret, and the mail on it."""

import asyncio
import time

import pytest

from corvo.consensus.link import frames, join_client
from corvo.consensus.link.codec import MAIL_PIECE_BYTES
from corvo.consensus.link.hello import Hello
from corvo.consensus.link.join_client import JoinRequestFailed
from corvo.consensus.link.mail import PeerMail
from corvo.consensus.link.noise import key_of
from tests.consensus.link.mesh_peers import HOST, Knock, free_ports, now_s, settings_of

KEEPALIVE = {"type": "keepalive", "term": 7}
KEY, OTHER_KEY = key_of("the secret of tests"), key_of("a secret of others")


class Postbox:
    def __init__(self):
        self.node_messages = []
        self.links = []
        self.visitors = []

        self._changed = asyncio.Event()

    def mail_received(self, peer, node_message):
        self.node_messages.append((peer, node_message))
        self._changed.set()

    def visitor_asks(self, visitor, key, node_message, answer):
        self.visitors.append(visitor)
        answer(b"answer to " + node_message)

    def link_changed(self, peer, *, is_up):
        self.links.append((peer, is_up))

    async def until(self, condition):
        async with asyncio.timeout(10):
            while not condition():
                self._changed.clear()
                await self._changed.wait()


@pytest.fixture
async def sealed_pair(started, tmp_path):
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, link_keys=(KEY,))
    a, inbox_a = await started(settings["a"])
    b, inbox_b = await started(settings["b"])
    a.mail_receiver, b.mail_receiver = Postbox(), Postbox()
    await inbox_a.until(lambda: inbox_a.connected)
    await inbox_b.until(lambda: inbox_b.connected)
    return (a, inbox_a), (b, inbox_b)


async def test_members_that_know_the_secret_understand_each_other(sealed_pair):
    (a, _), (_, inbox_b) = sealed_pair
    a.send("b", KEEPALIVE)
    await inbox_b.until(lambda: inbox_b.messages == [("a", KEEPALIVE)])


@pytest.mark.parametrize("key", [OTHER_KEY, None])
async def test_who_knows_another_secret_or_none_stays_outside(started, tmp_path, key):
    ports = free_ports(2)
    a, inbox_a = await started(settings_of(["a", "b"], ports, tmp_path, link_keys=(KEY,))["a"])
    refused = asyncio.Event()
    original = a.closed
    a.closed = lambda connection: (refused.set(), original(connection))
    _, inbox_b = await started(settings_of(["a", "b"], ports, tmp_path, link_keys=(key,) if key else ())["b"])
    async with asyncio.timeout(10):
        await refused.wait()
    assert not inbox_a.connected
    assert not inbox_b.connected


async def test_a_greeting_without_a_seal_is_shown_out(started, tmp_path):
    mesh, inbox = await started(settings_of(["a", "b"], free_ports(2), tmp_path, link_keys=(KEY,))["a"])
    knock = await Knock.at(mesh)
    knock.say(Hello("b", "corvo").encode())
    assert await knock.is_closed()
    assert inbox.connected == set()


async def test_who_asks_a_plain_listener_says_nothing_to_it(started, tmp_path):
    """A node with a secret does not fall back to speaking without, whatever the other side says."""
    heard, has_heard = bytearray(), asyncio.Event()

    async def plain(reader, writer):
        for piece in frames.pieces(Hello("b", "corvo").encode()):
            writer.write(piece)
        try:
            while data := await reader.read(1_000):
                heard.extend(data)
        except ConnectionError:
            pass
        writer.close()
        if len(heard) >= 3 * 52:
            has_heard.set()

    ports = free_ports(2)
    server = await asyncio.start_server(plain, HOST, ports[1])
    mesh, inbox = await started(settings_of(["a", "b"], ports, tmp_path, link_keys=(KEY,))["a"])
    async with asyncio.timeout(10):
        await has_heard.wait()
    await mesh.stop()
    server.close()
    assert len(heard) % 52 == 0
    assert all(heard[at : at + 4] == b"\x00\x00\x00\x30" for at in range(0, len(heard), 52))
    assert b"corvo" not in heard
    assert inbox.connected == set()


async def test_nothing_said_under_the_seal_can_be_read_on_the_way(sealed_pair, monkeypatch):
    (a, _), (b, _) = sealed_pair
    written = bytearray()
    pieces = frames.pieces
    monkeypatch.setattr(frames, "pieces", lambda body: written.extend(body) or pieces(body))
    a.post("b", b"a very private matter")
    await b.mail_receiver.until(lambda: b.mail_receiver.node_messages)
    assert len(written) > 21
    assert b"private" not in written
    assert b"mail" not in written


async def test_node_messages_of_any_size_arrive_whole_and_in_order(sealed_pair):
    (a, _), (b, _) = sealed_pair
    node_messages = [
        bytes([number]) * size for number, size in enumerate((1, 10, MAIL_PIECE_BYTES, 5_000_000, 7))
    ]
    for node_message in node_messages:
        assert a.post("b", node_message)
    await b.mail_receiver.until(lambda: len(b.mail_receiver.node_messages) == len(node_messages))
    assert b.mail_receiver.node_messages == [("a", node_message) for node_message in node_messages]


async def test_a_huge_node_message_does_not_keep_a_heartbeat_waiting(sealed_pair):
    (a, _), (b, inbox_b) = sealed_pair
    a.post("b", bytes(60_000_000))
    begun = time.monotonic()
    a.send("b", KEEPALIVE)
    await inbox_b.until(lambda: inbox_b.messages)
    heard_s = time.monotonic() - begun
    await b.mail_receiver.until(lambda: b.mail_receiver.node_messages)
    assert heard_s < (time.monotonic() - begun) / 2


async def test_mail_to_who_is_not_there_is_refused(sealed_pair):
    (a, _), _ = sealed_pair
    assert not a.post("c", b"hello")


async def test_a_lost_connection_is_told_to_the_mail_receiver(sealed_pair):
    (a, inbox_a), (b, _) = sealed_pair
    await b.stop()
    await inbox_a.until(lambda: not inbox_a.connected)
    assert ("b", False) in a.mail_receiver.links


async def test_a_visitor_asks_one_question_and_is_no_member(started, tmp_path):
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, link_keys=(KEY,))
    a, inbox = await started(settings["a"])
    a.mail_receiver = Postbox()
    answer = await join_client.ask(settings["b"], settings["a"].bind, b"may I?", now_s)
    assert answer == b"answer to may I?"
    assert a.mail_receiver.visitors == ["b"]
    assert not inbox.connected


async def test_a_visitor_with_another_secret_gets_no_answer(started, tmp_path):
    ports = free_ports(2)
    settings = settings_of(["a", "b"], ports, tmp_path, link_keys=(KEY,))
    a, _ = await started(settings["a"])
    a.mail_receiver = Postbox()
    stranger = settings_of(["a", "b"], ports, tmp_path, link_keys=(OTHER_KEY,))["b"]
    with pytest.raises(JoinRequestFailed):
        await join_client.ask(stranger, settings["a"].bind, b"may I?", now_s)
    assert a.mail_receiver.visitors == []


async def test_nobody_at_the_address_is_said_so(tmp_path):
    settings = settings_of(["a", "b"], free_ports(2), tmp_path)
    with pytest.raises(JoinRequestFailed, match="does not answer"):
        await join_client.ask(settings["b"], settings["a"].bind, b"may I?", now_s)


def test_a_node_message_is_cut_into_pieces_that_make_it_whole_again():
    out, back = PeerMail(), PeerMail()
    node_message = bytes(range(256)) * 2_000
    out.put(node_message)
    pieces = list(iter(out.next_message, None))
    assert len(pieces) == 4
    assert [back.take(piece) for piece in pieces] == [None, None, None, node_message]
