"""Shared settings keeper: has the cluster record what all nodes must have in common, warns of differences.

    fsm, node --RoleChanged, RosterChanged--> [shared settings keeper] --SetSharedSettings--> batcher

A node alone is free to change its settings, so nothing is recorded for it. The first leader of several nodes
records its own; from then on they hold until a node is started with --change-settings. That a member or a
newcomer with other settings does not even start is seen to by `joining` and the registrar; here it is only
noticed that the cluster's settings were changed while this node was running.
"""

from datetime import timedelta

import structlog

from corvo.actors.cluster.messages import FindSharedSettings, RosterChanged, SharedSettingsFound
from corvo.actors.cluster.shared_settings import SettingsChange, objection
from corvo.actors.kernel.api import ActorAddress, WakeupMessage
from corvo.actors.state.messages import RoleChanged, StateReplaced, Subscribe, Topic
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.actors.write.submitter import Submitter
from corvo.consensus.api import HasStatus
from corvo.core.shared_settings import SharedSettings
from corvo.ops.shared_settings import SetSharedSettings

log = structlog.get_logger()

_RETRY = timedelta(seconds=1)


class SharedSettingsKeeper(Submitter):
    def __init__(
        self,
        own: SharedSettings,
        consensus: HasStatus,
        batcher: ActorAddress,
        fsm: ActorAddress,
        change: SettingsChange,
    ) -> None:
        self._own = own
        self._consensus = consensus
        self._batcher = batcher
        self._fsm = fsm
        self._change = change
        self._leads = False
        self._is_asking = False
        self._told: SharedSettings | None = None

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.ROLE, Topic.REPLACED)))

    # Looking

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        self._leads = msg.leads
        if msg.leader_id is not None:
            self._look()

    def receiveMsg_RosterChanged(self, msg: RosterChanged, sender: ActorAddress) -> None:
        self._look()

    def receiveMsg_StateReplaced(self, msg: StateReplaced, sender: ActorAddress) -> None:
        self._look()

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        self._look()

    def _look(self) -> None:
        self.send(self._fsm, FindSharedSettings())

    def receiveMsg_SharedSettingsFound(self, msg: SharedSettingsFound, sender: ActorAddress) -> None:
        if msg.rules == self._own:
            self._change.is_due = False
        elif self._is_to_record(msg.rules):
            if not self._is_asking:
                self._is_asking = True
                self.send(self._batcher, Submit((SetSharedSettings(self._own),)))
        elif msg.rules is not None and msg.rules != self._told:
            self._told = msg.rules
            reason = objection(self._consensus.status().node_id, self._own, msg.rules)
            if reason is not None:
                log.warning("settings.differ", reason=reason)

    def _is_to_record(self, recorded: SharedSettings | None) -> bool:
        is_alone = len(self._consensus.status().members) == 1
        if recorded is None:
            return self._leads and not is_alone
        return self._change.is_due or (self._leads and is_alone)

    # Recording

    def receiveMsg_Answer(self, msg: Answer, sender: ActorAddress) -> None:
        self._is_asking = self._change.is_due = False
        log.info("settings.recorded", index=msg.index)

    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        self._is_asking = False
        self.wakeupAfter(_RETRY)
