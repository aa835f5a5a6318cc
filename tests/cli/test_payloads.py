"""Payloads on their way in: byte for byte what was written, or a sentence that says what is wrong."""

import http.client

import pytest

pytestmark = pytest.mark.slow

#: Numbers that would come out different if they were read and printed anew, and a name that comes twice.
EXACT = '{"price": 0.10, "big": 123456789012345678901234567890.5, "huge": 1e400, "a": 1, "a": 2}'


def raw_job(node, job_id):
    connection = http.client.HTTPConnection("127.0.0.1", node.server.port)
    connection.request("GET", f"/api/v1/jobs/{job_id}")
    text = connection.getresponse().read().decode()
    connection.close()
    return text


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


def test_many_large_payloads_go_in_several_requests(cli, node, queue):
    line = f'"{"x" * 250_000}"\n'
    ran = cli("enqueue", queue, "-f", "-", "-o", "id", stdin=line * 80)
    assert len(ran.lines) == 80
    assert "80 jobs enqueued" in ran.err
    assert node.call("GET", f"/queues/{queue}")["pending"] == 80
