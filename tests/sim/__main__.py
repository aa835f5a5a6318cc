"""python -m tests.sim --seeds 0:20 --secs 60 --nodes 3"""

import argparse
import sys
import time
from collections import Counter

from tests.sim.run import run


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.sim", description="Simulate clusters under faults."
    )
    parser.add_argument("--seeds", default="0:20", help="first:last, last not included, or one seed")
    parser.add_argument("--secs", type=float, default=60.0, help="simulated seconds of misfortune per seed")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--spares", type=int, default=0, help="nodes that join and leave meanwhile")
    parser.add_argument("--heirs", action="store_true", help="leaders are asked to hand over meanwhile")
    parser.add_argument("--sync", choices=("always", "never"), default="always", help="never: no power cuts")
    parser.add_argument("--trace", type=int, default=60, help="lines of history to print on a violation")
    options = parser.parse_args()
    first, _, last = options.seeds.partition(":")
    seeds = range(int(first), int(last) if last else int(first) + 1)

    begun = time.monotonic()
    totals: Counter[str] = Counter()
    failed = []
    for seed in seeds:
        outcome = run(
            seed,
            nodes=options.nodes,
            seconds=options.secs,
            sync=options.sync,
            spares=options.spares,
            heirs=options.heirs,
            trace_lines=options.trace,
        )
        totals.update(outcome.counts)
        if outcome.violations:
            failed.append(seed)
            print(outcome.report(), end="\n\n")
    took = time.monotonic() - begun
    print(f"{len(seeds)} seeds x {options.secs:g} s, {options.nodes} nodes, {took:.0f} s of real time")
    for name, count in sorted(totals.items()):
        print(f"  {name:24} {count:>12,}")
    print(f"violations in {len(failed)} seeds: {failed}" if failed else "no violations")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
