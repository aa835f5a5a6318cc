"""What the producers and workers of each peer do; run by the interpreter of that peer."""
