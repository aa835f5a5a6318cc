"""Keys and roles, through encode -> decode -> apply."""

import pytest
from msgspec.structs import replace

from corvo.core.access.api_key import decode_key, encode_key
from corvo.core.access.role import Permission, decode_role
from corvo.core.errors import AccessRefused, NotFound
from corvo.fsm.handlers import access
from corvo.ops.access import DeleteKey, DeleteRole, GrantRole, RotateKey, SetKey, SetRole, TouchKeys
from corvo.storage import keys
from corvo.storage.invariants import check
from tests.support.fsm import Fsm

MINUTE = 60 * 1_000_000_000
READ = (Permission("queues", ("read",)),)


def make(fsm, key_id="key_1", **fields):
    facts = {"name": "n", "namespace": "*", "role": "admin", "scope": (), "hash": key_id[-1:].encode() * 32}
    facts |= {"enabled": True, "expires_ns": None, "made_by": "corvo init"}
    return fsm.one(SetKey(key_id, **(facts | fields)))


def stored(fsm, key_id="key_1"):
    value = fsm.kv.get(keys.api_key(key_id))
    return None if value is None else decode_key(value)


def role(fsm, name):
    value = fsm.kv.get(keys.role(name))
    return None if value is None else decode_role(value)


def is_shut(fsm):
    return fsm.kv.get(keys.SHUT) is not None


def test_the_first_key_shuts_the_cluster_and_its_end_does_not_open_it(fsm):
    assert not is_shut(fsm)
    make(fsm)
    assert is_shut(fsm)
    fsm.one(DeleteKey("key_1"))
    assert stored(fsm) is None
    assert is_shut(fsm)
    fsm.restart()
    assert is_shut(fsm)


def test_a_key_is_kept_as_its_hash_with_who_made_it_and_when(fsm):
    make(fsm, scope=("a*",), expires_ns=9)
    key = stored(fsm)
    assert (key.hash, key.scope, key.expires_ns) == ((b"1" * 32).hex(), ("a*",), 9)
    assert (key.created_by, key.created_ns) == ("corvo init", fsm.machine.state.meta.last_ns)


@pytest.mark.parametrize(
    "again", [{"key_id": "key_1", "hash": b"x" * 32}, {"key_id": "key_2", "hash": b"1" * 32}]
)
def test_neither_an_id_nor_a_secret_is_given_twice(fsm, again):
    make(fsm)
    with pytest.raises(AccessRefused):
        make(fsm, **again)
    assert stored(fsm).hash == (b"1" * 32).hex()


def test_a_change_leaves_secrets_last_use_and_further_roles_alone(fsm):
    make(fsm)
    fsm.one(GrantRole("key_1", "worker", granted=True))
    fsm.one(TouchKeys({"key_1": MINUTE * 10}))
    before = stored(fsm)
    make(fsm, hash=None, existing=True, name="other", enabled=False, role="readonly")
    after = stored(fsm)
    assert (after.name, after.enabled, after.role) == ("other", False, "readonly")
    assert (after.secrets, after.last_used_ns, after.roles) == (before.secrets, MINUTE * 10, ("worker",))
    with pytest.raises(NotFound):
        make(fsm, "key_9", existing=True)


def test_two_secrets_count_during_a_rotation_and_never_three(fsm):
    make(fsm)
    now_ns = fsm.clock.now_ns()
    fsm.one(RotateKey("key_1", b"2" * 32, now_ns + MINUTE))
    assert [(s.hash[:1], s.until_ns) for s in stored(fsm).secrets] == [(b"1", now_ns + MINUTE), (b"2", None)]
    fsm.one(RotateKey("key_1", b"3" * 32, now_ns + MINUTE))
    assert [s.hash[:1] for s in stored(fsm).secrets] == [b"2", b"3"]
    with pytest.raises(AccessRefused):
        fsm.one(RotateKey("key_1", b"2" * 32, now_ns))
    with pytest.raises(NotFound):
        fsm.one(RotateKey("key_9", b"4" * 32, now_ns))


def test_a_former_secret_never_ends_before_the_entry_that_says_so(fsm):
    make(fsm)
    fsm.one(RotateKey("key_1", b"2" * 32, 5))
    assert stored(fsm).secrets[0].until_ns == fsm.machine.state.meta.last_ns


