"""The parts of a running node, one folder each. DESIGN.md has the order in which to read them."""
