import pytest

from corvo.core.namespace import qualified
from corvo.core.sealing.patterns import Patterns


@pytest.mark.parametrize(
    ("text", "namespace", "queue", "covered"),
    [
        ("default/payments", "default", "payments", True),
        ("default/payments", "default", "payments2", False),
        ("default/payments", "acme", "payments", False),
        ("acme/*", "acme", "anything", True),
        ("acme/*", "default", "anything", False),
        ("*/secret-*", "acme", "secret-1", True),
        ("*/secret-*", "acme", "open", False),
        ("a/b, default/x", "default", "x", True),
        ("", "default", "x", False),
    ],
)
def test_a_queue_is_sealed_if_a_pattern_names_it(text, namespace, queue, covered):
    assert Patterns(text).covers(qualified(namespace, queue)) is covered


@pytest.mark.parametrize("text", ["payments", "/x", "x/", "a/b/c"])
def test_what_does_not_name_namespace_and_queue_is_refused(text):
    with pytest.raises(ValueError, match="namespace and a queue"):
        Patterns(text)
