"""Payloads on their way in and out: digit for digit, or a sentence that says what is wrong."""

import http.client
import re

import pytest

from tests.cli.request.test_watching import read_lines

pytestmark = pytest.mark.slow

#: Numbers that would come out different if they were read and printed anew, and a name that comes twice.
EXACT = '{"price": 0.10, "big": 123456789012345678901234567890.5, "huge": 1e300, "a": 1, "a": 2}'


def raw_job(node, job_id):
    return _raw(node, "GET", f"/jobs/{job_id}")


def raw_post(node, path, text):
    return _raw(node, "POST", path, text)


def _raw(node, method, path, text=None):
    connection = http.client.HTTPConnection("127.0.0.1", node.server.port)
    connection.request(method, f"/api/v1{path}", text)
    answer = connection.getresponse()
    said = answer.read().decode()
    connection.close()
    assert answer.status < 300, said
    return said


@pytest.mark.parametrize("way", ["argument", "stdin", "file"])
def test_a_payload_arrives_as_it_was_written(cli, node, queue, way):
    match way:
        case "argument":
            ran = cli("enqueue", queue, EXACT, "-o", "id")
        case "stdin":
            ran = cli("enqueue", queue, "-", "-o", "id", stdin=EXACT)
        case "file":
            ran = cli("enqueue", queue, "-f", "-", "-o", "id", "--tag", "k=v", stdin=f"\n{EXACT}\n{EXACT}\n")
    assert ran.lines
    for job_id in ran.lines:
        assert EXACT in raw_job(node, job_id)


def test_the_payload_of_a_schedule_arrives_as_it_was_written(cli, node, queue):
    cli("schedules", "create", queue, queue, "@yearly", "--payload", EXACT)
    job_id = cli("schedules", "run", queue, "-o", "id").out.strip()
    assert EXACT in raw_job(node, job_id)


#: Numbers that Python's own would print with other digits, or not at all.
DIGITS = [
    "0.10",
    "-0",
    "1E5",
    "3.14159265358979323846",
    "123456789012345678901234567890.5",
    "1e300",
    "7" * 300,
]


@pytest.mark.parametrize(
    "words",
    [
        ("inspect",),
        ("inspect", "-o", "jsonl"),
        ("inspect", "-o", "table"),
        ("search", "-o", "json", "--queue"),
        ("search", "-o", "jsonl", "--queue"),
    ],
    ids=" ".join,
)
def test_numbers_come_out_with_the_digits_they_went_in_with(cli, queue, words):
    job_id = cli("enqueue", queue, f'{{"numbers": [{", ".join(DIGITS)}]}}', "-o", "id").out.strip()
    ran = cli(*words, queue if words[0] == "search" else job_id)
    assert re.findall(r"-?\b\d[\dEe.]*", ran.out[ran.out.index("numbers") :])[: len(DIGITS)] == DIGITS


def test_results_and_events_keep_their_digits_as_well(cli, node, queue):
    waiting = cli.start("enqueue", queue, "--wait")
    job = node.fetch(queue)
    beat = f'{{"lease_token": "{job["lease_token"]}", "progress": {{"share": 0.10}}}}'
    raw_post(node, "/heartbeat", f'{{"jobs": {{"{job["job_id"]}": {beat}}}}}')
    raw_post(node, f"/ack/{job['job_id']}", f'{{"lease_token": "{job["lease_token"]}", "result": 1E5}}')

    assert waiting.communicate(timeout=60)[0].split()[1:] == ["completed", "1E5"]
    for words in ((), ("-o", "json")):
        assert "0.10" in cli("history", job["job_id"], *words).out
    followed = cli.start("events", "-f", "--since", "0", "--job", job["job_id"], "-o", "jsonl")
    assert any('"share": 0.10' in line for line in read_lines(followed, 3))
    followed.kill()
    followed.communicate()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NaN", "NaN is no JSON"),
        ('{"a": -Infinity}', "-Infinity is no JSON"),
        ("", "the payload is not JSON"),
        ("{'a': 1}", "the payload is not JSON"),
        ("[" * 100_000, "too deeply"),
        ('"caf\udce9"', "not UTF-8"),
    ],
)
def test_what_is_no_json_is_said_before_anybody_is_asked(nowhere, text, words):
    ran = nowhere("enqueue", "q", "-", code=2, stdin=text.encode(errors="surrogateescape"))
    assert words in ran.err


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (("bulk", "retry", "--filter", DEEP), "", "--filter is nested too deeply"),
        (("enqueue", "q", "--tags", DEEP), "", "--tags is nested too deeply"),
        (
            ("schedules", "create", "s", "q", "@daily", "--payload", DEEP),
            "",
            "--payload is nested too deeply",
        ),
        (("retry",), DEEP, "stdin is nested too deeply"),
        (("bulk", "retry", "--filter", "{"), "", "--filter is not JSON"),
        (("enqueue", "q", "--tags", "{"), "", "--tags is not JSON"),
    ],
    ids=range(6),
)
def test_other_json_is_looked_at_as_well(nowhere, words, stdin, said):
    assert said in nowhere(*words, stdin=stdin, code=2).err


def test_a_bad_line_is_named(cli, queue):
    ran = cli("enqueue", queue, "-f", "-", stdin=b'{"n": 1}\n{"n": "\xff"}\n', code=2)
    assert "line 2 is not UTF-8" in ran.err
    ran = cli("enqueue", queue, "-f", "-", stdin='{"n": 1}\n{"n": NaN}\n', code=2)
    assert "line 2 is not JSON: NaN is no JSON" in ran.err


@pytest.mark.parametrize("form", ["json", "jsonl", "table"])
def test_a_payload_as_deep_as_the_server_takes_them_comes_out_again(cli, node, queue, form):
    deep = "[" * 900 + '{"n": 0.10}' + "]" * 900
    job_id = cli("enqueue", queue, "-", "-o", "id", stdin=deep).out.strip()
    out = cli("inspect", job_id, "-o", form).out
    assert deep.replace(" ", "") in re.sub(r"\s", "", out)
    assert cli("search", "--queue", queue, "-o", "id").lines == [job_id]


def test_many_large_payloads_go_in_several_requests(cli, node, queue):
    line = f'"{"x" * 250_000}"\n'
    ran = cli("enqueue", queue, "-f", "-", "-o", "id", stdin=line * 80)
    assert len(ran.lines) == 80
    assert "80 jobs enqueued" in ran.err
    assert node.call("GET", f"/queues/{queue}")["pending"] == 80
