"""Keys and roles by the SDK, and where it has its own key from."""

import pytest

from chaos.process import Server, free_port
from corvo.core.access.api_key import new_key
from corvo_sdk import AsyncClient, Client, errors
from tests.sdk.conftest import QUICK


@pytest.fixture(scope="module")
def root():
    return new_key()


@pytest.fixture(scope="module")
def url(tmp_path_factory, root):
    """A server that wants a key."""
    folder = tmp_path_factory.mktemp("shut")
    (folder / "api.key").write_text(root)
    flags = ("--durable", "off", "--raft-bind", "127.0.0.1:0", "--api-key-file", str(folder / "api.key"))
    server = Server(folder / "data", free_port(), *flags)
    server.start()
    yield f"http://127.0.0.1:{server.port}"
    server.close()


@pytest.fixture
def admin(url, root):
    with Client(url, api_key=root, retry=QUICK) as client:
        yield client


@pytest.fixture
def using(url):
    """A client with this key."""
    clients = []

    def using(api_key, **options):
        clients.append(Client(url, api_key=api_key, retry=QUICK, **options))
        return clients[-1]

    yield using
    for client in clients:
        client.close()


def test_without_a_key_nothing_is_done_and_the_class_says_why(url, using):
    with Client(url, retry=QUICK) as nobody:
        with pytest.raises(errors.Unauthorized, match="wants a credential"):
            nobody.queues.all()
        assert nobody.server.needs_key() is True
        assert nobody.server.health().status == "ok"
    with pytest.raises(errors.Unauthorized):
        using(new_key()).whoami()


def test_a_key_lives_from_its_making_to_its_end(admin, using):
    made = admin.keys.create(
        "mailer", role="worker", queues=["mail-*", "reports"], expires_at="2099-01-01T00:00:00Z"
    )
    mailer = using(made.api_key)
    who = mailer.whoami()
    assert (who.principal, who.role, who.queue_scope) == ("key:mailer", "worker", ["mail-*", "reports"])
    with pytest.raises(errors.Forbidden):
        mailer.enqueue("elsewhere")
    (key,) = [key for key in admin.keys.all() if key.name == "mailer"]
    assert (key.id, key.queue_scope, key.expires_at.year) == (made.id, "mail-*,reports", 2099)
    rotated = admin.keys.rotate(made.id, overlap="1h")
    assert using(rotated.api_key).whoami().principal == mailer.whoami().principal
    admin.keys.update(made.id, role="producer", queues=[])
    assert mailer.whoami().role == "producer"
    admin.keys.disable(made.id)
    with pytest.raises(errors.Unauthorized):
        mailer.whoami()
    admin.keys.enable(made.id)
    mailer.whoami()
    admin.keys.delete(made.id)
    with pytest.raises(errors.Unauthorized):
        mailer.whoami()


def test_a_role_lives_from_its_making_to_its_end(admin, using):
    admin.roles.set("pauser", {"queues": ["read", "pause"]})
    assert [role.holds for role in admin.roles.all() if role.name == "pauser"] == [
        ["queues:pause", "queues:read"]
    ]
    made = admin.keys.create("oncall", role="producer")
    admin.keys.grant(made.id, "pauser")
    assert admin.keys.roles(made.id) == ["pauser"]
    using(made.api_key).queues.all()
    admin.keys.revoke(made.id, "pauser")
    with pytest.raises(errors.Forbidden):
        using(made.api_key).queues.all()
    admin.roles.delete("pauser")
    with pytest.raises(errors.AccessRefused):
        admin.roles.set("admin", {"queues": ["read"]})


async def test_the_asyncio_client_does_the_same(url, root):
    async with AsyncClient(url, api_key=root) as client:
        made = await client.keys.create("aio", role="readonly")
        assert made.id in [key.id for key in await client.keys.all()]
        assert (await client.whoami()).principal == "key:file"


def test_what_was_said_wins_over_the_environment(url, root, tmp_path, monkeypatch):
    file = tmp_path / "root.key"
    file.write_text(root + "\n")
    monkeypatch.setenv("CORVO_API_KEY", new_key())
    with Client(url, api_key_file=str(file)) as client:
        assert client.whoami().principal == "key:file"
    monkeypatch.delenv("CORVO_API_KEY")
    monkeypatch.setenv("CORVO_API_KEY_FILE", str(file))
    with Client(url) as client:
        assert client.whoami().principal == "key:file"


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_file_without_a_key_is_told_at_once(tmp_path, text):
    file = tmp_path / "no.key"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ValueError, match="file of the API key"):
        Client("http://127.0.0.1:1", api_key_file=str(file))
