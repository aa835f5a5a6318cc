"""Sealed values: opened to what they were, in their own place only, and never after a change."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.core.errors import SealDamaged, SealKeyMissing
from corvo.core.failures import failure_of
from corvo.core.sealing import form
from corvo.core.sealing.form import Field, Part
from corvo.core.sealing.keyring import Place, SealKeyring
from corvo.core.splice import join, members

KEYS = {name: hashlib.sha256(name.encode()).digest() for name in ("old", "new")}
PLACE = Place("acme", Field.PAYLOAD, "job_1")

places = st.builds(
    Place,
    st.sampled_from(["default", "acme", "b"]),
    st.sampled_from(Field),
    st.sampled_from(["", "job_1", "job_2"]),
)


def ring(current="new", *names):
    return SealKeyring({name: KEYS[name] for name in names or KEYS}, current)


def opened(keyring, sealed, place):
    return keyring.open(sealed, place.namespace, place.field, place.job_id)


@given(st.binary(max_size=2_000), places, st.sampled_from(["old", "new"]))
def test_what_was_sealed_is_opened_by_any_keyring_that_has_the_key(plain, place, current):
    sealed = ring(current).seal(plain, place)
    assert form.is_sealed(sealed)
    assert opened(ring(), sealed, place) == plain
    assert form.key_ids_of(sealed) == {current}
    if len(plain) > 8:
        assert plain not in sealed


@given(st.text(max_size=2_000), places)
def test_a_sealed_text_is_opened_to_what_it_was(text, place):
    keyring = ring()
    sealed = keyring.seal_error(text, place)
    assert keyring.open_text(sealed, place.namespace, place.field, place.job_id) == text
    head = form.head_of_text(sealed, 500)
    assert keyring.open_text(head, place.namespace, place.field, place.job_id) == text[:500]


@given(st.binary(max_size=100), st.data())
def test_a_changed_byte_is_noticed(plain, data):
    sealed = bytearray(ring().seal(plain, PLACE, b"12345678"))
    at = data.draw(st.integers(0, len(sealed) - 1))
    sealed[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises((SealDamaged, SealKeyMissing)):
        opened(ring(), bytes(sealed), PLACE)


@given(st.binary(max_size=100), st.integers(0, 200))
def test_a_value_that_was_cut_is_noticed(plain, length):
    sealed = ring().seal(plain, PLACE)
    with pytest.raises((SealDamaged, SealKeyMissing)):
        opened(ring(), sealed[: min(length, len(sealed) - 1)], PLACE)


@given(places, places)
def test_a_value_can_be_opened_in_no_place_but_its_own(sealed_for, other):
    sealed = ring().seal(b"{}", sealed_for)
    is_template = not sealed_for.job_id
    same = (sealed_for.namespace, sealed_for.field) == (other.namespace, other.field)
    if same and (is_template or sealed_for.job_id == other.job_id):
        assert opened(ring(), sealed, other) == b"{}"
    else:
        with pytest.raises(SealDamaged):
            opened(ring(), sealed, other)


def test_the_key_that_is_missing_is_named_and_counted():
    sealed = ring("old").seal(b"{}", PLACE)
    keyring = ring("new", "new")
    with pytest.raises(SealKeyMissing, match="'old'") as refusal:
        opened(keyring, sealed, PLACE)
    assert refusal.value.facts == {"key_id": "old"}
    assert keyring.tally.missing == {"old": 1}


def test_equal_values_are_sealed_to_different_bytes_by_every_keyring():
    keyrings = ring(), ring()
    assert len({keyring.seal(b"{}", PLACE)[-18:] for keyring in keyrings for _ in range(100)}) == 200


def test_errors_of_one_group_can_be_counted_together_and_not_read():
    keyring = ring()
    place = Place("acme", Field.ERROR, "job_1")
    one, same, other = (
        failure_of(keyring.seal_error(text, place))
        for text in ("timeout after 30s", "timeout after 45s", "no such host")
    )
    assert one == same != other
    assert one.startswith("sealed:")
    assert failure_of(ring("old").seal_error("timeout after 1s", place)) == one, "it survives a new key"
    elsewhere = Place("b", Field.ERROR, "job_1")
    assert failure_of(keyring.seal_error("timeout after 30s", elsewhere)) != one


@given(st.text(max_size=50))
def test_a_clients_own_text_that_begins_like_a_sealed_one_is_left_alone(text):
    assert form.group_of_text(f"\x01{text}") is None
    assert failure_of(f"\x01{text}")


@given(
    st.lists(st.sampled_from([b'{"a":1}', b"{}", b'{"b":[2]}', b"7", None]), min_size=1, max_size=4),
    st.data(),
)
def test_a_bundle_is_opened_to_what_its_parts_would_have_been_joined_to(values, data):
    keyring = ring()
    parts = []
    for value in values:
        if value is not None and data.draw(st.booleans()):
            parts.append(form.object_part(keyring.seal(value, Place("acme", Field.PAYLOAD))))
        else:
            parts.append(form.object_part(value))
    together = form.joined(*parts)
    wanted = join(*map(members, values))
    if form.is_sealed(together):
        assert keyring.open_payload(together, "acme", "job_9") == wanted
    else:
        assert together == wanted


def test_a_result_and_an_error_can_be_parts_of_a_bundle():
    keyring = ring()
    result = keyring.seal(b"[1]", Place("acme", Field.RESULT, "job_1"))
    error = keyring.seal_error('no "luck"', Place("acme", Field.ERROR, "job_1"))
    bundle = form.joined(
        form.member_part("previous_result", result, Field.RESULT, "job_1"),
        Part(error.encode(), Field.ERROR, "job_1", "error"),
    )
    assert keyring.open_payload(bundle, "acme", "job_2") == b'{"previous_result":[1],"error":"no \\"luck\\""}'
    assert form.key_ids_of(bundle) == {"new"}
    with pytest.raises(SealDamaged):
        keyring.open_payload(bundle, "default", "job_2")
