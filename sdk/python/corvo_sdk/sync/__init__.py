# Made from corvo_sdk/aio/__init__.py by make_sync.py: change that file, then run `make sdk`.
"""The blocking client."""
