"""Commands that last, over a server that goes away and comes back."""

import json
import signal
import time
import urllib.request

import pytest

from chaos.process import Server, free_port
from tests.cli.conftest import Cli, Node
from tests.cli.request.test_watching import read_lines

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "data", free_port())
    server.start()
    yield server
    server.close()


def test_followed_events_go_on_after_a_kill_without_gap_or_repeat(server, tmp_path):
    node, cli = Node(server), Cli(server.port, tmp_path)
    process = cli.start("events", "-f", "--since", "0", "-o", "jsonl")
    node.enqueue("q", payload=1)
    seen = read_lines(process, 1)
    server.kill()
    node.client.close()
    server.start()
    for number in range(2, 6):
        node.enqueue("q", payload=number)
    seen += read_lines(process, 4)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    node.client.close()
    assert [json.loads(line)["seq"] for line in seen] == [1, 2, 3, 4, 5]


def test_a_follow_says_that_it_waits_for_the_server_and_that_it_is_back(server, tmp_path):
    node, cli = Node(server), Cli(server.port, tmp_path)
    process = cli.start("events", "-f", "-o", "jsonl")
    until_followed(server.port)
    node.client.close()
    server.kill()
    (said,) = read_lines(process, 1, of="stderr")
    assert said.endswith("; it is asked again until Ctrl-C")
    server.start()
    # Nothing had happened yet when the server went away; it goes on from there all the same.
    node.enqueue("q")
    (line,) = read_lines(process, 1)
    assert json.loads(line)["seq"] == 1
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    node.client.close()
    assert (process.returncode, err) == (130, f"http://127.0.0.1:{server.port} answers again\n\n")


def test_a_follow_can_be_left_while_it_waits_for_the_server(server, tmp_path):
    cli = Cli(server.port, tmp_path)
    process = cli.start("events", "-f")
    until_followed(server.port)
    server.kill()
    # Not before it waits: a Ctrl-C in the very moment in which http.client finds a chunk without a length is
    # lost in CPython, which looks for signals while it words that error, and forgets what it found.
    assert "it is asked again" in read_lines(process, 1, of="stderr")[0]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "\n")


def test_a_follow_whose_reader_has_had_enough_ends_even_if_nothing_more_comes(server, tmp_path):
    node, cli = Node(server), Cli(server.port, tmp_path)
    process = cli.start("events", "-f", "--since", "0")
    node.enqueue("q")
    read_lines(process, 1)
    node.client.close()
    process.stdout.close()
    server.kill()
    assert process.wait(timeout=30) == 141
    process.stderr.close()


def test_a_wait_outlasts_a_restart_of_the_server(server, tmp_path):
    node, cli = Node(server), Cli(server.port, tmp_path)
    job_id = node.enqueue("q")
    process = cli.start("wait", job_id)
    until_asked(server.port)
    assert server.terminate() == 0
    node.client.close()
    server.start()
    node.ack(node.fetch("q"))
    out, _ = process.communicate(timeout=60)
    node.client.close()
    assert (out, process.returncode) == (f"{job_id} completed\n", 0)


def test_watching_goes_on_after_a_restart_of_the_server(server, tmp_path):
    node, cli = Node(server), Cli(server.port, tmp_path)
    node.enqueue("before")
    process = cli.start("queues", "-o", "id", "--watch", "--interval", "100ms")
    assert read_lines(process, 1) == ["before"]
    server.kill()
    node.client.close()
    (said,) = read_lines(process, 1, of="stderr")
    assert f"no answer from http://127.0.0.1:{server.port}" in said
    server.start()
    node.enqueue("after")
    while read_lines(process, 1) != ["after"]:
        """What it had printed before."""
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    node.client.close()
    # Said once; the end of the line is that of ^C.
    assert (process.returncode, err) == (130, "\n")


def test_watching_what_was_never_there_ends_at_once(nowhere):
    assert nowhere("queues", "--watch", code=7).err.startswith("Error: no answer")


def test_a_task_whose_server_is_killed_is_named(server, tmp_path):
    node, cli = Node(server), Cli(server.port, tmp_path)
    node.call("POST", "/enqueue/batch", {"jobs": [{"queue": "q"}] * 40})
    process = cli.start("bulk", "hold", "--query", "queue:q", "--rate", "1")
    until(lambda: node.call("GET", "/bulk")["tasks"])
    (task,) = node.call("GET", "/bulk")["tasks"]
    server.kill()
    node.client.close()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 7
    assert f"`corvo bulk show {task['id']}` tells how far it is" in err


def until_asked(port):
    """Until another request than this one is under way."""
    until(lambda: b"corvo_http_requests_in_flight 2.0" in metrics(port))


def until_followed(port):
    """Until somebody hears of events. What is told first has been sent when another request is answered."""
    until(lambda: b"corvo_event_streams_open 1.0" in metrics(port))
    metrics(port)


def metrics(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/metrics") as answer:
        return answer.read()


def until(holds):
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")
