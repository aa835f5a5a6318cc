"""The state machine. Read `machine`, `handlers`, `entry_tx`, `rules`, `state`; why: DESIGN.md."""
