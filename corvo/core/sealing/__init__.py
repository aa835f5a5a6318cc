"""Sealing: what clients say in payloads, results, checkpoints, progress and errors, kept encrypted (ADR 20).

form.py (what a sealed value looks like), keyring.py (sealing and opening), documents.py (jobs and all that).
"""
