"""A flame graph of the lifecycle run, and the share of time per stage; needs the right to look at processes.

python -m bench.flame [--seconds 15]    writes bench/lifecycle.svg and bench/STAGES.md
"""

import subprocess
import threading
from pathlib import Path

from bench import loads, stages
from bench.peers import install
from bench.peers.results import machine
from bench.servers import corvo

_HERE = Path(__file__).parent
_BUILD = _HERE.parent / "build"
_SVG = _HERE / "lifecycle.svg"
_PAGE = _HERE / "STAGES.md"
_SAMPLES_PER_S = 200
#: At the start caches are cold; at the end there is only the drain.
_WARM_S = 2.0


def _record(py_spy: Path, pid: int, seconds: float, form: str, out: Path, *flags: str) -> None:
    place = ["-p", str(pid), "-d", str(int(seconds)), "-r", str(_SAMPLES_PER_S), "-f", form, "-o", str(out)]
    command = [str(py_spy), "record", *place, *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


def main() -> None:
    arguments = loads.parser(lambda parser: parser.add_argument("--seconds", type=float, default=15.0))
    py_spy = install.pypi("tools", "py-spy==0.4.3") / "py-spy"
    _BUILD.mkdir(exist_ok=True)
    seconds = arguments.seconds
    with corvo(*loads.edge_flags(arguments)) as server:
        plan = loads.lifecycle_plan(3 * seconds + 3 * _WARM_S)
        rates: list[float] = []
        load = threading.Thread(target=lambda: rates.append(loads.rate(loads.run(server, plan))))
        load.start()
        load.join(_WARM_S)
        every, holding = _BUILD / "flame-all.raw", _BUILD / "flame-gil.raw"
        _record(py_spy, server.pid, seconds, "raw", every)
        _record(py_spy, server.pid, seconds, "raw", holding, "--gil")
        _record(py_spy, server.pid, seconds, "flamegraph", _SVG)
        load.join()
    found = [stages.shares(raw.read_text().splitlines()) for raw in (every, holding)]
    page = f"""# Where the time of a lifecycle goes

Written by `make flame` (`python -m bench.flame`). py-spy looks at the server {_SAMPLES_PER_S} times a second,
for {seconds:.0f} s each, while 4 producers and 8 workers send jobs through their whole life over the stream,
50 a line, fsync on ({rates[0]:,.0f} jobs/s meanwhile). A sample counts for the stage that owns its innermost
frame (`bench/stages.py` has the map; numbers are those of ARCHITECTURE.md); threads that wait do not
count. The first column has all threads, with what they wait for the disk; the second only who holds the
interpreter lock, which is what limits a Python process. The picture is [lifecycle.svg](lifecycle.svg).

Machine: {machine()}.

{stages.table(*found)}
"""
    _PAGE.write_text(page)
    print(page)
    print(f"{_SVG.name}: {_SVG.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
