"""`corvo` with a node that speaks TLS: whom it trusts, what it shows, and what it says when that fails."""

import pytest

from chaos.process import free_port
from tests.cli.conftest import Cli
from tests.http.edges.choices import CHOICES
from tests.http.edges.test_tls import TlsServer
from tests.support.certificates import Authority

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("people"))


@pytest.fixture(scope="module")
def server(tmp_path_factory, people):
    folder = tmp_path_factory.mktemp("tls")
    client = ("--tls-client-ca", str(people.file), "--tls-client-auth", "optional")
    server = TlsServer(folder, CHOICES["hypercorn"], *client)
    yield server
    server.process.close()


@pytest.fixture
def cli(server, tmp_path):
    cli = Cli(server.process.port, tmp_path)
    cli.environment["CORVO_URL"] = f"https://127.0.0.1:{server.process.port}"
    return cli


@pytest.fixture
def shown(people):
    return people.write("client", "x.example.com", common_name="ada")


def test_a_ca_file_makes_everything_work(cli, server):
    ca = ("--ca-file", server.authority.file)
    made = cli("enqueue", "mail", "-o", "json", *ca).json
    assert cli("jobs", "show", made["job_id"], "-o", "json", *ca).json["queue"] == "mail"
    assert made["job_id"] in cli("events", "--limit", "50", "-o", "jsonl", *ca).out


def test_the_environment_and_a_profile_do_the_same(cli, server, shown):
    files = {"CORVO_CA_FILE": str(server.authority.file), "CORVO_CLIENT_CERT": str(shown.certificate)}
    cli("queues", **files, CORVO_CLIENT_KEY=str(shown.key))
    cli(
        *("profile", "add", "prod", "--server", cli.environment.pop("CORVO_URL")),
        *("--ca-file", server.authority.file, "--client-cert", shown.certificate, "--client-key", shown.key),
    )
    cli("queues")
    (row,) = cli("profile", "list", "-o", "json").json
    assert row["ca_file"] == str(server.authority.file)
    assert row["client_cert"] == str(shown.certificate)


def test_a_stranger_is_not_spoken_to(cli):
    ran = cli("queues", code=7)
    assert "certificate verify failed" in ran.err
    assert "--ca-file" in ran.err


def test_plain_http_to_the_port_is_told_so(cli, server):
    ran = cli("queues", code=1, CORVO_URL=f"http://127.0.0.1:{server.process.port}")
    assert "this port speaks TLS; use https://" in ran.err


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--ca-file", "/nowhere.pem"), "/nowhere.pem cannot be read: No such file"),
        (("--ca-file", __file__), "holds no certificate"),
        (("--client-cert", __file__), "holds no certificate or key"),
        (("--client-key", __file__), "--client-cert"),
    ],
)
def test_files_that_are_no_use_are_named(cli, flags, sentence):
    assert sentence in cli("queues", *flags, code=2).err


def test_a_certificate_of_a_stranger_is_refused_with_a_hint(cli, server, tmp_path):
    wrong = Authority(tmp_path, "others").write("other", "x.example.com", common_name="root")
    flags = ("--client-cert", wrong.certificate, "--client-key", wrong.key)
    ran = cli("queues", "--ca-file", server.authority.file, *flags, code=7)
    assert "does not accept our certificate" in ran.err


def test_doctor_knows_a_running_node_by_its_certificate(server):
    code, said = server.process.doctor()
    assert code == 0, said
    assert "checked at entry" in said


def test_bench_runs_over_tls(cli, server):
    for http in ("1", "2"):
        ran = cli("bench", "--jobs", "50", "--http", http, "--ca-file", server.authority.file)
        assert ran.out


def test_a_node_that_cannot_read_its_files_says_so_and_ends(cli, tmp_path):
    ran = cli(
        *("serve", "--data-dir", tmp_path / "data", "--bind", f"127.0.0.1:{free_port()}"),
        *("--raft-bind", "127.0.0.1:0", "--tls-cert", "/nowhere.crt", "--tls-key", "/nowhere.key"),
        code=1,
    )
    assert "Error: /nowhere.crt cannot be read: No such file or directory" in ran.err
