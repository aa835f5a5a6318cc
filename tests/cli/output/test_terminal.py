"""What only happens on a terminal: `corvo top` with its keys, questions, colours, progress."""

import pytest

from tests.cli.terminal import Terminal

pytestmark = pytest.mark.slow


@pytest.fixture
def terminal(cli):
    opened = []

    def run(*args):
        opened.append(Terminal(cli.environment, *args))
        return opened[-1]

    yield run
    for one in opened:
        one.process.close(force=True)


# corvo top


def filter_by(top, text):
    """While the filter is open, the other keys are not offered."""
    top.send("/")
    top.until_gone("p Pause")
    top.send(f"{text}\r")
    top.until("p Pause")


def test_top_shows_queues_live_and_pauses_them(terminal, node, queue):
    node.enqueue(queue)
    top = terminal("top")
    top.until("Queues", "Jobs", "Workers", "Cluster", "Events", queue, "pending", "healthy")
    top.until_row(queue, "1")
    node.enqueue(queue)
    top.until_row(queue, "2")
    filter_by(top, queue)
    top.send("p")
    top.until(f"{queue} paused")
    top.until_row(queue, "2", "0", "0", "0", "0", "0", "0", "yes")
    assert node.call("GET", f"/queues/{queue}")["paused"] is True
    top.send("p")
    top.until(f"{queue} resumed")
    top.send("q")
    assert top.ended() == 0


def test_top_finds_jobs_shows_one_and_retries_it(terminal, node, queue):
    (job_id,) = node.dead(queue, error="no such [red]mailbox")
    node.enqueue(queue)
    top = terminal("top")
    top.until(queue)
    top.send("2")
    top.until("ATTEMPT")
    filter_by(top, f"queue:{queue} state:dead")
    top.until(job_id, "no such [red]mailbox")
    top.send("\r")
    top.until("retry backoff", "exponential")
    top.send("\x1b")
    top.until("PAYLOAD")
    top.send("r")
    top.send("R")
    top.until(f"{job_id} retried")
    assert node.state(job_id) == "pending"
    top.send("/nonsense:x\r")
    top.until("there is no field nonsense")


def test_top_shows_workers_cluster_events_and_help(terminal, node, queue):
    node.enqueue(queue)
    node.ack(node.fetch(queue))
    top = terminal("top")
    top.until(queue)
    top.send("3")
    top.until("HOSTNAME", "w1")
    top.send("4")
    top.until("VOTER", "leader")
    top.send("5")
    top.until("EVENT")
    node.enqueue(queue, payload={"seen": "live"})
    top.until("enqueued", queue)
    top.send("?")
    top.until("Capital letters mean that you are sure")
    top.send("q")
    top.until("EVENT")
    top.send("q")
    assert top.ended() == 0


def test_top_without_a_terminal_or_once_prints_and_leaves(cli, node, queue):
    node.enqueue(queue)
    lines = cli("top").lines
    assert lines[0].startswith("cluster healthy")
    assert any(line.startswith(queue) for line in lines)
    found = cli("top", "--once", "-o", "json").json
    assert {"cluster", "queues", "workers", "throughput"} == found.keys()


def test_top_says_that_there_is_no_server_before_it_takes_the_screen(terminal):
    top = terminal("top", "--server", "127.0.0.1:1")
    assert top.ended() == 7
    assert "connection refused" in top.text


# Questions


def test_what_destroys_is_done_only_if_its_name_is_typed(terminal, node, queue):
    node.enqueue(queue)
    asked = terminal("destroy", queue)
    asked.until(f"Type {queue} to go on:")
    asked.send("yes\n")
    assert asked.ended() == 3
    assert "nothing was changed" in asked.text
    asked = terminal("destroy", queue)
    asked.until(f"Type {queue} to go on:")
    asked.send(f"{queue}\n")
    assert asked.ended() == 0
    assert f"{queue} deleted, 1 job removed" in asked.text


def test_ctrl_c_at_a_question_changes_nothing(terminal, node, queue):
    node.enqueue(queue)
    asked = terminal("clear", queue)
    asked.until("to go on:")
    asked.send("\x03")
    assert asked.ended() == 130
    assert node.call("GET", f"/queues/{queue}")["pending"] == 1


@pytest.mark.parametrize("keys", ["q", "\x03", "/\x03", "?\x03"])
def test_top_is_left_by_q_and_by_ctrl_c_wherever_one_is(terminal, node, queue, keys):
    node.enqueue(queue)
    top = terminal("top")
    top.until(queue)
    top.send(keys)
    assert top.ended() == 0


# Colours, progress and watching


def test_watching_replaces_what_is_on_the_screen(terminal, node, queue):
    node.enqueue(queue)
    watching = terminal("queues", "--watch", "--interval", "100ms")
    watching.until_row(queue, "1")
    node.enqueue(queue)
    watching.until_row(queue, "2")
    assert watching.text.count("PENDING") == 1
    watching.send("\x03")
    assert watching.ended() == 130


def test_colours_only_on_a_terminal(terminal, cli, node, queue):
    node.dead(queue)
    shown = terminal("search", f"queue:{queue}")
    shown.until("dead")
    shown.ended()
    colours = {shown._screen.buffer[row][column].fg for row in range(4) for column in range(130)}
    assert "red" in colours
    assert "\x1b" not in cli("search", f"queue:{queue}").out
    assert "\x1b[31m" in cli("search", f"queue:{queue}", "--color", "always").out
    plain = Terminal(cli.environment | {"NO_COLOR": "1"}, "search", f"queue:{queue}")
    plain.ended()
    assert "dead" in plain.text
    colours = {plain._screen.buffer[row][column].fg for row in range(4) for column in range(130)}
    assert colours == {"default"}


def test_progress_of_a_slow_bulk_action_is_shown_and_ctrl_c_leaves_it_running(terminal, node, queue):
    node.call("POST", "/enqueue/batch", {"jobs": [{"queue": queue}] * 40})
    slow = terminal("bulk", "hold", "--query", f"queue:{queue}", "--rate", "5")
    slow.until("of 40")
    slow.send("\x03")
    assert slow.ended() == 130
    assert "goes on" in slow.text
    task = node.call("GET", "/bulk")["tasks"][0]
    assert task["status"] in ("queued", "running")
    node.call("POST", f"/bulk/{task['id']}/cancel")


def test_a_terminal_that_can_only_print_gets_nothing_else(cli, node, queue):
    node.dead(queue)
    shown = Terminal(cli.environment, "search", f"queue:{queue}", term="dumb")
    assert shown.ended() == 0
    assert "dead" in shown.text
    assert b"\x1b" not in shown.raw


def test_ctrl_c_while_waiting_says_which_job_it_was(terminal, node, queue):
    waiting = terminal("enqueue", queue, "--wait")
    waiting.until("waiting for job_")
    waiting.send("\x03")
    assert waiting.ended() == 130
    (job,) = node.call("POST", "/jobs/search", {"queue": queue})["jobs"]
    assert f"corvo wait {job['id']}" in waiting.text
    assert job["state"] == "pending"
