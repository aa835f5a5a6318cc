"""The audit log on its way out: what readers ask for, and the stream to a file or to standard output."""
