"""Several nodes: read leader_forwarder.py, then registrar.py, handover.py and node_inbox.py."""
