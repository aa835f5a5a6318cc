"""API keys and roles. What they allow is decided at the edge; here is what is known of them."""

from collections.abc import Iterator

from msgspec.structs import replace

from corvo.core.access.api_key import ApiKey, KeySecret, decode_key, encode_key
from corvo.core.access.permissions import BUILT_IN
from corvo.core.access.role import CustomRole, decode_role, encode_role
from corvo.core.clock import NS_PER_S
from corvo.core.errors import AccessRefused, NotFound
from corvo.core.limits import KEYS_MAX, ROLES_MAX
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.ops.access import DeleteKey, DeleteRole, GrantRole, RotateKey, SetKey, SetRole, TouchKeys
from corvo.ops.results import KeyChanged, RoleSet, Upkept
from corvo.storage import keys

#: A use is noted only if the last one noted is as old as this.
_TOUCH_NS = 60 * NS_PER_S


@applies(SetKey)
def set_key(op: SetKey, tx: EntryTx) -> KeyChanged:
    _check_role(tx, op.role)
    known = _find_key(tx, op.key_id)
    if known is not None and op.existing:
        changed = replace(
            known,
            name=op.name,
            namespace=op.namespace,
            role=op.role,
            scope=op.scope,
            enabled=op.enabled,
            expires_ns=op.expires_ns,
        )
        return _store_key(tx, changed)
    if op.existing:
        raise NotFound(f"key {op.key_id} does not exist")
    assert op.hash is not None, "a new key has a secret"
    if known is not None or _is_taken(tx, op.hash):
        raise AccessRefused("this key exists already; make a new one, or change it by its id")
    if sum(1 for _ in _keys(tx)) >= KEYS_MAX:
        raise AccessRefused(f"there are {KEYS_MAX} keys already, which is the most there may be; delete some")
    made = ApiKey(
        id=op.key_id,
        name=op.name,
        namespace=op.namespace,
        role=op.role,
        scope=op.scope,
        secrets=(KeySecret(op.hash, tx.now_ns),),
        created_ns=tx.now_ns,
        created_by=op.made_by,
        enabled=op.enabled,
        expires_ns=op.expires_ns,
    )
    # From now on nobody comes in without a credential, whatever becomes of this key.
    tx.kv.put(keys.SHUT, b"\x01")
    return _store_key(tx, made)


@applies(RotateKey)
def rotate_key(op: RotateKey, tx: EntryTx) -> KeyChanged:
    key = _existing_key(tx, op.key_id)
    if _is_taken(tx, op.hash):
        raise AccessRefused("this secret is a key's already; try again")
    former = replace(key.secrets[-1], until_ns=max(op.former_until_ns, tx.now_ns))
    return _store_key(tx, replace(key, secrets=(former, KeySecret(op.hash, tx.now_ns))))


@applies(DeleteKey)
def delete_key(op: DeleteKey, tx: EntryTx) -> KeyChanged:
    key = _existing_key(tx, op.key_id)
    tx.kv.delete(keys.api_key(key.id))
    tx.access_changed = True
    return KeyChanged(key.id)


@applies(TouchKeys)
def touch_keys(op: TouchKeys, tx: EntryTx) -> Upkept:
    count = 0
    for key_id, used_ns in op.used_ns.items():
        key = _find_key(tx, key_id)
        if key is not None and used_ns - (key.last_used_ns or 0) >= _TOUCH_NS:
            # Not by `_store_key`: nobody's rights have changed.
            tx.kv.put(keys.api_key(key_id), encode_key(replace(key, last_used_ns=used_ns)))
            count += 1
    return Upkept(count, more=False)


@applies(SetRole)
def set_role(op: SetRole, tx: EntryTx) -> RoleSet:
    if op.name in BUILT_IN:
        raise AccessRefused(f"{op.name} is a built-in role and cannot be changed; choose another name")
    known = _find_role(tx, op.name)
    if known is None and sum(1 for _ in tx.kv.scan(keys.ROLE, keys.after(keys.ROLE))) >= ROLES_MAX:
        raise AccessRefused(f"there are {ROLES_MAX} roles already, which is the most there may be")
    if known is None:
        role = CustomRole(op.name, op.permissions, created_ns=tx.now_ns)
    else:
        role = replace(known, permissions=op.permissions, updated_ns=tx.now_ns)
    tx.kv.put(keys.role(op.name), encode_role(role))
    tx.access_changed = True
    return RoleSet(op.name)


@applies(DeleteRole)
def delete_role(op: DeleteRole, tx: EntryTx) -> RoleSet:
    if _find_role(tx, op.name) is None:
        raise NotFound(f"role {op.name} does not exist")
    holders = [key for key in _keys(tx) if key.role == op.name]
    if holders:
        names = ", ".join(key.name for key in holders[:5])
        raise AccessRefused(f"{len(holders)} keys have the role {op.name}: {names}; give them another first")
    for key in list(_keys(tx)):
        if op.name in key.roles:
            _store_key(tx, replace(key, roles=tuple(role for role in key.roles if role != op.name)))
    tx.kv.delete(keys.role(op.name))
    tx.access_changed = True
    return RoleSet(op.name)


@applies(GrantRole)
def grant_role(op: GrantRole, tx: EntryTx) -> KeyChanged:
    key = _existing_key(tx, op.key_id)
    if not op.granted and op.role not in key.roles:
        raise NotFound(f"key {op.key_id} does not have the role {op.role}")
    if op.granted:
        _check_role(tx, op.role)
    others = tuple(role for role in key.roles if role != op.role)
    return _store_key(tx, replace(key, roles=(*others, op.role) if op.granted else others))


def _check_role(tx: EntryTx, name: str) -> None:
    if name not in BUILT_IN and _find_role(tx, name) is None:
        raise AccessRefused(f"role {name} does not exist; make it first, or use one of {', '.join(BUILT_IN)}")


def _keys(tx: EntryTx) -> Iterator[ApiKey]:
    return (decode_key(value) for _, value in tx.kv.scan(keys.API_KEY, keys.after(keys.API_KEY)))


def _is_taken(tx: EntryTx, digest: bytes) -> bool:
    """Whether it is the hash of a secret already: one secret must not stand for two keys."""
    return any(digest == secret.hash for key in _keys(tx) for secret in key.secrets)


def _find_key(tx: EntryTx, key_id: str) -> ApiKey | None:
    stored = tx.kv.get(keys.api_key(key_id))
    return None if stored is None else decode_key(stored)


def _existing_key(tx: EntryTx, key_id: str) -> ApiKey:
    key = _find_key(tx, key_id)
    if key is None:
        raise NotFound(f"key {key_id} does not exist")
    return key


def _store_key(tx: EntryTx, key: ApiKey) -> KeyChanged:
    tx.kv.put(keys.api_key(key.id), encode_key(key))
    tx.access_changed = True
    return KeyChanged(key.id)


def _find_role(tx: EntryTx, name: str) -> CustomRole | None:
    stored = tx.kv.get(keys.role(name))
    return None if stored is None else decode_role(stored)
