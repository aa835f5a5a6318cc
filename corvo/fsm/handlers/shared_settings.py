"""What the nodes of a cluster must have in common, kept with the state."""

import msgspec

from corvo.fsm.entry_tx import Turn
from corvo.fsm.registry import applies
from corvo.ops.results import Upkept
from corvo.ops.shared_settings import SetRules
from corvo.storage import keys

_encode = msgspec.msgpack.Encoder(order="sorted").encode


@applies(SetRules)
def set_rules(op: SetRules, turn: Turn) -> Upkept:
    turn.tx.put(keys.RULES, _encode(op.rules))
    return Upkept(1, more=False)
