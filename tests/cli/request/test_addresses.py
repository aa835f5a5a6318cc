"""A server under a path, behind a key, or at an IPv6 address."""

import json

import pytest

from corvo.testing import LocalServer
from tests.cli.conftest import Cli
from tests.cli.request.test_watching import read_lines
from tests.support.gatehouse import Gatehouse

pytestmark = pytest.mark.slow

KEY = "sk_17"


@pytest.fixture(scope="module")
def gate(node):
    with Gatehouse(f"127.0.0.1:{node.server.port}", prefix="/a/corvo", key=KEY) as gate:
        yield gate


@pytest.fixture(scope="module")
def ipv6():
    with LocalServer(bind="[::1]:0") as server:
        yield server.url


@pytest.fixture(params=["prefix", "prefix/", "ipv6"])
def there(request, tmp_path):
    """The command with a server at such a place."""
    cli = Cli(0, tmp_path)
    if request.param == "ipv6":
        cli.environment["CORVO_URL"] = request.getfixturevalue("ipv6")
    else:
        url = request.getfixturevalue("gate").url
        cli.environment |= {"CORVO_URL": url + request.param.removeprefix("prefix"), "CORVO_API_KEY": KEY}
    return cli


def test_commands_reach_it(there, queue):
    job_id = there("enqueue", queue, "-o", "id").out.strip()
    assert there("inspect", job_id).json["queue"] == queue
    assert there("search", f"queue:{queue}", "-o", "id").lines == [job_id]
    assert there("check", "ready").out.startswith("OK")
    assert "led by" in there("top", "--once").out
    assert there("pause", queue).code == 0
    assert "paused" in there("why", job_id).out


def test_events_are_followed(there, queue):
    process = there.start("events", "-f", "--since", "0", "--queue", queue, "-o", "jsonl")
    job_id = there("enqueue", queue, "-o", "id").out.strip()
    (line,) = read_lines(process, 1)
    process.kill()
    process.communicate(timeout=30)
    assert json.loads(line)["job_id"] == job_id


@pytest.mark.parametrize("http", [1, 2])
@pytest.mark.parametrize("way", ["single", "stream"])
def test_it_is_measured(there, http, way):
    ran = there("bench", "--way", way, "--http", http, "--jobs", 64, "--workers", 1, "--concurrency", 1)
    assert "nothing was lost" in ran.out


@pytest.mark.parametrize("place", ["flag", "file", "environment", "file of the environment", "profile"])
def test_a_key_is_sent_wherever_it_was_named(gate, tmp_path, place):
    cli = Cli(0, tmp_path)
    cli.environment["CORVO_URL"] = gate.url
    (tmp_path / "key").write_text(f"{KEY}\n")
    words, environment = {
        "flag": (("--api-key", KEY), {}),
        "file": (("--api-key-file", tmp_path / "key"), {"CORVO_API_KEY": "wrong"}),
        "environment": ((), {"CORVO_API_KEY": KEY}),
        "file of the environment": ((), {"CORVO_API_KEY_FILE": str(tmp_path / "key")}),
        "profile": (("--profile", "prod"), {"CORVO_URL": ""}),
    }[place]
    cli("profile", "add", "prod", "--server", gate.url, "--api-key-file", tmp_path / "key")
    cli("profile", "add", "other", "--server", "http://127.0.0.1:1")
    cli("profile", "use", "other")
    assert cli("status", *words, **environment).out.startswith("cluster healthy")
    assert "who are you?" in cli("status", code=4).err
