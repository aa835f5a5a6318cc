"""Unknown members of a body: taken out, and named to the client that sent them.

    {"queue":"q","max_retry":5} -> {"queue":"q"}, "unknown member max_retry; did you mean max_retries?"

Every type of a request forbids unknown members, so a body without any is decoded once and pays nothing. Only
a body that was refused for one comes here. Values are moved as the bytes they are, so numbers and texts of a
payload stay as the client wrote them.
"""

from difflib import get_close_matches
from typing import Any, Final

import msgspec
from msgspec import Raw
from msgspec.inspect import DictType, ListType, StructType, Type, UnionType, type_info

#: How many are named; one more says that there are others.
_NAMED_MAX: Final = 10
#: Characters of a member's name that are repeated to the client that sent it.
_SHOWN_CHARS: Final = 40

_object = msgspec.json.Decoder(dict[str, Raw])
_array = msgspec.json.Decoder(list[Raw])
_encode = msgspec.json.Encoder().encode


def take_out(body: bytes, body_type: Any) -> tuple[bytes, list[str]]:
    """The body without what its type does not know, and a sentence for each such member."""
    found: list[str] = []
    known = _known(body, type_info(body_type), "", found)
    if len(found) > _NAMED_MAX:
        found[_NAMED_MAX:] = [f"and {len(found) - _NAMED_MAX} more unknown members"]
    return known, found


def _known(body: bytes, kind: Type, path: str, found: list[str]) -> bytes:
    """What cannot be taken apart is left as it is: the decoder says best what is wrong with it."""
    kind = _fitting(kind, body[:1])
    try:
        if isinstance(kind, StructType):
            return _known_members(_object.decode(body), kind, path, found)
        if isinstance(kind, ListType):
            values = [
                _known(bytes(value), kind.item_type, f"{path}[{number}]", found)
                for number, value in enumerate(_array.decode(body))
            ]
            return b"[%b]" % b",".join(values)
        if isinstance(kind, DictType):
            pairs = [
                b"%b:%b" % (_encode(name), _known(bytes(value), kind.value_type, _join(path, name), found))
                for name, value in _object.decode(body).items()
            ]
            return b"{%b}" % b",".join(pairs)
    except msgspec.DecodeError:
        pass
    return body


def _known_members(members: dict[str, Raw], kind: StructType, path: str, found: list[str]) -> bytes:
    types = {field.encode_name: field.type for field in kind.fields}
    kept = []
    for name, value in members.items():
        if name in types:
            inner = _known(bytes(value), types[name], _join(path, name), found)
            kept.append(b"%b:%b" % (_encode(name), inner))
        else:
            found.append(_sentence(path, name, list(types)))
    return b"{%b}" % b",".join(kept)


def _fitting(kind: Type, first: bytes) -> Type:
    """Of several types, the one that a value with this first character can be."""
    if not isinstance(kind, UnionType):
        return kind
    wanted = ListType if first == b"[" else StructType | DictType if first == b"{" else ()
    return next((each for each in kind.types if wanted and isinstance(each, wanted)), kind)


def _join(path: str, name: str) -> str:
    return f"{path}.{_shown(name)}" if path else _shown(name)


def _shown(name: str) -> str:
    return name if name.isidentifier() and len(name) <= _SHOWN_CHARS else repr(name[:_SHOWN_CHARS])


def _sentence(path: str, name: str, known: list[str]) -> str:
    near = get_close_matches(name[:_SHOWN_CHARS], known, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"unknown member {_join(path, name)}{meant}"
