"""Codecs: the server keeps what it cannot read, and neither producer nor worker notices."""

import base64
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo_sdk import AesGcmCodec, Client, Worker
from corvo_sdk.codec import SEALED, CannotDecode, decoded, encoded
from corvo_sdk.models.claim import Ack, Beat
from tests.sdk.conftest import QUICK

VECTORS = json.loads((Path(__file__).parents[2] / "sdk/contract/codec-vectors.json").read_text())
KEYS = {key_id: base64.b64decode(key) for key_id, key in VECTORS["keys"].items()}
CODEC = AesGcmCodec(KEYS, "k1")
OTHER = AesGcmCodec({"k2": bytes(32)}, "k2")

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def coded(server):
    with Client(server.url, retry=QUICK, codec=CODEC) as client:
        yield client


@given(values)
def test_what_was_encoded_is_decoded_to_what_it_was(value):
    envelope = encoded(CODEC, value)
    assert decoded(CODEC, envelope) == value
    if value is not None:
        assert envelope.keys() == {SEALED, "key", "alg"}
        with pytest.raises(CannotDecode, match="not there"):
            decoded(OTHER, envelope)


@pytest.mark.parametrize("vector", VECTORS["values"], ids=lambda vector: vector["plain"])
def test_examples_for_other_languages_hold_here(vector):
    assert CODEC.decode(vector["envelope"]).decode() == vector["plain"]


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: vector["why"])
def test_what_must_be_refused_is_refused(vector):
    with pytest.raises(CannotDecode):
        CODEC.decode(vector["envelope"])


@pytest.mark.parametrize("vector", VECTORS["joined"], ids=lambda vector: vector["why"])
def test_what_the_server_puts_together_is_taken_apart(vector):
    assert decoded(CODEC, vector["received"]) == vector["decoded"]


def test_the_server_has_envelopes_and_the_client_what_it_sent(client, coded, queue):
    made = coded.enqueue(queue, {"card": "4111"}, checkpoint=[1])
    assert made.job is not None
    assert (made.job.payload, made.job.checkpoint) == ({"card": "4111"}, [1])
    stored = client.get(made.job_id)
    assert stored.payload.keys() == stored.checkpoint.keys() == {SEALED, "key", "alg"}
    assert "4111" not in msgspec.json.encode(stored).decode()
    assert coded.get(made.job_id).payload == {"card": "4111"}
    assert [job.payload for job in coded.jobs.find(queue=queue)] == [{"card": "4111"}]
    coded.enqueue_many([{"queue": queue, "payload": {"card": "4112"}}])
    assert {job.payload["card"] for job in coded.jobs.search(queue=queue).jobs} == {"4111", "4112"}


def test_the_worker_protocol_by_hand(client, coded, queue):
    job_id = coded.enqueue(queue, {"card": "4111"}).job_id
    (job,) = coded.protocol.fetch([queue])
    assert job.payload == {"card": "4111"}
    beat = Beat(lease_token=job.lease_token, checkpoint={"at": "half"}, progress={"percent": 50})
    coded.protocol.heartbeat({job_id: beat})
    assert SEALED in client.get(job_id).checkpoint
    assert client.get(job_id).progress == {"percent": 50}
    coded.protocol.ack(Ack(job_id=job_id, lease_token=job.lease_token, result="secret"))
    assert SEALED in client.get(job_id).result
    assert coded.result(job_id) == "secret"


@pytest.mark.parametrize("transport", ["stream", "long-poll"])
def test_a_worker_decodes_what_it_gets_and_encodes_what_it_returns(server, client, coded, queue, transport):
    worker = Worker(server.url, codec=CODEC, transport=transport, retry=QUICK)

    @worker.task(queue)
    def first(job, ctx):
        ctx.checkpoint({"seen": job.payload["card"]})
        return {"charged": job.payload["card"]}

    @worker.task(f"{queue}-next")
    def second(job, ctx):
        return [job.payload["previous_result"], job.payload["own"]]

    with worker.running():
        made = coded.enqueue_chain([(queue, {"card": "4111"}), (f"{queue}-next", {"own": "mine"})])
        assert coded.result(made.job_id) == {"charged": "4111"}
        (following,) = coded.jobs.find(queue=f"{queue}-next")
        assert coded.result(following.id) == [{"charged": "4111"}, "mine"]
    for job_id in (made.job_id, following.id):
        assert "4111" not in msgspec.json.encode(client.get(job_id)).decode()


def test_a_job_that_a_worker_cannot_decode_is_given_back_and_not_counted_against_it(server, coded, queue):
    job_id = coded.enqueue(queue, {"card": "4111"}, max_retries=1).job_id
    worker = Worker(server.url, codec=OTHER, retry=QUICK)

    @worker.task(queue)
    def never(job):
        raise AssertionError("it cannot be decoded")

    with worker.running():
        while coded.get(job_id).state != "scheduled":
            pass
    job = coded.get(job_id)
    assert (job.attempt, job.last_error) == (0, None)


def test_jobs_without_a_codec_are_read_by_clients_with_one(client, coded, queue):
    job_id = client.enqueue(queue, {"open": True}).job_id
    assert coded.get(job_id).payload == {"open": True}


def test_a_codec_refuses_keys_that_are_none():
    with pytest.raises(ValueError, match="32 bytes"):
        AesGcmCodec({"k1": b"short"}, "k1")
    with pytest.raises(ValueError, match="no key"):
        AesGcmCodec(KEYS, "k9")
