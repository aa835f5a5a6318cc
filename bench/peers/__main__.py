"""Install and run the peers, print the table, write bench/RESULTS.md."""

import argparse
import os
import shutil
import signal
import sys
import time
from pathlib import Path

from bench import floor
from bench.peers import results
from bench.peers.install import HOME, NotInstallable
from bench.peers.kinds.corvo import CorvoOneByOne, CorvoSdk, CorvoStream
from bench.peers.kinds.on_postgres import PgBoss, Procrastinate, River
from bench.peers.kinds.on_redis import FSYNCS, Arq, BullMq, Celery, Dramatiq, Rq
from bench.peers.kinds.own_server import Beanstalkd, Faktory
from bench.peers.kinds.temporal import Temporal
from bench.peers.measure import QUICK, Row, Sizes, measure
from bench.peers.peer import Peer

_RESULTS = Path(__file__).parents[1] / "RESULTS.md"


def _peers(edge: str) -> list[Peer]:
    flags = () if edge == "hypercorn" else ("--edge", edge)
    on_redis = [kind(fsync) for kind in (Celery, Dramatiq, Rq, Arq, BullMq) for fsync in FSYNCS]
    on_postgres = [Procrastinate(), PgBoss(), River(), Temporal()]
    own_server = [Beanstalkd(50), Beanstalkd(0), Faktory()]
    return [
        CorvoStream(*flags),
        CorvoSdk(*flags),
        CorvoOneByOne(*flags),
        *on_redis,
        *on_postgres,
        *own_server,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers")
    parser.add_argument("--quick", action="store_true", help="shorter, for less than three minutes in all")
    parser.add_argument("--only", help="names, with commas: corvo,corvo-sdk,celery,rq")
    parser.add_argument("--out", type=Path, help=f"where to write [{_RESULTS.name}, unless with --only]")
    parser.add_argument(
        "--edge", default="hypercorn", help="what speaks HTTP for Corvo: hypercorn or granian"
    )
    given = parser.parse_args()
    # Ended from outside, it still ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    load = os.getloadavg()[0]
    wanted = given.only.split(",") if given.only else None
    peers = [peer for peer in _peers(given.edge) if wanted is None or peer.name in wanted]
    if not peers:
        parser.error(f"--only can name {', '.join(sorted({peer.name for peer in _peers(given.edge)}))}")
    began = time.monotonic()
    floors = floor.measure(1.0 if given.quick else 4.0)
    _say(f"floor: {floors['lifecycle']:,.0f} lifecycles/s, {floors['enqueue']:,.0f} enqueues/s")
    rows = [_run(peer, QUICK if given.quick else Sizes()) for peer in peers]
    if not any(row.problems for row in rows):
        shutil.rmtree(HOME / "run", ignore_errors=True)
    command = " ".join(["python -m bench.peers", *sys.argv[1:]])
    text = results.page(rows, floors, command=command, quick=given.quick, load=load)
    print(text)
    out = given.out or (None if wanted else _RESULTS)
    if out is not None:
        out.write_text(text)
    _say(f"{time.monotonic() - began:.0f} s")


def _run(peer: Peer, sizes: Sizes) -> Row:
    row = Row(peer.name, peer.title, peer.durability, peer.setting)
    began = time.monotonic()
    try:
        row.versions = peer.install()
    except (NotInstallable, OSError) as problem:
        row.problems.append(f"not installed: {problem}")
    else:
        measure(peer, row, sizes)
    rates = f"{row.enqueue:9,.0f} enqueues/s {row.lifecycle:8,.0f} lifecycles/s {row.p50_ms:7.1f} ms"
    crash = f"{row.lost} lost, {row.held} late"
    _say(f"{row.title:28} {rates} {crash}, {time.monotonic() - began:.0f} s {' '.join(row.problems)}")
    return row


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
