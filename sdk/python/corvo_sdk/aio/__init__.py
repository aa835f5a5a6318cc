"""The asyncio client. `corvo_sdk/sync` is made from this folder by `make_sync.py`."""
