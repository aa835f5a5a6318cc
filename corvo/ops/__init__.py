"""What can be written to the log: read base.py and entry.py, then enqueue.py, fetch.py and finish.py."""
