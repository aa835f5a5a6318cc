"""Who may do what: keys and roles on their way to the edge, and what the edge notes of their use."""
