"""Bodies of requests and responses, one file per file in routes/."""
