import pytest

from corvo.core.errors import REGISTRY, CorvoError, NotFound


def test_every_error_has_a_code_a_status_and_a_sentence_of_help():
    for code, cls in REGISTRY.items():
        assert cls.code == code
        assert 400 <= cls.status < 600
        assert cls.hint().endswith(".")


def test_a_code_can_be_taken_only_once():
    with pytest.raises(AssertionError, match="NOT_FOUND is taken"):
        type("Other", (CorvoError,), {"__doc__": "Text.", "code": NotFound.code})


def test_an_error_without_help_is_refused():
    with pytest.raises(AssertionError, match="docstring"):
        type("Bare", (CorvoError,), {"code": "BARE"})
