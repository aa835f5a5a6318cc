"""`python -m corvo.cli.reference FOLDER`: write all pages."""

import sys
from pathlib import Path

from corvo.cli.reference.pages import write
from corvo.observe.log import configure

if __name__ == "__main__":
    # A node is asked for its metrics; what it logs is of no interest.
    configure("error", "text", node="reference")
    write(Path(sys.argv[1]))
