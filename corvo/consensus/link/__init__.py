"""Connections to the other nodes. Read `protocol`, `frames`, `hello`, `connection`, `mesh`, `mail`."""
