"""Waiting for jobs, for the end of a job and for the end of a lease: read fetch_desk.py first."""
