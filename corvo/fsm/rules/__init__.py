"""Rules that several handlers follow. A rule knows no op handler."""
