"""The write path: read batcher.py, then batch_wait.py, proposer.py and submitter.py."""
