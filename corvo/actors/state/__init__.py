"""The state machine's actor: read fsm.py, queries.py, reader.py, store_writer.py, consensus_listener.py."""
