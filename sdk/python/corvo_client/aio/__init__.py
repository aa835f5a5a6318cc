"""The asyncio client. `corvo_client/sync` is made from this folder by `make_sync.py`."""
