"""Who one is on the node link: a node's key, two secrets at a time, and nodes from before keys."""

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest
import structlog

from corvo.consensus.identity import NodeIdentity
from corvo.consensus.link import join_client
from corvo.consensus.link.frames import LinkFrameReader
from corvo.consensus.link.hello import PROTOCOL_WITHOUT_KEYS, Hello
from corvo.consensus.link.join_client import JoinRequestFailed
from corvo.consensus.link.noise import Handshake, key_of
from tests.consensus.link.insider import Insider, read
from tests.consensus.link.mesh_peers import HOST, Knock, free_ports, now_s, settings_of

KEY, NEXT_KEY = key_of("the secret of tests"), key_of("the secret after that")
IDENTITIES = {name: NodeIdentity.generate() for name in ("a", "b", "thief")}
KEYS = {name: identity.public.hex() for name, identity in IDENTITIES.items()}
OLD = PROTOCOL_WITHOUT_KEYS


def of_two(ports, tmp_path, **more):
    """Settings of two nodes with keys of their own."""
    both = settings_of(["a", "b"], ports, tmp_path, **({"link_keys": (KEY,)} | more))
    return {name: replace(each, identity=IDENTITIES[name]) for name, each in both.items()}


@asynccontextmanager
async def serving(serve, port=0):
    """A listener of somebody else's making; yields its address."""
    writers = []

    async def remember(reader, writer):
        writers.append(writer)
        await serve(reader, writer)

    server = await asyncio.start_server(remember, HOST, port)
    try:
        yield f"{HOST}:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


@pytest.fixture
async def alone(started, tmp_path):
    """A node whose peer b never comes, for insiders to knock at."""
    return await started(of_two(free_ports(2), tmp_path)["a"])


# Keys


async def test_members_learn_each_others_keys(started, tmp_path):
    settings = of_two(free_ports(2), tmp_path)
    (a, inbox_a), (b, inbox_b) = await started(settings["a"]), await started(settings["b"])
    await inbox_a.until(lambda: inbox_a.connected)
    await inbox_b.until(lambda: inbox_b.connected)
    assert a.proven_keys() == {"b": KEYS["b"]}
    assert b.proven_keys() == {"a": KEYS["a"]}


async def test_a_member_with_the_key_of_the_roster_is_let_in(alone):
    mesh, inbox = alone
    mesh.set_peers({"b": f"{HOST}:1"}, {"b": KEYS["b"]})
    knock = await Insider.at(mesh)
    greeting = await knock.enter(Hello("b", "corvo"), KEY, IDENTITIES["b"])
    assert greeting.node_id == "a"
    assert inbox.connected == {"b"}
    knock.writer.close()


@pytest.mark.parametrize("identity", [IDENTITIES["thief"], None])
@pytest.mark.parametrize("protocol", [3, OLD])
async def test_who_knows_the_secret_cannot_be_another_node(alone, identity, protocol):
    """Neither with a key of its own, nor as a node that has none, nor as one from before keys."""
    mesh, inbox = alone
    mesh.set_peers({"b": f"{HOST}:1"}, {"b": KEYS["b"]})
    knock = await Insider.at(mesh)
    with structlog.testing.capture_logs() as logs:
        identity = None if protocol == OLD else identity
        assert await knock.enter(Hello("b", "corvo", protocol=protocol), KEY, identity) is None
    assert inbox.connected == set()
    told = next(line for line in logs if line["event"] == "link.other_key")
    assert told["log_level"] == "error"
    assert "corvo cluster forget-key b" in told["hint"]
    assert "corvo cluster remove b" in told["hint"]


async def test_a_key_that_is_shown_and_not_proven_is_worth_nothing(alone):
    """The thief shows b's key, which is no secret, and signs with its own."""
    mesh, inbox = alone
    knock = await Insider.at(mesh)
    stolen = NodeIdentity.generate()
    stolen.public = IDENTITIES["b"].public
    assert await knock.enter(Hello("b", "corvo"), KEY, stolen) is None
    assert inbox.connected == set()


