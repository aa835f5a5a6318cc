"""The event log as streams, and throughput: read hub.py, then throughput.py."""
