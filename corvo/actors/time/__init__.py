"""What the passing of time brings: scheduler.py with upkeep_tasks.py, then schedule_firer.py."""
