"""The key by which a cluster knows a node, and the file it is kept in."""

import pytest

from corvo.consensus.identity import IdentityDamaged, NodeIdentity, has_signed


def test_a_node_has_the_same_key_after_every_start(tmp_path):
    first = NodeIdentity.of_file(tmp_path / "node.key")
    again = NodeIdentity.of_file(tmp_path / "node.key")
    assert first.public == again.public
    assert has_signed(first.public, again.sign(b"said"), b"said")
    assert NodeIdentity.of_file(tmp_path / "other.key").public != first.public


def test_nobody_else_may_read_the_file(tmp_path):
    file = tmp_path / "node.key"
    NodeIdentity.of_file(file)
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    NodeIdentity.of_file(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["node.key"]


def test_a_draft_that_a_node_was_killed_over_is_no_key(tmp_path):
    (tmp_path / "node.tmp").write_text("half a k")
    NodeIdentity.of_file(tmp_path / "node.key")
    assert [path.name for path in tmp_path.iterdir()] == ["node.key"]


@pytest.mark.parametrize("content", [b"", b"no key", b"\xff\xfe"])
def test_a_damaged_file_is_refused_with_what_to_do(tmp_path, content):
    (tmp_path / "node.key").write_bytes(content)
    with pytest.raises(IdentityDamaged, match=r"node.key is no key of a node.*corvo cluster forget-key"):
        NodeIdentity.of_file(tmp_path / "node.key")


def test_only_the_holder_of_a_key_signs_for_it():
    one, other = NodeIdentity.generate(), NodeIdentity.generate()
    signature = one.sign(b"said")
    assert has_signed(one.public, signature, b"said")
    assert not has_signed(other.public, signature, b"said")
    assert not has_signed(one.public, signature, b"unsaid")
    assert not has_signed(b"", b"", b"said")
    assert not has_signed(b"k" * 31, signature, b"said")
