"""One version for the package and for the header that names it."""

__version__ = "0.1.0"
