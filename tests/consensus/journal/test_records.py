"""One record, and the header of a file."""

import pytest

from corvo.consensus.errors import JournalTooNew
from corvo.consensus.journal import record
from corvo.consensus.journal.record import HEAD_BYTES, RecordKind
from corvo.consensus.journal.segment import HEADER_BYTES, SegmentHeader


def written(payload=b"payload", place=1_000, **more):
    fields = {"kind": RecordKind.ENTRY, "index": 7, "term": 3, "synced": 900, **more}
    return record.head(**fields, payload=payload, place=place) + payload


@pytest.mark.parametrize("payload", [b"", b"x", bytes(10_000)])
def test_a_record_is_read_back(payload):
    found = record.read(b"before" + written(payload, place=1_006), 6, 1_000)

    assert (found.kind, found.index, found.term, found.synced) == (RecordKind.ENTRY, 7, 3, 900)
    assert found.payload == payload
    assert found.end == 6 + HEAD_BYTES + len(payload)


def test_every_flipped_bit_is_noticed():
    sound = written()
    for position in range(len(sound)):
        for bit in range(8):
            data = bytearray(sound)
            data[position] ^= 1 << bit
            # The padding is covered too.
            assert record.read(bytes(data), 0, 1_000) is None


def test_every_cut_is_noticed():
    sound = written()
    for end in range(len(sound)):
        assert record.read(sound[:end], 0, 1_000) is None


def test_a_record_in_the_wrong_place_is_none():
    assert record.read(written(place=1_000), 0, 1_001) is None


def test_a_record_is_found_among_rubbish():
    rubbish = b"\xc7CVO" + bytes(100) + b"\xc7CV"
    data = rubbish + written(place=1_000 + len(rubbish))

    at, found = record.find(data, 0, 1_000)

    assert (at, found.index) == (len(rubbish), 7)
    assert record.find(rubbish, 0, 1_000) is None


def test_a_header_is_read_back():
    header = SegmentHeader(place=1 << 40, index=5, term=2, current_term=9, vote="node-ü")
    encoded = header.encode()

    assert len(encoded) == HEADER_BYTES
    assert SegmentHeader.decode(encoded, "x.seg") == header
    assert SegmentHeader.decode(SegmentHeader(0, 1, 0, 0, None).encode(), "x.seg").vote is None


def test_an_altered_header_is_none():
    encoded = bytearray(SegmentHeader(0, 1, 0, 0, "n1").encode())
    for position in (*range(8), *range(12, HEADER_BYTES)):
        altered = bytearray(encoded)
        altered[position] ^= 1
        assert SegmentHeader.decode(bytes(altered), "x.seg") is None
    assert SegmentHeader.decode(bytes(encoded[:-1]), "x.seg") is None


def test_a_header_of_another_format_is_refused():
    encoded = bytearray(SegmentHeader(0, 1, 0, 0, None).encode())
    encoded[8] = 9
    with pytest.raises(JournalTooNew, match=r"x\.seg has journal format 9"):
        SegmentHeader.decode(bytes(encoded), "x.seg")
