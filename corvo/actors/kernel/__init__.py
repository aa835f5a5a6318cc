"""The actor kernel: write actors with `api`, run them with `loop` or `sim`. Why it is so: DESIGN.md."""
