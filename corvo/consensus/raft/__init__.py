"""A member of the group. Read `member`, `driver` (one round), `engine`, `replication`, `appending`."""
