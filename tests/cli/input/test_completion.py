"""The shell completes commands, flags and names of queues."""

import subprocess

import pytest

pytestmark = pytest.mark.slow


def complete(cli, *words):
    ran = cli(
        code=0,
        _CORVO_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(("corvo", *words)),
        COMP_CWORD=str(len(words)),
    )
    return {line.partition(",")[2] for line in ran.lines if line}


def test_commands_flags_and_live_queue_names_are_completed(cli, node, queue):
    node.enqueue(queue)
    assert complete(cli, "que") == {"queues"}
    assert "--dry-run" in complete(cli, "bulk", "--")
    assert complete(cli, "pause", queue[:-1]) == {queue}


def test_a_server_that_is_not_there_completes_nothing(nowhere):
    assert complete(nowhere, "pause", "q") == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed_and_bash_can_read_it(nowhere, shell):
    script = nowhere("completion", shell).out
    assert "_CORVO_COMPLETE" in script
    if shell == "bash":
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
