"""The keys of an OpenID provider, which runs as a process of its own."""

import jwt
import pytest

from corvo.core.clock import ManualClock
from corvo.core.errors import SignOnFailed, Unauthorized
from corvo.http.serve.sign_on.provider import Provider
from tests.support.oidc_provider import providing


@pytest.fixture
def running_provider():
    with providing() as provider:
        yield provider


def kid_of(provider):
    return jwt.get_unverified_header(provider.token())["kid"]


async def test_keys_that_a_provider_has_changed_are_asked_for_but_not_for_each_forged_token(running_provider):
    clock = ManualClock()
    provider = Provider(running_provider.issuer, clock)
    former = kid_of(running_provider)
    await provider.key(former)
    running_provider.control(rotate=True)
    newer = kid_of(running_provider)
    for kid in (newer, "forged", "forged"):
        with pytest.raises(Unauthorized):
            await provider.key(kid)
    assert running_provider.control()["keys_asked"] == 1
    clock.advance(s=11)
    await provider.key(newer)
    assert running_provider.control()["keys_asked"] == 2
    with pytest.raises(Unauthorized):
        await provider.key(former)


async def test_a_key_that_was_given_up_does_not_count_for_ever(running_provider):
    clock = ManualClock()
    provider = Provider(running_provider.issuer, clock)
    former = kid_of(running_provider)
    await provider.key(former)
    running_provider.control(rotate=True)
    await provider.key(former)
    clock.advance(s=3_601)
    with pytest.raises(Unauthorized):
        await provider.key(former)


async def test_a_provider_that_calls_itself_otherwise_is_not_believed(running_provider):
    alias = running_provider.issuer.replace("127.0.0.1", "localhost")
    with pytest.raises(SignOnFailed, match="calls itself"):
        await Provider(alias, ManualClock()).describe()


async def test_a_server_that_is_no_provider_is_told_from_one(running_provider):
    with pytest.raises(SignOnFailed, match="404"):
        await Provider(running_provider.issuer + "/elsewhere", ManualClock()).describe()
