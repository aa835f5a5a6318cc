"""The query language: one line of text in, the filter of a search out (docs/reference/query-language.md)."""
