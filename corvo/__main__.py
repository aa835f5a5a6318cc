"""`python -m corvo` is the same as `corvo`."""

from corvo.cli.main import main

main(prog_name="corvo")
