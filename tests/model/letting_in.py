"""Who may come in: keys and roles, and that the first key shuts the cluster for good."""

from msgspec.structs import replace

from corvo.core.access.api_key import ApiKey, KeySecret
from corvo.core.access.role import CustomRole
from corvo.core.errors import AccessRefused, NotFound
from corvo.ops.results import KeyChanged, RoleSet, Upkept
from tests.model.passing import Passing

#: The state machine under test is told to keep to these, too.
KEYS_MAX = 3
ROLES_MAX = 2
BUILT_IN = {"admin", "operator", "producer", "worker", "readonly"}
MINUTE_NS = 60 * 1_000_000_000


class LettingIn(Passing):
    def SetKey(self, op):
        self._must_be_role(op.role)
        asked = {
            name: getattr(op, name)
            for name in ("name", "namespace", "role", "scope", "enabled", "expires_ns")
        }
        if op.existing:
            return self._keep_key(replace(self._key(op), **asked))
        if op.key_id in self.keys or op.hash in self._hashes():
            raise AccessRefused("there")
        if len(self.keys) >= KEYS_MAX:
            raise AccessRefused("too many")
        self.is_shut = True
        secret = KeySecret(op.hash, self.now)
        return self._keep_key(
            ApiKey(op.key_id, secrets=(secret,), created_ns=self.now, created_by=op.made_by, **asked)
        )

    def RotateKey(self, op):
        key = self._key(op)
        if op.hash in self._hashes():
            raise AccessRefused("there")
        former = replace(key.secrets[-1], until_ns=max(op.former_until_ns, self.now))
        return self._keep_key(replace(key, secrets=(former, KeySecret(op.hash, self.now))))

    def DeleteKey(self, op):
        del self.keys[self._key(op).id]
        return KeyChanged(op.key_id)

    def TouchKeys(self, op):
        count = 0
        for key_id, used_ns in op.used_ns.items():
            key = self.keys.get(key_id)
            if key is not None and used_ns >= (key.last_used_ns or 0) + MINUTE_NS:
                self._keep_key(replace(key, last_used_ns=used_ns))
                count += 1
        return Upkept(count, more=False)

    def GrantRole(self, op):
        key = self._key(op)
        others = tuple(role for role in key.roles if role != op.role)
        if op.granted:
            self._must_be_role(op.role)
            others += (op.role,)
        elif op.role not in key.roles:
            raise NotFound("role")
        return self._keep_key(replace(key, roles=others))

    def SetRole(self, op):
        known = self.roles.get(op.name)
        if op.name in BUILT_IN or (known is None and len(self.roles) >= ROLES_MAX):
            raise AccessRefused("role")
        if known is None:
            self.roles[op.name] = CustomRole(op.name, op.permissions, self.now)
        else:
            self.roles[op.name] = replace(known, permissions=op.permissions, updated_ns=self.now)
        return RoleSet(op.name)

    def DeleteRole(self, op):
        if op.name not in self.roles:
            raise NotFound("role")
        if any(key.role == op.name for key in self.keys.values()):
            raise AccessRefused("in use")
        del self.roles[op.name]
        for key in list(self.keys.values()):
            self._keep_key(replace(key, roles=tuple(role for role in key.roles if role != op.name)))
        return RoleSet(op.name)

    def _key(self, op):
        if op.key_id not in self.keys:
            raise NotFound("key")
        return self.keys[op.key_id]

    def _hashes(self):
        return {secret.hash for key in self.keys.values() for secret in key.secrets}

    def _must_be_role(self, name):
        if name not in BUILT_IN | self.roles.keys():
            raise AccessRefused("role")

    def _keep_key(self, key):
        self.keys[key.id] = key
        return KeyChanged(key.id)
