"""The SQLite copy for searches. Read `rows`, `batch`, `write`, `mirror`, then `search`; why: DESIGN.md."""
