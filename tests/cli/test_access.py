"""Keys and roles by the command line: from the first key to the last exit code."""

import stat

import pytest

from chaos.process import Server, free_port
from corvo.core.access.api_key import is_well_formed, new_key
from tests.cli.conftest import Cli, Node


@pytest.fixture(scope="module")
def admin_key(tmp_path_factory):
    file = tmp_path_factory.mktemp("keys") / "admin.key"
    file.write_text(new_key() + "\n")
    return file


@pytest.fixture(scope="module")
def node(tmp_path_factory, admin_key):
    flags = ("--durable", "off", "--raft-bind", "127.0.0.1:0", "--api-key-file", str(admin_key))
    server = Server(tmp_path_factory.mktemp("node") / "data", free_port(), *flags)
    server.start()
    yield Node(server)
    server.close()


@pytest.fixture(scope="module")
def anybody(node, tmp_path_factory):
    """The command without any key."""
    return Cli(node.server.port, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def cli(node, admin_key, tmp_path_factory):
    """The command of an admin."""
    cli = Cli(node.server.port, tmp_path_factory.mktemp("home"))
    cli.environment["CORVO_API_KEY_FILE"] = str(admin_key)
    return cli


def made(cli, tmp_path, name, *flags):
    """The id of a new key, and the file that holds it."""
    file = tmp_path / f"{name}.key"
    return cli("keys", "create", name, "--save", file, *flags, "-o", "id").out.strip(), file


def test_without_a_key_the_exit_code_is_4_and_the_words_say_what_to_do(anybody):
    ran = anybody("queues", code=4)
    assert ran.out == ""
    assert "--api-key-file" in ran.err
    assert "corvo keys create" in ran.err


def test_with_a_key_that_may_not_the_exit_code_is_4_and_the_words_name_whoami(cli, anybody, tmp_path):
    _, file = made(cli, tmp_path, "producer", "--role", "producer")
    ran = anybody("queues", "--api-key-file", file, code=4)
    assert "producer, which does not allow queues:read" in ran.err
    assert "corvo whoami" in ran.err


def test_a_key_lives_from_its_making_to_its_end(cli, anybody, tmp_path):
    key_id, file = made(
        cli, tmp_path, "mailer", "--role", "worker", "--queues", "mail-*", "--expires-in", "1h"
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert is_well_formed(file.read_text().strip())
    assert "cannot be made" in cli("keys", "create", "x", "--save", file, code=2).err

    shown = cli("keys", "show", "mailer", "-o", "json").json
    assert (shown["id"], shown["role"], shown["queue_scope"]) == (key_id, "worker", "mail-*")
    assert "mailer" in cli("keys").out
    who = anybody("whoami", "--api-key-file", file, "-o", "json").json
    assert (who["principal"], who["queue_scope"]) == ("key:mailer", ["mail-*"])

    former = file.read_text().strip()
    rotated = tmp_path / "rotated.key"
    cli("keys", "rotate", key_id, "--overlap", "0s", "--save", rotated)
    assert anybody("whoami", code=4, CORVO_API_KEY=former).out == ""
    anybody("whoami", "--api-key-file", rotated)

    cli("keys", "update", key_id, "--role", "readonly", "--queues", "")
    assert "queue_scope" not in cli("keys", "show", key_id, "-o", "json").json
    assert "nothing to change" in cli("keys", "update", key_id, code=2).err
    cli("keys", "disable", key_id)
    anybody("whoami", "--api-key-file", rotated, code=4)
    cli("keys", "enable", key_id)
    anybody("whoami", "--api-key-file", rotated)

    assert "--yes" in cli("keys", "delete", key_id, code=2).err
    cli("keys", "delete", key_id, "--yes")
    anybody("whoami", "--api-key-file", rotated, code=4)
    cli("keys", "show", key_id, code=5)


def test_a_key_is_printed_once_where_no_file_is_named(cli):
    ran = cli("keys", "create", "printed")
    key = ran.lines[0]
    assert is_well_formed(key)
    assert key not in cli("keys", "show", "printed").out
    assert cli("keys", "create", "asjson", "-o", "json").json["api_key"].startswith("corvo_")


def test_names_that_stand_for_several_keys_are_not_guessed_at(cli, tmp_path):
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        made(cli, tmp_path / str(number), "twin")
    assert "by its id" in cli("keys", "show", "twin", code=2).err


def test_a_key_made_elsewhere_is_taken_from_a_file(cli, anybody, tmp_path):
    file = tmp_path / "own.key"
    file.write_text(anybody("keys", "new").out)
    cli("keys", "create", "own", "--key-file", file)
    assert anybody("whoami", "--api-key-file", file, "-o", "id").out.strip() == "key:own"


def test_a_role_lives_from_its_making_to_its_end(cli, anybody, tmp_path):
    cli("roles", "set", "pauser", "queues:read,pause")
    assert "queues:read,pause" in next(line for line in cli("roles").lines if line.startswith("pauser"))
    key_id, file = made(cli, tmp_path, "oncall", "--role", "producer")
    anybody("queues", "--api-key-file", file, code=4)
    cli("keys", "grant", key_id, "pauser")
    anybody("queues", "--api-key-file", file)
    cli("keys", "revoke", key_id, "pauser")
    anybody("queues", "--api-key-file", file, code=4)
    cli("roles", "delete", "pauser", "--yes")
    assert "pauser" not in cli("roles").out
    assert "not a permission" in cli("roles", "set", "x", "queues", code=2).err
    assert "no 'fly' on 'queues'" in cli("roles", "set", "x", "queues:fly", code=1).err


def test_a_secret_on_the_command_line_is_warned_of_and_works(cli, anybody, admin_key):
    ran = anybody("whoami", "--api-key", admin_key.read_text().strip(), "-o", "id")
    assert ran.out == "key:file\n"
    assert "other users of this machine can see --api-key" in ran.err
    assert "CORVO_API_KEY_FILE" in ran.err
    assert anybody("whoami", "--api-key", admin_key.read_text().strip(), "-q", "-o", "none").err == ""
    assert cli("whoami", "-o", "none").err == ""


@pytest.mark.slow
def test_serve_warns_of_a_secret_on_its_command_line_and_not_of_one_in_the_environment(nowhere, tmp_path):
    flags = ("serve", "--data-dir", tmp_path, "--edge-workers", "nonsense")
    assert "can see --cluster-secret" not in nowhere(*flags, code=2, CORVO_CLUSTER_SECRET="s" * 16).err
    bad = ("--bind", "192.0.2.1:1", "--insecure-open", "--raft-bind", "127.0.0.1:0")
    ran = nowhere("serve", "--data-dir", tmp_path, *bad, "--cluster-secret", "s" * 16, code=1)
    assert "other users of this machine can see --cluster-secret; use CORVO_CLUSTER_SECRET" in ran.err


def test_a_profile_remembers_the_file_and_not_the_key(cli, anybody, admin_key, node):
    url = f"http://127.0.0.1:{node.server.port}"
    anybody("profile", "add", "here", "--server", url, "--api-key-file", admin_key)
    assert anybody("whoami", "--profile", "here", "-o", "id").out == "key:file\n"
    anybody("profile", "remove", "here")


def test_monitoring_is_answered_without_a_key(anybody, cli):
    assert anybody("check", "ready").out.startswith("OK: ok; with a key")
    assert "led by" in cli("check", "ready").out


def test_doctor_shows_its_key_to_a_running_node(anybody, cli, node):
    assert "it wants the key of an admin" in anybody("doctor", node.server.data_dir, code=1).out
    assert cli("doctor", node.server.data_dir).lines[-1] == "sound"
