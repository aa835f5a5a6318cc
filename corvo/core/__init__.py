"""Values and rules that every layer shares: read states.py and job.py, then queue.py and errors.py."""
