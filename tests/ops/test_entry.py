from pathlib import Path

import pytest

from corvo.ops import entry
from corvo.ops.base import BY_NUMBER
from corvo.ops.entry import Entry, EntryDamaged, decode, encode
from corvo.ops.finish import Ack
from corvo.ops.upkeep import Promote


def test_an_entry_reads_back_as_it_was():
    written = Entry(123, [Ack("job_1", 7, b"{}"), Promote(10), Ack("job_2", None)])
    assert decode(encode(written)) == written


def test_a_changed_byte_anywhere_is_noticed():
    data = encode(Entry(123, [Ack("job_1", 7, b"{}")]))
    for position in range(len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 1
        with pytest.raises(EntryDamaged):
            decode(bytes(damaged))


@pytest.mark.parametrize("length", range(6))
def test_an_entry_cut_short_is_noticed(length):
    with pytest.raises(EntryDamaged):
        decode(encode(Entry(1, []))[:length])


def test_an_entry_of_another_format_is_refused_by_name():
    with pytest.raises(EntryDamaged, match="format 9"):
        decode(b"\x09" + encode(Entry(1, []))[1:])


def test_every_file_of_ops_is_known_to_those_who_read_entries():
    """Else an op is known or not by who was imported first, and a replica may stop over it."""
    numbered = {
        path.stem for path in Path(entry.__file__).parent.glob("*.py") if "\n@op\n" in path.read_text()
    }
    assert numbered == {family.__name__.rpartition(".")[2] for family in entry.FAMILIES}


def test_op_numbers_are_frozen():
    assert {number: cls.__name__ for number, cls in sorted(BY_NUMBER.items())} == {
        1: "Enqueue",
        2: "EnqueueMany",
        3: "Fetch",
        4: "Ack",
        5: "Fail",
        6: "Heartbeat",
        7: "Release",
        8: "Reclaim",
        9: "Promote",
        10: "Expire",
        11: "Purge",
        12: "CleanUnique",
        13: "CleanIdempotency",
        14: "TrimEvents",
        15: "TrimWorkers",
        16: "Once",
        17: "Act",
        18: "ActMany",
        19: "OpenBatch",
        20: "SealBatch",
        21: "Resolve",
        22: "PurgeBatches",
        23: "PauseQueue",
        24: "LimitQueue",
        25: "ThrottleQueue",
        26: "ClearQueue",
        27: "DeleteQueue",
        28: "Report",
        29: "CreateBulk",
        30: "AddBulkIds",
        31: "StartBulk",
        32: "RunBulk",
        33: "CancelBulk",
        34: "PurgeBulk",
        35: "SetSchedule",
        36: "DeleteSchedule",
        37: "FireSchedule",
        38: "RunSchedule",
        40: "SetWebhook",
        41: "DeleteWebhook",
        42: "SwitchWebhook",
        43: "RewindWebhook",
        44: "AdvanceWebhooks",
        50: "SetSharedSettings",
        70: "SetKey",
        71: "RotateKey",
        72: "DeleteKey",
        73: "TouchKeys",
        74: "SetRole",
        75: "DeleteRole",
        76: "GrantRole",
        60: "SetNamespace",
        61: "DeleteNamespace",
        80: "WriteAudit",
        81: "ExtendAudit",
        82: "TrimAudit",
        85: "SetSession",
        86: "DeleteSession",
        87: "TrimSessions",
        88: "SetSso",
        90: "Reseal",
    }
