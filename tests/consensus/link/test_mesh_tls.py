"""The node link with certificates: the name in it is who one is."""

import asyncio

import pytest

from corvo.consensus.link.hello import Hello
from corvo.consensus.link.mesh import STRANGERS_MAX
from corvo.consensus.settings import Tls
from tests.consensus.link.mesh_peers import QUICK, Knock, free_ports, new_authority, settings_of, tls_of

KEEPALIVE = {"type": "keepalive", "term": 7}


async def test_members_with_certificates_of_their_name_connect(started, tmp_path):
    authority = new_authority()
    tls = {name: tls_of(authority, name) for name in ("a", "b")}
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, tls=tls)
    a, inbox_a = await started(settings["a"])
    _, inbox_b = await started(settings["b"])
    await inbox_a.until(lambda: inbox_a.connected)

    a.send("b", KEEPALIVE)

    await inbox_b.until(lambda: inbox_b.messages == [("a", KEEPALIVE)])


async def test_contexts_can_be_made_from_files(started, tmp_path):
    authority = new_authority()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    tls = {}
    for name in ("a", "b"):
        certificate = authority.issue_cert(f"{name}.example", common_name=name)
        certificate.cert_chain_pems[0].write_to_path(tmp_path / f"{name}.pem")
        certificate.private_key_pem.write_to_path(tmp_path / f"{name}.key")
        tls[name] = Tls.from_files(
            authority=tmp_path / "ca.pem", certificate=tmp_path / f"{name}.pem", key=tmp_path / f"{name}.key"
        )
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, tls=tls)
    await started(settings["a"])
    _, inbox = await started(settings["b"])

    await inbox.until(lambda: inbox.connected == {"a"})


@pytest.mark.parametrize("impostor", ["a", "b"])
async def test_a_certificate_with_another_name_is_refused_by_either_side(started, tmp_path, impostor):
    authority = new_authority()
    tls = {name: tls_of(authority, "c" if name == impostor else name) for name in ("a", "b")}
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, tls=tls)
    a, inbox_a = await started(settings["a"])
    b, inbox_b = await started(settings["b"])
    refused = asyncio.Event()
    judge = a if impostor == "b" else b
    original = judge.closed
    judge.closed = lambda connection: (refused.set(), original(connection))

    async with asyncio.timeout(10):
        await refused.wait()

    inbox = inbox_a if judge is a else inbox_b
    assert inbox.connected == set()


async def test_a_certificate_of_another_authority_is_refused(started, tmp_path):
    tls = {"a": tls_of(new_authority(), "a"), "b": tls_of(new_authority(), "b")}
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, tls=tls)
    _, inbox_a = await started(settings["a"])
    b, inbox_b = await started(settings["b"])
    tries = []
    enough = asyncio.Event()
    dial = b._dial

    async def counted(peer):
        await dial(peer)
        tries.append(peer)
        if len(tries) == 3:
            enough.set()

    b._dial = counted
    async with asyncio.timeout(10):
        await enough.wait()

    assert inbox_a.connected == inbox_b.connected == set()


async def test_failed_handshakes_do_not_keep_members_out(started, tmp_path):
    """A connection that fails before it is one must not be counted as a stranger for ever."""
    authority = new_authority()
    tls = {name: tls_of(authority, name) for name in ("a", "b")}
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, tls=tls)
    a, inbox = await started(settings["a"])
    for _ in range(STRANGERS_MAX + 5):
        knock = await Knock.at(a)
        knock.writer.write(b"this is not TLS")
        assert await knock.is_closed()

    await started(settings["b"])

    await inbox.until(lambda: inbox.connected == {"b"})


async def test_without_a_certificate_there_is_no_talking_to_a_node_with_tls(started, tmp_path):
    authority = new_authority()
    tls = {name: tls_of(authority, name) for name in ("a", "b")}
    settings = settings_of(["a", "b"], free_ports(2), tmp_path, tls=tls, timing=QUICK)
    a, inbox = await started(settings["a"])
    knock = await Knock.at(a)
    knock.say(Hello("b", "corvo").encode())

    assert await knock.is_closed()
    assert inbox.connected == set()
