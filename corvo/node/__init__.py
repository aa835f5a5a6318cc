"""One running node: read node.py, wiring.py and tuning.py, then joining.py, discovery.py, clustering.py."""