async def test_a_thief_that_is_dialled_is_not_believed_either(started, tmp_path):
    ports = free_ports(2)
    a, inbox_a = await started(of_two(ports, tmp_path)["a"])
    a.set_peers({"b": f"{HOST}:{ports[1]}"}, {"b": KEYS["b"]})
    thief = replace(of_two(ports, tmp_path)["b"], identity=IDENTITIES["thief"], peers={})
    refused = asyncio.Event()
    with structlog.testing.capture_logs() as logs:
        closed = a.closed
        a.closed = lambda connection: (refused.set(), closed(connection))
        _, inbox_thief = await started(thief)
        async with asyncio.timeout(10):
            await refused.wait()
    assert inbox_a.connected == set()
    assert [line["peer"] for line in logs if line["event"] == "link.other_key"][:1] == ["b"]
    assert inbox_thief.messages == []


async def test_who_was_let_in_before_the_key_was_known_goes_when_it_is(alone):
    mesh, inbox = alone
    knock = await Insider.at(mesh)
    assert await knock.enter(Hello("b", "corvo"), KEY, IDENTITIES["thief"]) is not None
    mesh.set_peers({"b": f"{HOST}:1"}, {"b": KEYS["b"]})
    assert await knock.is_closed()
    await inbox.until(lambda: not inbox.connected)


async def test_a_visitor_shows_its_key_with_its_question(started, tmp_path):
    settings = of_two(free_ports(2), tmp_path)
    mesh, _ = await started(settings["a"])
    asked = []

    class Inbox:
        def visitor_asks(self, visitor, key, node_message, answer):
            asked.append((visitor, key, node_message))
            answer(b"yes")

    mesh.mail_receiver = Inbox()
    assert await join_client.ask(settings["b"], settings["a"].bind, b"may I?", now_s) == b"yes"
    assert asked == [("b", KEYS["b"], b"may I?")]
    found = await join_client.look(settings["b"], settings["a"].bind, now_s)
    assert (found.node_id, found.key) == ("a", KEYS["a"])


# Replays


async def test_a_recorded_conversation_can_not_be_had_again(alone):
    mesh, inbox = alone
    first = await Insider.at(mesh)
    written = []
    say = first.say
    first.say = lambda body: (written.append(body), say(body))
    assert await first.enter(Hello("b", "corvo"), KEY, IDENTITIES["b"]) is not None
    first.writer.close()
    await inbox.until(lambda: not inbox.connected)

    again = await Knock.at(mesh)
    for body in written:
        again.say(body)
    received = bytearray()
    while data := await read(again.reader):
        received += data
    # Half of a handshake that leads nowhere, which is the same to everybody; no name, no greeting.
    assert len(received) == 4 + 48
    assert inbox.connected == set()
    again.writer.close()


async def test_a_greeting_cannot_be_passed_on_to_another_node(started, tmp_path):
    """A node in the middle that knows the secret has b's greeting, but no connection on which it holds."""
    settings = of_two(free_ports(2), tmp_path)
    mesh, inbox = await started(settings["a"])
    transcripts = []
    overheard = asyncio.get_running_loop().create_future()

    async def middle(reader, writer):
        handshake, frames = Handshake(KEY, is_dialler=False), LinkFrameReader(1_000)
        while data := await read(reader):
            frames.feed(data)
            while (frame := frames.next()) is not None:
                if not transcripts:
                    handshake.hear(frame)
                    answer = handshake.say()
                    transcripts.append(handshake.transcript)
                    writer.write(len(answer).to_bytes(4, "big") + answer)
                elif not overheard.done():
                    overheard.set_result(Hello.decode(handshake.seal().open_up(frame)))
                    writer.close()

    async with serving(middle) as address:
        with pytest.raises(JoinRequestFailed):
            await join_client.look(settings["b"], address, now_s)
    hello = await overheard
    assert hello.key.hex() == KEYS["b"]
    assert hello.is_proven(transcripts[0], is_dialler=True)
    knock = await Insider.at(mesh)
    assert await knock.enter(hello, KEY) is None
    assert inbox.connected == set()


# Two secrets


async def test_both_secrets_are_understood_while_the_secret_is_changed(started, tmp_path):
    mesh, inbox = await started(of_two(free_ports(2), tmp_path, link_keys=(KEY, NEXT_KEY))["a"])
    for key in (KEY, NEXT_KEY):
        knock = await Insider.at(mesh)
        assert await knock.enter(Hello("b", "corvo"), key, IDENTITIES["b"]) is not None
        knock.writer.close()
        await inbox.until(lambda: not inbox.connected)
    knock = await Insider.at(mesh)
    assert await knock.enter(Hello("b", "corvo"), key_of("neither of the two"), IDENTITIES["b"]) is None


