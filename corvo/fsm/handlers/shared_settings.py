"""Shared settings: what all nodes of a cluster must have in common, kept with the state."""

from corvo.core.shared_settings import encode_shared_settings
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.ops.results import Upkept
from corvo.ops.shared_settings import SetSharedSettings
from corvo.storage import keys


@applies(SetSharedSettings)
def set_shared_settings(op: SetSharedSettings, tx: EntryTx) -> Upkept:
    tx.kv.put(keys.SHARED_SETTINGS, encode_shared_settings(op.rules))
    return Upkept(1, more=False)
