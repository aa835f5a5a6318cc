"""Actors: those that a handler may speak to."""

import msgspec

from corvo.actors.kernel.api import ActorAddress


class Actors(msgspec.Struct, frozen=True):
    """The actors a handler may speak to."""

    batcher: ActorAddress
    forwarder: ActorAddress
    registrar: ActorAddress
    cluster_stats: ActorAddress
    replica_check: ActorAddress
    proposer: ActorAddress
    fsm: ActorAddress
    fetch_desk: ActorAddress
    scheduler: ActorAddress
    schedule_firer: ActorAddress
    throughput: ActorAddress
    mirror_writer: ActorAddress
    mirror_reader: ActorAddress
    consistency_check: ActorAddress
    event_hub: ActorAddress
    webhooks: ActorAddress
    bulk_watch: ActorAddress
    lease_watch: ActorAddress
    job_wait: ActorAddress
