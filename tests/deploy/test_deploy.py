"""What deploy/ starts is what a node takes: the very flags found there are run, on this machine.

Docker itself is not needed. Where the compose file of the cluster runs, every node has a network namespace of
its own, in which the names of the file lead to it.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest
import yaml

from chaos.group import Group
from chaos.namespaces import Namespaces
from chaos.process import Client, Server, free_port
from corvo.core.access.api_key import new_key

DEPLOY = Path(__file__).parents[2] / "deploy"
KEY = new_key()
SECRET = "what openssl rand -hex 32 would say"


def compose(name):
    return yaml.safe_load((DEPLOY / name).read_text())


def flags(command):
    """What follows `serve`, without the folder, which is another here."""
    serve, *given = command
    assert serve == "serve"
    at = given.index("--data-dir")
    return [*given[:at], *given[at + 2 :]], given[at + 1]


def where(given):
    """Where it listens, and the other flags."""
    at = given.index("--bind")
    return given[at + 1], (*given[:at], *given[at + 2 :])


def serves(folder, given):
    """How a node with these flags, listening somewhere else, says it is."""
    folder.mkdir()
    server = Server(folder / "data", free_port(), *given, "--raft-bind", "127.0.0.1:0")
    try:
        server.start()
        status, body = server.post("/api/v1/enqueue", {"queue": "q", "payload": {}})
        assert status == 201, body
        return subprocess.run(
            [sys.executable, "-m", "corvo", *_health(), "--server", f"http://127.0.0.1:{server.port}"],
            check=False,
        ).returncode
    finally:
        server.close()


# The image


def dockerfile():
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _instruction(name):
    (line,) = [line for line in dockerfile() if line.startswith(name + " ")]
    return line.removeprefix(name + " ")


def _health():
    command = json.loads(re.search(r"CMD (\[.*\])", _instruction("HEALTHCHECK"))[1])
    assert command[0] == "corvo"
    return command[1:]


def test_the_image_serves_as_somebody_harmless_from_its_volume():
    given, folder = flags(json.loads(_instruction("CMD")))
    assert folder == _instruction("VOLUME")
    assert _instruction("USER") not in ("root", "0")
    assert json.loads(_instruction("ENTRYPOINT")) == ["corvo"]
    assert where(given)[0].rpartition(":")[2] in _instruction("EXPOSE").split()


@pytest.mark.slow
def test_a_node_with_the_flags_of_image_compose_and_systemd_works_and_says_so(tmp_path):
    commands = (
        json.loads(_instruction("CMD")),
        compose("compose.yaml")["services"]["corvo"]["command"],
        shlex.split(_unit()["ExecStart"])[1:],
    )
    different = {where(flags(command)[0])[1] for command in commands}
    for number, given in enumerate(different):
        assert serves(tmp_path / str(number), given) == 0


def test_the_image_is_made_of_what_is_there():
    root = DEPLOY.parent
    copied = [
        line.split()[1:-1] for line in dockerfile() if line.startswith("COPY ") and "--from" not in line
    ]
    let_in = (DEPLOY / "Dockerfile.dockerignore").read_text()
    for name in chain(*copied):
        assert (root / name).exists(), name
        assert f"!{name}\n" in let_in


# Compose


def test_one_node_by_compose_is_for_this_machine_and_keeps_its_data():
    service = compose("compose.yaml")["services"]["corvo"]
    given, folder = flags(service["command"])
    assert service["volumes"] == [f"data:{folder}"]
    assert where(given)[0] == "0.0.0.0:8080"
    assert all(port.startswith("127.0.0.1:") for port in service["ports"]), "nothing encrypts it"


@pytest.mark.parametrize("name", ["compose.yaml", "compose.cluster.yaml"])
def test_a_node_by_compose_wants_the_key_it_was_given(name):
    """A node that other machines reach does not start without one."""
    made = compose(name)
    assert made["secrets"] == {"api-key": {"environment": "CORVO_API_KEY"}}
    for service in made["services"].values():
        assert service["secrets"] == ["api-key"]
        assert service["environment"]["CORVO_API_KEY_FILE"] == "/run/secrets/api-key"


@pytest.mark.parametrize("name", ["compose.yaml", "compose.cluster.yaml"])
def test_compose_itself_has_nothing_to_say(name):
    if (
        shutil.which("docker") is None
        or subprocess.run(["docker", "compose", "version"], check=False).returncode
    ):
        pytest.skip("docker compose is not installed")
    command = ["docker", "compose", "-f", str(DEPLOY / name), "config", "--quiet"]
    done = subprocess.run(
        command,
        env={"CORVO_CLUSTER_SECRET": SECRET, "CORVO_API_KEY": KEY, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_nodes_of_the_cluster_differ_in_their_names_only():
    services = compose("compose.cluster.yaml")["services"]
    assert list(services) == ["corvo-0", "corvo-1", "corvo-2"]
    for name, service in services.items():
        given, folder = flags(service["command"])
        assert given[:2] == ["--node-id", name]
        assert service["hostname"] == name
        assert service["volumes"] == [f"data-{name[-1]}:{folder}"]
        assert service["networks"]["nodes"]["aliases"] == [given[given.index("--discover-dns-name") + 1]]
    assert len({tuple(flags(service["command"])[0][2:]) for service in services.values()}) == 1
    needed = {service["environment"]["CORVO_CLUSTER_SECRET"] for service in services.values()}
    assert len(needed) == 1
    assert needed.pop().startswith("${CORVO_CLUSTER_SECRET:?")


class Composed(Group):
    """The services of a compose file as processes, each in a namespace where the file's names lead to it."""

    def __init__(self, folder, services):
        self.links = Namespaces()
        self.servers = {}
        places = {name: self.links.place(name) for name in services}
        addresses = {name: place.raft_bind.rpartition(":")[0] for name, place in places.items()}
        hosts = ["127.0.0.1 localhost"]
        for name, service in services.items():
            names = [service["hostname"], *service["networks"]["nodes"]["aliases"]]
            hosts += [f"{addresses[name]} {word}" for word in names]
        self.links.start(self._running)
        self._hosts = []
        for name, place in places.items():
            # `ip netns exec` shows this to its command in the place of /etc/hosts.
            etc = Path("/etc/netns") / place.before[-1]
            etc.mkdir(parents=True)
            self._hosts.append(etc)
            (etc / "hosts").write_text("\n".join(hosts) + "\n")
            # In a container the machine is called as the service says.
            named = (
                "unshare",
                "--uts",
                "sh",
                "-c",
                f'hostname {services[name]["hostname"]} && exec "$@"',
                "sh",
            )
            # Where compose shows a secret to the container.
            shown = folder / Path(services[name]["environment"]["CORVO_API_KEY_FILE"]).name
            shown.write_text(KEY + "\n")
            secret = ("env", f"CORVO_CLUSTER_SECRET={SECRET}", f"CORVO_API_KEY_FILE={shown}")
            given, _ = flags(services[name]["command"])
            self.servers[name] = Server(
                folder / name,
                place.http_port,
                *given,
                before=(*place.before, *named, *secret),
                host=place.http_host,
                api_key=KEY,
            )

    def form(self):
        # Each waits until all are there, so none is waited for before the last is started.
        for server in self.servers.values():
            server.begin()
        self.until(lambda: self.voters() == len(self.servers), "all nodes have a vote")

    def close(self):
        super().close()
        for etc in self._hosts:
            shutil.rmtree(etc)


