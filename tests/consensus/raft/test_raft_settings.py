"""Settings that contradict themselves are refused where they are made."""

import ssl

import pytest

from corvo.consensus.settings import LAN, JournalLimits, RaftSettings, RaftTiming, Tls


def settings(tmp_path, **more):
    return RaftSettings(**{"node_id": "n1", "directory": tmp_path, **more})


def test_the_defaults_are_a_single_node(tmp_path):
    assert settings(tmp_path).peers == {}
    assert settings(tmp_path).sync == "always"


@pytest.mark.parametrize(
    "more",
    [
        {"node_id": ""},
        {"node_id": "n" * 200},
        {"peers": {"n2": "host:1"}},
        {"peers": {"n1": "host:1"}, "bind": "host:1"},
        {"peers": {"": "host:1"}, "bind": "host:1"},
    ],
)
def test_a_group_that_cannot_be_is_refused(tmp_path, more):
    with pytest.raises(AssertionError):
        settings(tmp_path, **more)


@pytest.mark.parametrize(
    "times",
    [
        {"election_s_min": 0.2},
        {"election_s_max": 0.4},
        {"leader_fallback_s": 0.05},
        {"silence_s": 0.5},
    ],
)
def test_times_that_would_disturb_each_other_are_refused(times):
    with pytest.raises(AssertionError):
        RaftTiming(**times)


def test_the_presets_hold_together():
    assert LAN.election_s_min < RaftTiming().election_s_min


@pytest.mark.parametrize("size", [1 << 20, 8 << 20, 32 << 20, 1 << 30, 1 << 40])
def test_limits_fit_every_disk(size):
    limits = JournalLimits().fitted(size)
    assert limits.step_bytes <= limits.segment_bytes
    assert limits.fitted(size) == limits


def test_tls_without_certificates_of_the_other_side_is_refused():
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    client = ssl.create_default_context(ssl.Purpose.SERVER_AUTH)
    client.check_hostname = False
    with pytest.raises(AssertionError, match="must show a certificate"):
        Tls(server=server, client=client)
