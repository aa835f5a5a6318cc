"""The asyncio client. `corvo_client/sync` is made from this folder by `python -m sdk_sync`."""
