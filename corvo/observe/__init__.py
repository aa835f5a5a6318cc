"""What a process says of itself: logs, histograms, process stats; and its event loop."""
