"""Who is let in: the decision by itself, without sockets."""

import pytest

from corvo.actors.access.messages import AccessChanged
from corvo.core.access.api_key import ApiKey, KeySecret, hash_of, new_key
from corvo.core.access.permissions import BUILT_IN
from corvo.core.access.principal import NOBODY, OPEN, Principal
from corvo.core.access.role import CustomRole, Permission
from corvo.core.clock import NS_PER_S, ManualClock
from corvo.core.errors import AccessUnknown, Forbidden, Unauthorized, ValidationFailed
from corvo.core.namespace import ALL, Reach
from corvo.http.serve.access.control import AccessControl
from corvo.http.serve.access.keyring import Holder
from corvo.http.serve.route import PUBLIC
from corvo.http.wire.message import Request

READ = "queues:read"


def api_key(secret, key_id="key_1", **fields):
    facts = {"name": "n", "namespace": ALL, "role": "admin", "scope": (), "created_ns": 0, "created_by": ""}
    return ApiKey(id=key_id, **(facts | {"secrets": (KeySecret(hash_of(secret), 0),)} | fields))


def request(key=None, **headers):
    fields = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    if key is not None:
        fields[b"x-api-key"] = key.encode()
    return Request(
        method="GET", path="/api/v1/queues", headers=fields, params={}, query={}, body=b"", started_ns=0
    )


def shut(*known, roles=()):
    return AccessChanged(is_shut=True, keys=list(known), namespaces=[], roles=list(roles))


OPENED = AccessChanged(is_shut=False, keys=[], namespaces=[], roles=[])


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def control(clock):
    return AccessControl(clock, [], may_be_open=True)


def test_while_nothing_is_known_nobody_is_let_in_but_to_what_is_public(control):
    with pytest.raises(AccessUnknown):
        control.admit(READ, request())
    asked = request(new_key())
    control.admit(PUBLIC, asked)
    assert asked.principal is NOBODY
    assert not control.is_open


def test_without_any_key_everybody_is_let_in_where_that_is_allowed(control, clock):
    control.learn(OPENED)
    asked = request()
    control.admit("cluster:write", asked)
    assert asked.principal is OPEN
    beyond_loopback = AccessControl(clock, [], may_be_open=False)
    beyond_loopback.learn(OPENED)
    with pytest.raises(Unauthorized):
        beyond_loopback.admit(READ, request())


def test_once_shut_it_stays_shut_without_any_key(control):
    control.learn(shut())
    with pytest.raises(Unauthorized):
        control.admit(READ, request())
    assert not control.is_open


def test_a_key_counts_from_its_making_to_its_end(control, clock):
    key = new_key()
    end_ns = clock.now_ns() + 10 * NS_PER_S
    control.learn(shut(api_key(key, expires_ns=end_ns)))
    control.admit(READ, request(key))
    clock.advance(ms=9_999)
    control.admit(READ, request(key))
    clock.advance(ms=1)
    with pytest.raises(Unauthorized):
        control.admit(READ, request(key))


def test_a_former_secret_counts_until_its_end(control, clock):
    former, present = new_key(), new_key()
    until_ns = clock.now_ns() + NS_PER_S
    secrets = (KeySecret(hash_of(former), 0, until_ns), KeySecret(hash_of(present), 0))
    control.learn(shut(api_key(present, secrets=secrets)))
    control.admit(READ, request(former))
    clock.advance(ms=1_000)
    with pytest.raises(Unauthorized):
        control.admit(READ, request(former))
    control.admit(READ, request(present))


def test_a_disabled_key_stands_for_nobody(control):
    key = new_key()
    control.learn(shut(api_key(key, enabled=False)))
    with pytest.raises(Unauthorized):
        control.admit(READ, request(key))
    asked = request(key)
    control.admit(PUBLIC, asked)
    assert asked.principal is NOBODY


@pytest.mark.parametrize("header", ["x_api_key", "authorization"])
def test_a_key_may_be_shown_in_two_ways(control, header):
    key = new_key()
    control.learn(shut(api_key(key)))
    spelled = key if header == "x_api_key" else f"bEaReR {key} "
    control.admit(READ, request(**{header: spelled}))


