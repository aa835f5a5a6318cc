"""Reference pages that are printed from the code itself: `make docs` writes them to docs/reference.

    commands, settings, errors, metrics -> [reference] -> docs/reference/*.md, corvo.toml

tests/cli/test_reference.py fails if a page is not what the code says.
"""
