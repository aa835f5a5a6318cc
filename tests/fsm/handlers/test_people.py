import pytest

from corvo.core.access.session import IDLE_NS, LIFE_NS, LoginSession, decode_session
from corvo.core.access.sso import SsoSettings, decode_sso
from corvo.core.errors import AccessRefused, NotFound
from corvo.core.limits import SESSIONS_EACH_MAX
from corvo.fsm.handlers import people
from corvo.ops.people import DeleteSession, SetSession, SetSso, TrimSessions
from corvo.storage import keys


def begin(fsm, session_id="ses_1", secret=b"s"):
    session = LoginSession(
        id=session_id,
        hash=session_id.encode(),
        name="key:k",
        created_ns=0,
        used_ns=0,
        client="10.0.0.1",
        agent="Lynx",
        secret=secret,
    )
    return fsm.one(SetSession(session))


def stored(fsm):
    found = fsm.kv.scan(keys.SESSION, keys.after(keys.SESSION))
    return {session.id: session for session in (decode_session(value) for _, value in found)}


def test_a_session_begins_at_the_time_of_the_cluster(fsm):
    begin(fsm)
    session = stored(fsm)["ses_1"]
    assert session.created_ns == session.used_ns > 0
    assert session.until_ns == session.created_ns + IDLE_NS


def test_its_use_puts_the_end_off_but_not_for_ever(fsm):
    begin(fsm)
    created_ns = stored(fsm)["ses_1"].created_ns
    fsm.one(TrimSessions({"ses_1": created_ns + IDLE_NS // 2, "ses_gone": created_ns}))
    assert stored(fsm)["ses_1"].until_ns == created_ns + IDLE_NS // 2 + IDLE_NS
    fsm.one(TrimSessions({"ses_1": created_ns + LIFE_NS - 1}))
    assert stored(fsm)["ses_1"].until_ns == created_ns + LIFE_NS


def test_a_use_within_the_minute_costs_no_write(fsm):
    begin(fsm)
    before = stored(fsm)
    fsm.one(TrimSessions({"ses_1": before["ses_1"].used_ns + 10**9}))
    assert stored(fsm) == before


def test_sessions_that_are_over_are_forgotten(fsm):
    begin(fsm, "ses_1")
    fsm.clock.advance(ns=IDLE_NS + 1)
    begin(fsm, "ses_2")
    assert fsm.one(TrimSessions({})).count == 1
    assert stored(fsm).keys() == {"ses_2"}


def test_one_owner_has_so_many_sessions_and_no_more(fsm):
    for number in range(SESSIONS_EACH_MAX):
        begin(fsm, f"ses_{number:03}")
    begin(fsm, "ses_other", secret=b"o")
    begin(fsm, "ses_new")
    assert stored(fsm).keys() == {
        *(f"ses_{number:03}" for number in range(1, SESSIONS_EACH_MAX)),
        "ses_other",
        "ses_new",
    }


def test_a_full_store_takes_no_more_sessions(fsm, monkeypatch):
    monkeypatch.setattr(people, "SESSIONS_MAX", 2)
    begin(fsm, "ses_1", b"a")
    begin(fsm, "ses_2", b"b")
    with pytest.raises(AccessRefused, match="end some"):
        begin(fsm, "ses_3", b"c")
    assert stored(fsm).keys() == {"ses_1", "ses_2"}


def test_a_session_is_ended_once(fsm):
    begin(fsm)
    fsm.one(DeleteSession("ses_1"))
    assert stored(fsm) == {}
    with pytest.raises(NotFound):
        fsm.one(DeleteSession("ses_1"))


def test_the_settings_of_single_sign_on_are_kept_as_they_were_set_last(fsm):
    fsm.one(SetSso(SsoSettings(provider="oidc", issuer="https://a", client_id="c")))
    fsm.one(SetSso(SsoSettings(saml_enabled=True, group_roles={"g": "admin@*"})))
    found = decode_sso(fsm.kv.get(keys.SSO))
    assert (found.provider, found.saml_enabled, found.group_roles) == ("", True, {"g": "admin@*"})
    assert found.updated_ns is not None
