"""Bulk tasks: runner.py, then steps.py (one actor per task), then watch.py (streams of progress)."""