def test_uses_are_noted_once_a_minute_and_change_nobodys_rights(fsm):
    make(fsm)
    at_ns = MINUTE * 100
    assert fsm.one(TouchKeys({"key_1": at_ns, "key_gone": at_ns})).count == 1
    assert fsm.one(TouchKeys({"key_1": at_ns + MINUTE - 1})).count == 0
    assert not fsm.applied[-1].access_changed
    assert fsm.one(TouchKeys({"key_1": at_ns + MINUTE})).count == 1
    assert stored(fsm).last_used_ns == at_ns + MINUTE


@pytest.mark.parametrize(
    "op",
    [
        SetKey("key_1", "x", "*", "admin", (), None, False, None, "m", existing=True),
        RotateKey("key_1", b"9" * 32, 1),
        GrantRole("key_1", "worker", granted=True),
        SetRole("looker", READ),
        DeleteKey("key_1"),
    ],
    ids=lambda op: type(op).__name__,
)
def test_whoever_decides_is_told_of_every_change_of_rights(fsm, op):
    make(fsm)
    fsm.one(op)
    assert fsm.applied[-1].access_changed


def test_a_key_needs_a_role_that_exists(fsm):
    with pytest.raises(AccessRefused, match="role looker does not exist"):
        make(fsm, role="looker")
    assert not is_shut(fsm)
    fsm.one(SetRole("looker", READ))
    make(fsm, role="looker")
    with pytest.raises(AccessRefused):
        fsm.one(GrantRole("key_1", "gone", granted=True))


def test_built_in_roles_stay_what_they_are(fsm):
    with pytest.raises(AccessRefused):
        fsm.one(SetRole("readonly", READ))
    with pytest.raises(NotFound):
        fsm.one(DeleteRole("readonly"))


def test_a_role_is_changed_for_all_who_have_it_and_remembers_when_it_was_made(fsm):
    fsm.one(SetRole("looker", READ))
    made_ns = role(fsm, "looker").created_ns
    fsm.one(SetRole("looker", (Permission("jobs", ("*",)),)))
    changed = role(fsm, "looker")
    assert (changed.created_ns, changed.updated_ns) == (made_ns, fsm.machine.state.meta.last_ns)
    assert "jobs:retry" in changed.holds()


def test_a_role_goes_from_keys_that_have_it_beside_their_own_but_not_from_those_whose_own_it_is(fsm):
    fsm.one(SetRole("looker", READ))
    make(fsm)
    make(fsm, "key_2", role="looker")
    fsm.one(GrantRole("key_1", "looker", granted=True))
    with pytest.raises(AccessRefused, match="n"):
        fsm.one(DeleteRole("looker"))
    assert stored(fsm).roles == ("looker",)
    fsm.one(DeleteKey("key_2"))
    fsm.one(DeleteRole("looker"))
    assert (stored(fsm).roles, role(fsm, "looker")) == ((), None)
    with pytest.raises(NotFound):
        fsm.one(GrantRole("key_1", "looker", granted=False))


def test_there_is_a_most_of_keys_and_of_roles(fsm, monkeypatch):
    monkeypatch.setattr(access, "KEYS_MAX", 1)
    monkeypatch.setattr(access, "ROLES_MAX", 1)
    make(fsm)
    with pytest.raises(AccessRefused, match="1 keys"):
        make(fsm, "key_2")
    fsm.one(SetRole("looker", READ))
    fsm.one(SetRole("looker", READ))
    with pytest.raises(AccessRefused, match="1 roles"):
        fsm.one(SetRole("other", READ))


# What the check of everything notices


@pytest.fixture
def sound():
    """A state machine of the test's own: the fixture's is checked when the test is over."""
    fsm = Fsm()
    fsm.one(SetRole("looker", READ))
    make(fsm, role="looker")
    assert list(check(fsm.kv)) == []
    return fsm


def test_a_key_without_the_mark_that_one_is_needed_is_noticed(sound):
    sound.kv.write({keys.SHUT: None}, sync=False)
    (said,) = check(sound.kv)
    assert "nothing says that one is needed" in said


def test_a_role_that_is_missing_is_noticed(sound):
    sound.kv.write({keys.role("looker"): None}, sync=False)
    (said,) = check(sound.kv)
    assert said == "key_1 has the role looker, which does not exist"


def test_a_secret_of_two_keys_is_noticed(sound):
    doubled = encode_key(replace(stored(sound), id="key_2"))
    sound.kv.write({keys.api_key("key_2"): doubled}, sync=False)
    assert "key_2 and key_1 have the same secret" in list(check(sound.kv))
