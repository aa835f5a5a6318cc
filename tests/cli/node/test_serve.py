"""`corvo serve`: settings and where they come from, starting, refusing, stopping."""

import signal
import socket
import time

import pytest

from chaos.process import Server, free_port
from corvo.cli.commands.server.serve import command
from corvo.config import WITHOUT_MEANING, Config, ConfigError, load, settings

# Settings: flag > environment > file > default


def test_without_anything_the_defaults_hold():
    config, warnings = load({}, {})
    assert config == Config()
    assert warnings == []


def test_a_flag_wins_over_the_environment_and_this_over_the_file(tmp_path):
    file = tmp_path / "corvo.toml"
    file.write_text('node-id = "file"\nbind = "127.0.0.1:1"\nretention = "2h"\ndocs_enabled = false\n')
    config, _ = load(
        {"bind": "127.0.0.1:3"}, {"CORVO_BIND": "127.0.0.1:2", "CORVO_RETENTION": "90m", "PATH": "x"}, file
    )
    assert (config.bind, config.retention, config.node_id) == ("127.0.0.1:3", 5_400_000, "file")
    assert config.docs_enabled is False


@pytest.mark.parametrize(
    ("flags", "environment", "text"),
    [
        ({"retention": "soon"}, {}, ""),
        ({"snapshot_threshold": "many"}, {}, ""),
        ({"snapshot_threshold": "1"}, {}, ""),
        ({"docs_enabled": "perhaps"}, {}, ""),
        ({"durable": "maybe"}, {}, ""),
        ({"no_such_thing": "1"}, {}, ""),
        ({}, {"CORVO_MAX_BODY_SIZE": "12"}, ""),
        ({}, {}, "no_such_thing = 1"),
        ({}, {}, "bind = 5"),
        ({}, {}, "bind"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_name(tmp_path, flags, environment, text):
    file = tmp_path / "corvo.toml"
    file.write_text(text)
    with pytest.raises((ConfigError, Exception)) as refused:
        load(flags, environment, file)
    named = [*flags, *(name.removeprefix("CORVO_").lower() for name in environment), text.split(" ")[0]]
    message = str(refused.value)
    assert any(name and name in message for name in [*named, str(file)]), message


def test_a_file_that_is_not_text_is_refused_in_a_sentence(tmp_path):
    file = tmp_path / "corvo.toml"
    file.write_bytes('node_id = "münchen"'.encode("latin-1"))
    with pytest.raises(ConfigError, match=str(file)):
        load({}, {}, file)


def test_variables_that_are_none_of_ours_are_left_alone():
    assert load({}, {"CORVO_URL": "http://x", "CORVO_SOMETHING": "1"})[0] == Config()


def test_settings_of_the_reference_without_meaning_are_ignored_with_a_warning():
    config, warnings = load({"raft_store": "badger"}, {"CORVO_LICENSE_KEY": "x"})
    assert config == Config()
    assert len(warnings) == 2
    assert {"raft_store", "license_key"} <= WITHOUT_MEANING


def test_every_setting_is_a_flag_with_its_help_variable_and_default():
    options = {option.name: option for option in command.params}
    for setting in settings():
        option = options[setting.name]
        assert option.opts == [setting.flag]
        assert setting.help in option.help
        assert setting.variable in option.help
        assert "default: " in option.help


# The process


@pytest.mark.slow
def test_help_and_refusals_of_serve(nowhere, tmp_path):
    page = nowhere("serve", "--help").out
    assert "--data-dir" in page
    assert "CORVO_DATA_DIR" in page
    assert nowhere("server", "--help").out == page.replace("corvo serve", "corvo server")
    ran = nowhere("serve", "--retention", "soon", code=2)
    assert "retention (command line)" in ran.err
    assert nowhere("serve", "--config", tmp_path / "none.toml", code=2).err.startswith("Error: ")


@pytest.mark.slow
def test_a_taken_address_is_one_sentence_and_exit_code_1(nowhere, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ran = nowhere("serve", "--bind", address, "--data-dir", tmp_path / "data", code=1)
    assert ran.err.splitlines()[-1].startswith("Error: ")
    assert address in ran.err


@pytest.mark.slow
def test_settings_reach_the_node_from_all_three_places(tmp_path, monkeypatch):
    file = tmp_path / "corvo.toml"
    file.write_text('snapshot_threshold = 5000\nnode_id = "file"\nraft_max_pending = 111\n')
    monkeypatch.setenv("CORVO_NODE_ID", "environment")
    monkeypatch.setenv("CORVO_RAFT_MAX_PENDING", "222")
    flags = ("--config", str(file), "--raft-max-pending", "333", "--docs-enabled=false", "--no-compression")
    server = Server(tmp_path / "data", free_port(), *flags)
    try:
        server.start()
        status = server.get("/api/v1/cluster/status")[1]
        assert status["snapshot_threshold"] == 5_000
        assert status["node_id"] == "environment"
        assert status["apply_max_pending"] == 333
        assert server.get("/docs")[0] == 404
        assert "no_compression (command line) has no meaning" in (tmp_path / "data.log").read_text()
    finally:
        server.close()


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_node_that_is_asked_to_stop_does_so_in_time_and_well(nowhere, tmp_path, sign):
    process = nowhere.start("serve", "--bind", f"127.0.0.1:{nowhere.port}", "--data-dir", tmp_path / "data")
    try:
        for _ in range(600):
            if nowhere_is_up(nowhere.port):
                break
            time.sleep(0.1)
        # A long-poll that waits must not hold it up.
        waiting = socket.create_connection(("127.0.0.1", nowhere.port))
        body = b'{"queues":["q"],"timeout":60}'
        waiting.sendall(
            b"POST /api/v1/fetch HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(body) + body
        )
        process.send_signal(sign)
        process.communicate(timeout=5)
        waiting.close()
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert process.returncode == 0


def nowhere_is_up(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
