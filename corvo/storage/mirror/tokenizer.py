"""Tokenizer: takes a text apart into words for full-text search, in the manner of FTS5's `unicode61`.

Words are runs of letters and digits, without regard to case and accents. A word that is asked for matches
every word that begins with it.
"""

import re
import unicodedata
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
_TERMS_MAX: Final = 16
_WORD_CHARS_MAX: Final = 100


def words(text: str) -> list[str]:
    text = text.lower()
    if not text.isascii():
        # Taken apart, an accent is a character of its own, and is dropped.
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    return _WORD.findall(text)


def terms(asked: str) -> list[str]:
    """The words of a question, each once."""
    return list(dict.fromkeys(word[:_WORD_CHARS_MAX] for word in words(asked)))[:_TERMS_MAX]


def is_indexed_whole(term: str) -> bool:
    """Whether FTS5 is sure to see one word here. It knows letters of Unicode 6.1; Python may know newer ones,
    at which FTS5 would break the word in two."""
    return all(unicodedata.ucd_3_2_0.category(character)[0] in "LN" for character in term)


def has_words(terms_: str, *texts: str | None) -> bool:
    """For use in SQL: whether every one of the terms, separated by spaces, begins a word of the texts."""
    found = [word for text in texts if text is not None for word in words(text)]
    return all(any(word.startswith(term) for word in found) for term in terms_.split(" "))
