"""How answers become objects. Unknown members are ignored, so that an older client reads a newer server."""

import msgspec


class Model(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something the server said. Members it did not say are None, or empty."""


class Status(Model, frozen=True, kw_only=True):
    """The answer to an order: one word for what became of it."""

    status: str