@pytest.mark.parametrize("of_a", [(KEY,), (NEXT_KEY,), (NEXT_KEY, KEY), (KEY, NEXT_KEY)])
@pytest.mark.parametrize("of_b", [(KEY, NEXT_KEY), (NEXT_KEY, KEY)])
async def test_nodes_with_one_secret_in_common_find_it(started, tmp_path, of_a, of_b):
    ports = free_ports(2)
    _, inbox_a = await started(of_two(ports, tmp_path, link_keys=of_a)["a"])
    _, inbox_b = await started(of_two(ports, tmp_path, link_keys=of_b)["b"])
    await inbox_a.until(lambda: inbox_a.connected == {"b"})
    await inbox_b.until(lambda: inbox_b.connected == {"a"})


async def test_a_newcomer_with_both_secrets_is_answered_by_a_node_with_either(started, tmp_path):
    ports = free_ports(2)
    await started(of_two(ports, tmp_path, link_keys=(NEXT_KEY,))["a"])
    visitor = of_two(ports, tmp_path, link_keys=(KEY, NEXT_KEY))["b"]
    assert (await join_client.look(visitor, visitor.peers["a"], now_s)).node_id == "a"
    with pytest.raises(JoinRequestFailed, match="is the secret the same"):
        await join_client.look(replace(visitor, link_keys=(KEY,)), visitor.peers["a"], now_s)


# Nodes from before keys


async def test_a_node_from_before_keys_is_let_in_until_its_key_is_known(alone):
    mesh, inbox = alone
    knock = await Insider.at(mesh)
    greeting = await knock.enter(Hello("b", "corvo", protocol=OLD), KEY)
    assert greeting == Hello("a", "corvo", protocol=OLD)
    assert inbox.connected == {"b"}
    assert mesh.proven_keys() == {}
    knock.writer.close()


class NodeFromBefore:
    """Listens as b, and knows the protocol of its time only."""

    def __init__(self):
        self.greetings = []
        self.was_greeted_often = asyncio.Event()

    async def serve(self, reader, writer):
        handshake, frames, seal = Handshake(KEY, is_dialler=False), LinkFrameReader(1_024), None
        while data := await read(reader):
            frames.feed(data)
            while (frame := frames.next()) is not None:
                if seal is None:
                    handshake.hear(frame)
                    self._write(writer, handshake.say())
                    seal = handshake.seal()
                    continue
                hello = Hello.decode(seal.open_up(frame))
                self.greetings.append(hello.protocol)
                if len(self.greetings) == 4:
                    self.was_greeted_often.set()
                if hello.protocol != OLD:
                    writer.close()
                    return
                self._write(writer, seal.close_up(Hello("b", "corvo", protocol=OLD).encode()))
        writer.close()

    @staticmethod
    def _write(writer, body):
        writer.write(len(body).to_bytes(4, "big") + body)


async def test_a_node_from_before_keys_is_dialled_in_its_own_way(started, tmp_path):
    ports = free_ports(2)
    before = NodeFromBefore()
    settings = of_two(ports, tmp_path)["a"]
    async with serving(before.serve, ports[1]) as address:
        mesh, inbox = await started(settings)
        await inbox.until(lambda: inbox.connected == {"b"})
        assert before.greetings[:3] == [3, 3, OLD]
        assert (await join_client.look(replace(settings, node_id="c"), address, now_s)).key == ""
        await mesh.stop()


async def test_a_node_whose_key_is_known_is_never_spoken_to_in_the_old_way(started, tmp_path):
    ports = free_ports(2)
    before = NodeFromBefore()
    async with serving(before.serve, ports[1]) as address:
        mesh, inbox = await started(replace(of_two(ports, tmp_path)["a"], peers={}))
        mesh.set_peers({"b": address}, {"b": KEYS["b"]})
        async with asyncio.timeout(10):
            await before.was_greeted_often.wait()
        assert set(before.greetings) == {3}
        assert inbox.connected == set()
        await mesh.stop()
