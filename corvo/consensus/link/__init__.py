"""Connections to the other nodes. Read `protocol`, `frames`, `noise`, `hello`, `connection`, `mesh`."""
