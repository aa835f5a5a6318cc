"""Numbers that not every client can read are refused wherever clients store JSON."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.core.errors import ValidationFailed
from corvo.http.serve.readable_numbers import check_numbers

UNREADABLE = [
    "1e999999",
    "-1e400",
    "1E+309",
    "9" * 310,
    "1" * 5_000,
    "-" + "9" * 309,
    f"{'9' * 250}e99",
    "0." + "1" * 5_000,
]
READABLE = [
    "1e308",
    "-1.7e308",
    "1e-999999",
    "1e0000000000002",
    "9" * 308,
    "12345678901234567890",
    "0.1e-400",
]


@pytest.mark.parametrize("number", UNREADABLE, ids=lambda text: text[:12])
@pytest.mark.parametrize("around", ["%s", "[%s]", '{"a":%s}', '{"a":[1,{"b":"x"},%s,2]}'])
def test_a_number_beyond_what_all_can_read_is_refused(number, around):
    with pytest.raises(ValidationFailed, match="payload holds the number"):
        check_numbers((around % number).encode(), "payload")


@pytest.mark.parametrize("number", READABLE, ids=lambda text: text[:12])
def test_a_number_that_all_can_read_is_taken(number):
    check_numbers(b'{"a":[%b]}' % number.encode(), "payload")


@pytest.mark.parametrize("number", UNREADABLE, ids=lambda text: text[:12])
def test_the_same_in_a_text_is_no_number(number):
    for text in (number, f'a "quoted" {number} and \\', f"\\{number}", f"{number}\\\\"):
        check_numbers(json.dumps({text: [text]}).encode(), "payload")


@given(
    st.recursive(
        st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_python_can_read_and_write_is_taken(value):
    text = json.dumps(value)
    if "Infinity" in text or "NaN" in text:
        return
    try:
        largest = max((abs(float(number)) for number in _numbers(value)), default=0.0)
    except OverflowError:
        largest = math.inf
    if math.isinf(largest):
        with pytest.raises(ValidationFailed):
            check_numbers(text.encode(), "payload")
    else:
        check_numbers(text.encode(), "payload")


def _numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for each in value for number in _numbers(each)]
    return [] if isinstance(value, str) else [value]


async def test_it_is_refused_wherever_clients_store_json(client):
    huge = b"1e999999"

    async def refused(path, body):
        reply = await client.post(path, body)
        assert (reply.status, reply.code) == (400, "VALIDATION_ERROR"), path
        return reply

    await refused("/api/v1/enqueue", b'{"queue":"q","payload":{"a":%b}}' % huge)
    await refused("/api/v1/enqueue", b'{"queue":"q","checkpoint":%b}' % huge)
    await refused("/api/v1/enqueue/batch", b'{"jobs":[{"queue":"q","payload":[%b]}]}' % huge)
    await refused("/api/v1/schedules", b'{"name":"s","cron":"* * * * *","queue":"q","payload":%b}' % huge)
    await client.enqueue("q")
    job = await client.fetch("q", worker_id="w")
    token = job["lease_token"].encode()
    await refused(f"/api/v1/ack/{job['job_id']}", b'{"result":%b,"lease_token":"%b"}' % (huge, token))
    beat = b'{"jobs":{"%b":{"progress":%b,"lease_token":"%b"}}}' % (job["job_id"].encode(), huge, token)
    await client.post("/api/v1/heartbeat", beat)
    assert "progress" not in await client.job(job["job_id"])
