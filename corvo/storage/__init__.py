"""What is on a node's disk. Read `keys`, `index`, `overlay`, `leveldb`, `datadir`; why: DESIGN.md."""
