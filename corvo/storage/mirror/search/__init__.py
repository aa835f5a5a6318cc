"""A search as SQL. Read `request`, `query`, `clauses`, `plan`, `page`, `search`."""
