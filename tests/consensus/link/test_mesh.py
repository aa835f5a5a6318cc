"""The node link on real sockets: members find each other and keep in touch."""

import asyncio

from corvo.consensus.link import connection as connection_file
from corvo.consensus.link.connection import Connection
from corvo.consensus.link.hello import Hello
from corvo.consensus.settings import RaftTiming
from tests.consensus.link.mesh_peers import Knock, free_ports, settings_of

KEEPALIVE = {"type": "keepalive", "term": 7}


async def test_members_connect_and_messages_pass_both_ways(pair):
    (a, inbox_a), (b, inbox_b) = pair

    assert a.send("b", KEEPALIVE)
    assert b.send("a", {"type": "stale_term", "term": 8})

    await inbox_b.until(lambda: inbox_b.messages == [("a", KEEPALIVE)])
    await inbox_a.until(lambda: inbox_a.messages == [("b", {"type": "stale_term", "term": 8})])


async def test_messages_arrive_in_order_also_large_ones(pair):
    (a, _), (_, inbox_b) = pair
    sent = []
    for number in range(50):
        entries = ((bytes(number * 20_000), 2, 1),)
        sent.append(
            {
                "type": "append_entries",
                "term": 1,
                "sequence": number,
                "commit_index": 0,
                "prevLogIdx": 1,
                "prevLogTerm": 0,
                "entries": entries,
            }
        )
        assert a.send("b", sent[-1])

    await inbox_b.until(lambda: len(inbox_b.messages) == 50)
    assert [message for _, message in inbox_b.messages] == sent


async def test_a_member_that_is_away_is_dialled_until_it_is_back(pair, started, tmp_path):
    (a, inbox_a), (b, _) = pair
    settings = b._settings
    await b.stop()
    await inbox_a.until(lambda: not inbox_a.connected)
    assert not a.send("b", KEEPALIVE)

    _, inbox_b = await started(settings)

    await inbox_a.until(lambda: inbox_a.connected == {"b"})
    await inbox_b.until(lambda: inbox_b.connected == {"a"})


async def test_reading_pauses_when_there_is_no_room_and_goes_on_when_there_is(pair):
    (a, inbox_a), (b, inbox_b) = pair
    inbox_b.accepts = False
    for _ in range(3):
        a.send("b", KEEPALIVE)
    await inbox_b.until(lambda: inbox_b.messages)
    b.send("a", KEEPALIVE)
    await inbox_a.until(lambda: inbox_a.messages)
    assert len(inbox_b.messages) == 1

    inbox_b.accepts = True
    b.resume()

    await inbox_b.until(lambda: len(inbox_b.messages) == 3)


async def test_a_peer_that_does_not_read_is_cut_off_before_memory_is_used_up(pair, monkeypatch):
    (a, inbox_a), (_, inbox_b) = pair
    monkeypatch.setattr(connection_file, "BUFFER_BYTES_HARD", 1 << 20)
    inbox_b.accepts = False
    chunk = {
        "type": "snapshot_chunk",
        "term": 1,
        "transfer": 1,
        "number": 0,
        "checksum": 0,
        "chunk": bytes(200_000),
        "is_last": False,
    }
    sent = 0
    while a.send("b", chunk):
        sent += 1
        assert sent < 1_000

    await inbox_a.until(lambda: not inbox_a.connected)


async def test_a_silent_connection_is_given_up(started, tmp_path):
    timing = RaftTiming(silence_s=0.9, hello_s=5.0, connect_retry_s=5.0)
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, timing=timing)
    mesh, inbox = await started(settings["a"])
    knock = await Knock.at(mesh)
    knock.say(Hello("b", "corvo").encode())
    await inbox.until(lambda: inbox.connected == {"b"})

    # Nothing is said, as if the network had gone.
    await inbox.until(lambda: not inbox.connected)
    assert await knock.is_closed()


async def test_an_idle_connection_is_kept_alive_by_pings(started, tmp_path, monkeypatch):
    pings = []
    lasted = asyncio.Event()
    first = None
    receive = Connection.data_received

    def heard(self, data):
        receive(self, data)
        if self is first:
            pings.append(data)
            if len(pings) == 5:
                lasted.set()

    monkeypatch.setattr(Connection, "data_received", heard)
    timing = RaftTiming(silence_s=0.81, connect_retry_s=0.02)
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, timing=timing)
    _, inbox_a = await started(settings["a"])
    b, inbox_b = await started(settings["b"])
    await inbox_b.until(lambda: inbox_b.connected)
    first = b._members["a"]
    async with asyncio.timeout(10):
        await lasted.wait()

    assert set(pings) == {bytes(4)}
    assert b._members["a"] is first
    assert inbox_b.messages == []
    assert inbox_a.connected == {"b"}
