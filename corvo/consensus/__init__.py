"""One log, the same on every node. Read `api`, `raft_node`, `raft`, `journal`, `link`; why: DESIGN.md."""
