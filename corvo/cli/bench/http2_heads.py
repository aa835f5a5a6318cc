"""Heads of HTTP/2 requests and answers (RFC 7541), without any table of what was sent before."""

from corvo.cli.bench.link import BenchAddress

_POST = b"\x83"  # Number 3 of the static table: `:method: POST`.
_SCHEMES = {False: b"\x86", True: b"\x87"}
_AUTHORITY, _PATH = 1, 4
#: The statuses of the static table, whose numbers begin at 8.
_STATUSES = (200, 204, 206, 304, 400, 404, 500)
_STATUS = 8
#: Of Huffman's codes for digits, 0 to 2 have five bits; the others follow each other with six.
_SHORT_DIGITS = 3
_FIRST_LONG_CODE = 0b011001


class CannedHead:
    """Everything but the path is canned."""

    def __init__(self, address: BenchAddress) -> None:
        self._prefix = address.prefix
        self._before = _POST + _SCHEMES[address.is_tls] + bytes([_AUTHORITY]) + _text(address.authority)
        self._before += bytes([_PATH])
        self._after = b"".join(b"\x00" + _text(name) + _text(value) for name, value in address.headers)

    def of(self, path: bytes) -> bytes:
        return self._before + _text(self._prefix + path) + self._after


def _text(text: bytes) -> bytes:
    """Its length, in seven bits if they suffice, and itself."""
    size = len(text)
    if size < 127:
        return bytes([size]) + text
    size -= 127
    digits = [127]
    while size >= 128:
        digits.append(size % 128 + 128)
        size //= 128
    return bytes([*digits, size]) + text


def status_of(block: bytes) -> int:
    """The first header of an answer is its status."""
    at = 0
    while block[at] & 0xE0 == 0x20:  # A change of the table's size, which is 0.
        at += 1
    first = block[at]
    if first & 0x80:
        return _STATUSES[(first & 0x7F) - _STATUS]
    assert first & 0x0F == _STATUS, "an answer does not begin with its status"
    size = block[at + 1]
    text = block[at + 2 : at + 2 + (size & 0x7F)]
    return _from_huffman(text) if size & 0x80 else int(text)


def _from_huffman(text: bytes) -> int:
    bits = "".join(f"{byte:08b}" for byte in text)
    status = 0
    for _ in range(3):
        digit = int(bits[:5], 2)
        if digit < _SHORT_DIGITS:
            bits = bits[5:]
        else:
            digit = int(bits[:6], 2) - _FIRST_LONG_CODE + _SHORT_DIGITS
            bits = bits[6:]
        status = status * 10 + digit
    return status