@pytest.mark.slow
def test_three_nodes_by_compose_find_each_other_and_are_one(tmp_path):
    reason = Namespaces.missing()
    if reason is not None:
        pytest.skip(reason)
    group = Composed(tmp_path, compose("compose.cluster.yaml")["services"])
    try:
        group.form()
        with Client(group.servers["corvo-2"].address) as stranger:
            assert stranger.call("GET", "/api/v1/queues")[0] == 401
        with Client(group.servers["corvo-2"].address, api_key=KEY) as client:
            status, body = client.call("POST", "/api/v1/enqueue", {"queue": "q", "payload": {}})
            assert status == 201, body
        group.until_level()
        for server in group.servers.values():
            assert server.get(f"/api/v1/jobs/{body['job_id']}")[0] == 200
    finally:
        group.close()


# systemd


def _unit():
    lines = (DEPLOY / "corvo.service").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_the_unit_of_systemd_keeps_its_data_where_it_may_write():
    program, *command = shlex.split(_unit()["ExecStart"])
    assert program.endswith("/corvo")
    given, folder = flags(command)
    assert folder == f"/var/lib/{_unit()['StateDirectory']}"
    assert where(given)[0].startswith("127.0.0.1:"), "nothing encrypts it"


def test_the_unit_hands_over_the_key_as_a_credential():
    name, _, source = _unit()["LoadCredential"].partition(":")
    assert source == "/etc/corvo/api.key"
    assert _unit()["Environment"] == f"CORVO_API_KEY_FILE=%d/{name}"


def test_systemd_itself_has_nothing_to_say():
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    command = ["systemd-analyze", "verify", str(DEPLOY / "corvo.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # The program is not installed on the machine that runs the tests, and that is all.
    said = [line for line in (done.stdout + done.stderr).splitlines() if "corvo.service" in line]
    assert [line for line in said if "is not executable" not in line] == []
