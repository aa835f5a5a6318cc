"""The actors of the SQLite mirror: read writer.py, then rebuilding.py and builder.py, then reader.py."""
