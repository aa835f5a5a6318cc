"""Namespaces: one encoding of (namespace, name), and what a reach covers."""

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.core.namespace import (
    ANYWHERE,
    DEFAULT,
    Reach,
    covers,
    is_namespace,
    matches,
    name_of,
    namespace_of,
    qualified,
)

namespaces = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True) | st.just(DEFAULT)
names = st.text(
    st.characters(exclude_characters="\x1f", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12
)


@given(namespaces, names)
def test_a_qualified_name_gives_back_what_it_was_made_of(namespace: str, name: str) -> None:
    made = qualified(namespace, name)
    assert (namespace_of(made), name_of(made)) == (namespace, name)


@given(namespaces, names, namespaces, names)
def test_two_pairs_never_share_an_encoding(one: str, name: str, other: str, other_name: str) -> None:
    same = qualified(one, name) == qualified(other, other_name)
    assert same == ((one, name) == (other, other_name))


def test_names_of_the_default_namespace_are_as_they_always_were() -> None:
    assert qualified(DEFAULT, "emails") == "emails"


@pytest.mark.parametrize("name", ["a", "a-b", "0", "x" * 63])
def test_a_namespace_has_lower_case_letters_digits_and_inner_hyphens(name: str) -> None:
    assert is_namespace(name)


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a_b", "a\x1fb", "x" * 64, "ä", "a\n"])
def test_other_names_are_no_namespace(name: str) -> None:
    assert not is_namespace(name)


def test_a_reach_covers_its_own_namespace_only() -> None:
    acme = Reach("acme")
    assert acme.covers(qualified("acme", "emails"))
    assert not acme.covers(qualified(DEFAULT, "emails"))
    assert not acme.covers(qualified("acme2", "emails"))
    assert covers(None, qualified(DEFAULT, "emails"))
    assert not covers(None, qualified("acme", "emails"))
    assert ANYWHERE.covers(qualified("acme", "emails"))
    assert ANYWHERE.covers(qualified(DEFAULT, "emails"))


def test_a_scope_names_queues_by_globs_within_the_namespace() -> None:
    mails = Reach("acme", ("mail.*", "news"))
    assert mails.covers(qualified("acme", "mail.out"))
    assert mails.covers(qualified("acme", "news"))
    assert not mails.covers(qualified("acme", "newsletter"))
    assert not mails.covers(qualified(DEFAULT, "news"))


@given(st.text("ab*", max_size=8), st.text("ab", max_size=10))
def test_a_star_stands_for_any_characters(glob: str, name: str) -> None:
    assert matches(name, (glob,)) == fnmatch.fnmatchcase(name, glob)


def test_many_stars_take_no_time() -> None:
    assert not matches("a" * 200, ("*a" * 100 + "b",))
