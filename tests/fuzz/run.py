"""Schemathesis against a real node: no 500, no undocumented status, no answer that is not as documented.

    python -m tests.fuzz.run --minutes 10

Afterwards the node must be sound: whatever was sent to it, nothing that must hold was broken.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from chaos.process import Server, free_port

_HERE = Path(__file__).parent
_CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
#: Streams never end, so they cannot be fuzzed like answers.
_STREAMS = "/api/v1/events$|/progress$|/stream$"


def fuzz(*options: str) -> int:
    """Exit code: 0 if there was nothing to complain about."""
    with tempfile.TemporaryDirectory(prefix="corvo-fuzz-") as folder:
        server = Server(Path(folder) / "data", free_port())
        try:
            server.start()
            command = [
                str(Path(sys.executable).parent / "schemathesis"),
                "run",
                f"http://127.0.0.1:{server.port}/openapi.json",
                "--checks",
                _CHECKS,
                "--exclude-path-regex",
                _STREAMS,
                "--request-timeout",
                "30",
                "--warnings",
                "off",
                *options,
            ]
            environment = os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(_HERE)}
            # In a folder of its own, because it leaves a database of examples behind.
            done = subprocess.run(command, cwd=folder, env=environment, check=False)
            code, words = server.doctor()
            print(words)
            return done.returncode or code
        finally:
            server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    seconds = int(parser.parse_args().minutes * 60)
    sys.exit(fuzz("--phases", "coverage,fuzzing", "--max-time", str(seconds)))


if __name__ == "__main__":
    main()
