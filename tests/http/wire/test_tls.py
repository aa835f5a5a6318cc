"""What is wrong with files of certificates is said in a sentence that names the file."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta

import pytest
import structlog
from cryptography.hazmat.primitives import serialization

from corvo.config import Config, ConfigError
from corvo.config import load as load_config
from corvo.core.clock import NS_PER_S, SystemClock
from corvo.http.edges.factory import make_server
from corvo.http.wire.server import bind
from corvo.http.wire.tls import TlsFiles, TlsRefused, certificate_name, load
from corvo.http.wire.tls_keeper import TlsKeeper
from tests.support.certificates import Authority
from tests.support.client import hang_up
from tests.support.node import running


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


@pytest.fixture
def pems(authority):
    return authority.write("server", common_name="node.example.com")


def in_days(days):
    return datetime.fromtimestamp(SystemClock().now_ns() / NS_PER_S, UTC) + timedelta(days=days)


def files_of(pems, **others):
    return TlsFiles.of(Config(**(pems.settings | others)))


def test_good_files_make_a_context_that_says_whose_it_is(pems):
    loaded = load(files_of(pems))
    assert "CN=node.example.com" in loaded.subject
    assert loaded.context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert loaded.context.verify_mode is ssl.CERT_NONE
    old = [row["name"] for row in loaded.context.get_ciphers() if row["protocol"] != "TLSv1.3"]
    assert old
    assert all(name.startswith("ECDHE-") and ("GCM" in name or "CHACHA20" in name) for name in old)


def test_without_a_certificate_there_is_no_tls():
    assert TlsFiles.of(Config()) is None
    assert Config().scheme == "http"


@pytest.mark.parametrize(("auth", "mode"), [("optional", ssl.CERT_OPTIONAL), ("required", ssl.CERT_REQUIRED)])
def test_clients_are_asked_for_certificates(pems, authority, auth, mode):
    others = {"tls_client_ca": str(authority.file), "tls_client_auth": auth}
    assert load(files_of(pems, **others)).context.verify_mode is mode


def _encrypt(pems, authority):
    key = serialization.load_pem_private_key(pems.key.read_bytes(), None)
    with_password = serialization.BestAvailableEncryption(b"secret")
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, with_password
    )
    pems.key.write_bytes(pem)


BROKEN = {
    "missing": (lambda pems, _: pems.certificate.unlink(), r"server\.crt cannot be read: No such file"),
    "a folder": (lambda pems, _: (pems.key.unlink(), pems.key.mkdir()), r"server\.key cannot be read"),
    "empty": (lambda pems, _: pems.key.write_text(""), r"server\.key holds no private key"),
    "swapped": (
        lambda pems, _: pems.certificate.write_bytes(pems.key.read_bytes()),
        r"server\.crt holds no certificate",
    ),
    "cut off": (
        lambda pems, _: pems.certificate.write_bytes(pems.certificate.read_bytes()[:300]),
        r"server\.crt",
    ),
    "another's key": (
        lambda pems, authority: pems.key.write_bytes(authority.write("other").key.read_bytes()),
        r"key in .*server\.key is not that of the certificate in .*server\.crt",
    ),
    "a password": (_encrypt, r"server\.key is protected by a password. `openssl pkey"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_are_no_use_are_refused_in_a_sentence(pems, authority, name):
    break_it, sentence = BROKEN[name]
    break_it(pems, authority)
    with pytest.raises(TlsRefused, match=sentence):
        load(files_of(pems))


def test_an_authority_without_a_certificate_is_refused(pems, tmp_path):
    (tmp_path / "none.pem").write_text("nothing here")
    with pytest.raises(TlsRefused, match=r"none\.pem holds no certificate"):
        load(files_of(pems, tls_client_ca=str(tmp_path / "none.pem"), tls_client_auth="required"))


@pytest.mark.parametrize("edge", [{}, {"edge": "granian"}, {"edge_workers": 1}], ids=str)
async def test_a_node_whose_files_are_broken_does_not_start(tmp_path, pems, edge):
    pems.key.write_text("")
    with pytest.raises(TlsRefused, match="holds no private key"):
        async with running(tmp_path / "data", **pems.settings, **edge):
            pytest.fail("it started")


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ({"tls_cert": "a"}, "go together"),
        ({"tls_key": "a"}, "go together"),
        ({"tls_cert": "a", "tls_key": "b", "tls_client_auth": "required"}, "needs .*--tls-client-ca"),
        ({"tls_client_auth": "optional", "tls_client_ca": "c"}, "needs --tls-cert"),
        ({"tls_cert": "a", "tls_key": "b", "tls_client_ca": "c"}, "no effect"),
        ({"tls_cert": "a", "tls_key": "b", "tls_client_auth": "maybe"}, "maybe"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(flags, sentence):
    with pytest.raises(ConfigError, match=sentence):
        load_config(flags, {})


async def test_a_certificate_that_has_expired_or_will_soon_is_told(authority, days_left):
    days, level = days_left
    pems = authority.write("server", not_after=in_days(days))
    with structlog.testing.capture_logs() as lines:
        TlsKeeper(files_of(pems))
    (line,) = lines
    assert line["log_level"] == level


@pytest.fixture(params=[(-1, "error"), (3, "warning"), (30, "info")], ids=str)
def days_left(request):
    return request.param


async def test_a_server_that_never_served_can_be_closed(pems, tmp_path):
    config = Config(data_dir=str(tmp_path), **pems.settings)
    async with running(tmp_path / "data") as node:
        make_server(config, node.node._edge, bind("127.0.0.1:0")).close()


async def test_clients_that_never_shake_hands_keep_nobody_out(tmp_path, authority, pems, monkeypatch):
    monkeypatch.setattr("corvo.http.wire.tls_listener._HANDSHAKES_MAX", 8)
    async with running(tmp_path / "data", **pems.settings) as node:
        host, port = node.client.host, node.client.port
        silent = [await asyncio.open_connection(host, port) for _ in range(40)]
        trusted = authority.trust()
        _, writer = await asyncio.open_connection(host, port, ssl=trusted)
        # The oldest were given up for the others.
        assert await asyncio.wait_for(silent[0][0].read(), 10) == b""
        for end in (writer, *(other for _, other in silent)):
            await hang_up(end)


async def test_a_client_that_takes_too_long_to_shake_hands_is_hung_up_on(tmp_path, pems, monkeypatch):
    monkeypatch.setattr("corvo.http.wire.tls_listener._HANDSHAKE_S", 0.1)
    async with running(tmp_path / "data", **pems.settings) as node:
        for said in (b"", b"\x16\x03\x01"):
            reader, writer = await asyncio.open_connection(node.client.host, node.client.port)
            writer.write(said)
            assert await asyncio.wait_for(reader.read(), 10) == b""
            await hang_up(writer)


def test_a_certificate_with_two_names_names_nobody():
    class Shown:
        def __init__(self, *names):
            self._names = names

        def get_extra_info(self, name):
            return {"subject": tuple((("commonName", name),) for name in self._names)}

    assert certificate_name(Shown("ada")) == "ada"
    assert certificate_name(Shown("ada", "root")) == ""
    assert certificate_name(Shown()) == ""
