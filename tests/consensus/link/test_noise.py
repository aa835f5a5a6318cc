import pytest

from corvo.consensus.link.noise import Handshake, NoiseFailed, key_of

KEY = key_of("a secret of our own")
OTHER_KEY = key_of("a secret of strangers")


def shake_hands(dialler_key=KEY, listener_key=KEY):
    dialler = Handshake(dialler_key, is_dialler=True)
    listener = Handshake(listener_key, is_dialler=False)
    listener.hear(dialler.say())
    dialler.hear(listener.say())
    return dialler.seal(), listener.seal()


def test_both_sides_understand_each_other_after_the_handshake():
    dialler, listener = shake_hands()
    for number in range(3):
        assert listener.open_up(dialler.close_up(b"to %d" % number)) == b"to %d" % number
        assert dialler.open_up(listener.close_up(b"fro %d" % number)) == b"fro %d" % number


def test_a_listener_with_another_secret_is_noticed_by_the_first_message():
    with pytest.raises(NoiseFailed):
        shake_hands(dialler_key=OTHER_KEY)


def test_a_repeated_frame_is_refused():
    dialler, listener = shake_hands()
    frame = dialler.close_up(b"once")
    listener.open_up(frame)
    with pytest.raises(NoiseFailed):
        listener.open_up(frame)


def test_a_dropped_frame_is_noticed_by_the_next():
    dialler, listener = shake_hands()
    dialler.close_up(b"lost")
    with pytest.raises(NoiseFailed):
        listener.open_up(dialler.close_up(b"kept"))


@pytest.mark.parametrize("at", [0, 5, -1])
def test_an_altered_frame_is_refused(at):
    dialler, listener = shake_hands()
    frame = bytearray(dialler.close_up(b"important"))
    frame[at] ^= 1
    with pytest.raises(NoiseFailed):
        listener.open_up(bytes(frame))


def test_what_was_said_is_not_readable_on_the_wire():
    dialler, _ = shake_hands()
    assert b"important" not in dialler.close_up(b"important")


def test_a_replayed_handshake_gives_its_sender_no_seal():
    """Somebody who recorded a first message gets an answer, but cannot say anything under its seal."""
    dialler = Handshake(KEY, is_dialler=True)
    recorded = dialler.say()
    listener = Handshake(KEY, is_dialler=False)
    listener.hear(recorded)
    listener.say()
    first, _ = shake_hands()
    with pytest.raises(NoiseFailed):
        listener.seal().open_up(first.close_up(b"forged"))


def test_two_connections_have_different_keys():
    one, _ = shake_hands()
    _, other = shake_hands()
    with pytest.raises(NoiseFailed):
        other.open_up(one.close_up(b"from another connection"))


@pytest.mark.parametrize("message", [b"", b"x" * 47, b"x" * 48, b"x" * 49, bytes(48)])
def test_nonsense_instead_of_a_handshake_is_refused(message):
    with pytest.raises(NoiseFailed):
        Handshake(KEY, is_dialler=False).hear(message)


def test_a_key_that_leads_to_no_shared_secret_is_refused():
    """The all-zero point: whoever sends it wants both sides to agree on a key that everybody knows."""
    listener = Handshake(KEY, is_dialler=False)
    forger = Handshake(KEY, is_dialler=True)
    forger._own = type("Zero", (), {"public_key": lambda s: s, "public_bytes_raw": lambda s: bytes(32)})()
    listener.hear(forger.say())
    with pytest.raises(NoiseFailed):
        listener.say()
