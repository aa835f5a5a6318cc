"""One module for each peer: how it is installed, started and configured."""
