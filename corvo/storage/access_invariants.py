"""What must always hold of keys and roles; a part of `invariants.py`."""

from collections.abc import Iterator

from corvo.core.access.api_key import HASH_BYTES, ApiKey, decode_key
from corvo.core.access.permissions import BUILT_IN
from corvo.core.access.role import decode_role
from corvo.storage import keys
from corvo.storage.kv import KvReader


def check_access(store: KvReader) -> Iterator[str]:
    """One sentence per thing that is wrong."""
    roles = set(BUILT_IN)
    for stored, value in store.scan(keys.ROLE, keys.after(keys.ROLE)):
        role = decode_role(value)
        if keys.role(role.name) != stored:
            yield f"the role under {stored!r} calls itself {role.name}"
        if role.name in BUILT_IN:
            yield f"role {role.name} is built in, and is stored all the same"
        roles.add(role.name)
    owners: dict[bytes, str] = {}
    for stored, value in store.scan(keys.API_KEY, keys.after(keys.API_KEY)):
        key = decode_key(value)
        if keys.api_key(key.id) != stored:
            yield f"the key under {stored!r} calls itself {key.id}"
        for name in {key.role, *key.roles} - roles:
            yield f"{key.id} has the role {name}, which does not exist"
        if len(set(key.roles)) != len(key.roles):
            yield f"{key.id} has a further role twice"
        yield from _check_secrets(key, owners)
    if owners and store.get(keys.SHUT) is None:
        yield f"there are keys, such as {next(iter(owners.values()))}, but nothing says that one is needed"


def _check_secrets(key: ApiKey, owners: dict[bytes, str]) -> Iterator[str]:
    if not 1 <= len(key.secrets) <= 2:
        yield f"{key.id} has {len(key.secrets)} secrets"
    for secret in key.secrets:
        if len(secret.hash) != HASH_BYTES:
            yield f"{key.id} has a secret that is no hash"
        if owners.setdefault(secret.hash, key.id) != key.id:
            yield f"{key.id} and {owners[secret.hash]} have the same secret"
        # The newest counts as long as the key does; the one before it only for a while.
        if (secret.until_ns is None) != (secret is key.secrets[-1]):
            yield f"{key.id} has a former secret without an end, or a present one with one"