@pytest.mark.parametrize("spelled", ["Basic Y29ydm8=", "Bearer", "", "bearerx"])
def test_other_credentials_are_none(control, spelled):
    control.learn(shut())
    with pytest.raises(Unauthorized, match=r"has none|not known"):
        control.admit(READ, request(authorization=spelled))


def test_no_answer_repeats_what_was_shown(control):
    control.learn(shut())
    key = new_key()
    for shown in (key, key[:-1] + "!", "corvo_short", "hunter2"):
        with pytest.raises(Unauthorized) as refused:
            control.admit(READ, request(shown))
        assert shown not in str(refused.value)


def test_a_role_that_is_gone_leaves_nothing_but_the_right_to_ask(control):
    key = new_key()
    looker = CustomRole("looker", (Permission("queues", ("read",)),), 0)
    control.learn(shut(api_key(key, role="looker"), roles=[looker]))
    control.admit(READ, request(key))
    control.learn(shut(api_key(key, role="looker")))
    with pytest.raises(Forbidden):
        control.admit(READ, request(key))
    control.admit("self:read", request(key))


def test_further_roles_add_what_they_hold(control):
    key = new_key()
    control.learn(shut(api_key(key, role="producer", roles=("readonly",))))
    control.admit("jobs:search", request(key))
    control.admit("enqueue:write", request(key))
    with pytest.raises(Forbidden):
        control.admit("jobs:delete", request(key))


def test_what_concerns_the_whole_cluster_is_not_for_an_admin_of_one_namespace(control):
    key = new_key()
    control.learn(shut(api_key(key, namespace="acme")))
    with pytest.raises(Forbidden, match="whole cluster"):
        control.admit("cluster:read", request(key))


def test_only_a_key_of_all_namespaces_chooses_one(control):
    everywhere, acme = new_key(), new_key()
    control.learn(shut(api_key(everywhere), api_key(acme, "key_2", namespace="acme", scope=("a*",))))
    asked = request(everywhere, x_corvo_namespace="globex")
    control.admit(READ, asked)
    assert (asked.namespace, asked.reach) == ("globex", Reach("globex"))
    asked = request(acme)
    control.admit(READ, asked)
    assert (asked.namespace, asked.reach) == ("acme", Reach("acme", ("a*",)))
    with pytest.raises(Forbidden):
        control.admit(READ, request(acme, x_corvo_namespace="globex"))
    with pytest.raises(ValidationFailed):
        control.admit(READ, request(everywhere, x_corvo_namespace="no such name"))


def test_a_use_is_passed_on_at_most_once_a_minute_for_a_key(control, clock):
    key, noted = new_key(), []
    control.note_use = lambda key_id, at_ns: noted.append((key_id, at_ns))
    control.learn(shut(api_key(key)))
    began_ns = clock.now_ns()
    for _ in range(121):
        control.admit(READ, request(key))
        clock.advance(ms=500)
    assert noted == [("key_1", began_ns), ("key_1", began_ns + 60 * NS_PER_S)]


# Keys of the node's own


def holder(secret, key_id):
    admin = Principal("key:own", ALL, "admin", BUILT_IN["admin"])
    return Holder(key_id, admin, hash_of(secret), None)


def test_a_key_of_the_nodes_own_shuts_it_by_itself(clock):
    key = new_key()
    control = AccessControl(clock, [holder(key, "file")], may_be_open=True)
    control.learn(OPENED)
    control.admit("cluster:write", request(key))
    with pytest.raises(Unauthorized):
        control.admit(READ, request())


def test_a_first_key_can_be_revoked_once_the_cluster_knows_it(clock):
    """It went on counting until the node was started again."""
    key = new_key()
    control = AccessControl(clock, [holder(key, "key_1")], may_be_open=True)
    control.learn(OPENED)
    control.admit(READ, request(key))
    control.learn(shut(api_key(key)))
    control.admit(READ, request(key))
    control.learn(shut())
    with pytest.raises(Unauthorized):
        control.admit(READ, request(key))
