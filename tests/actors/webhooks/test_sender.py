"""Parcels over real sockets."""

import asyncio
import ssl

import pytest
import trustme

from corvo.actors.webhooks.messages import OutgoingPost
from corvo.actors.webhooks.sender import HttpSender, SenderSettings
from corvo.core.clock import SystemClock
from tests.support.node import until
from tests.support.receiver import receiving


class Post:
    """A sender, and the receipts that came back."""

    def __init__(self, timeout_s=5.0, allow_private=True, **options):
        self.receipts = []
        settings = SenderSettings(timeout_s, allow_private)
        self.sender = HttpSender(self._tell, settings, SystemClock(), **options)

    def _tell(self, address, message):
        self.receipts.append((message.tag, message.receipt))

    async def send(self, url, body=b"{}", headers=()):
        before = len(self.receipts)
        self.sender.post(OutgoingPost(url, body, tuple(headers)), None, "tag")
        await until(lambda: len(self.receipts) > before)
        return self.receipts[-1][1]


@pytest.fixture
async def receiver():
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def post():
    made = []

    def make(**options):
        made.append(Post(**options))
        return made[-1]

    yield make
    for each in made:
        await each.sender.close()


async def test_a_post_arrives_as_it_was_sent(receiver, post):
    receipt = await post().send(receiver.url + "?a=b", b'{"a":1}', [("X-Corvo-Webhook-ID", "wh_1")])
    assert (receipt.status, receipt.error) == (200, None)
    (received,) = receiver.got
    assert (received.path, received.body) == ("/hook?a=b", b'{"a":1}')
    assert received.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert received.headers["x-corvo-webhook-id"] == "wh_1"


async def test_parcels_to_one_place_share_a_connection(receiver, post):
    sender = post()
    for _ in range(5):
        assert (await sender.send(receiver.url)).error is None
    assert [received.connection for received in receiver.got] == [1] * 5


async def test_a_connection_that_the_receiver_closed_is_opened_anew(receiver, post):
    sender = post()
    receiver.headers = [("Connection", "close")]
    for _ in range(2):
        assert (await sender.send(receiver.url)).error is None
    receiver.headers = []
    assert (await sender.send(receiver.url)).error is None
    receiver.plan = ["cut"]
    assert (await sender.send(receiver.url)).error is None
    assert [received.connection for received in receiver.got] == [1, 2, 3, 3, 4]


async def test_a_receiver_that_gives_up_an_idle_connection_with_a_word_is_asked_again(receiver, post):
    sender = post()
    assert (await sender.send(receiver.url)).error is None
    receiver.plan = [408]
    assert (await sender.send(receiver.url)).error is None
    receiver.headers = [("Connection", "close")]
    await sender.send(receiver.url)
    receiver.plan = [408]
    assert (await sender.send(receiver.url)).status == 408


@pytest.mark.parametrize("status", [301, 302, 307, 400, 404, 410, 429, 500, 503])
async def test_anything_but_a_success_is_a_failure_and_redirects_are_not_followed(receiver, post, status):
    receiver.usual = status
    receiver.headers = [("Location", receiver.url + "/elsewhere")]
    receipt = await post().send(receiver.url)
    assert (receipt.status, receipt.error) == (status, f"the receiver answered {status}")
    assert len(receiver.got) == 1


async def test_a_receiver_that_does_not_answer_is_not_waited_for(receiver, post):
    receiver.usual = "hang"
    receipt = await post(timeout_s=0.2).send(receiver.url)
    assert (receipt.status, receipt.error) == (None, "no answer within 0.2 s")


async def test_a_receiver_that_hangs_up_or_is_not_there_is_a_failure(receiver, post):
    receiver.usual = "cut"
    sender = post()
    assert "hung up" in (await sender.send(receiver.url)).error
    async with receiving() as other:
        nobody = other.url
    assert "cannot be reached" in (await sender.send(nobody)).error


async def test_a_receiver_that_talks_too_much_is_not_listened_to(receiver, post):
    receiver.answer_body = b"x" * 1_000_000
    sender = post()
    assert (await sender.send(receiver.url)).error is None
    receiver.answer_body = b""
    assert (await sender.send(receiver.url)).error is None
    assert receiver.connections == 2


async def test_private_addresses_are_refused_unless_allowed(receiver, post):
    sender = post(allow_private=False)
    receipt = await sender.send(receiver.url)
    assert "not a public address" in receipt.error
    assert (await sender.send(f"http://localhost:{receiver.port}/")).status is None
    assert receiver.connections == 0


async def test_a_name_that_changes_its_mind_gains_nothing(receiver, post):
    """DNS rebinding: public when checked, private a moment later. The name is asked once per connection, and
    the connection goes to what that one answer said."""
    answers = [["192.0.2.1"], ["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"]]
    asked = []

    async def resolve(host, port):
        asked.append(host)
        return answers[len(asked) - 1]

    sender = post(allow_private=False, resolve=resolve)
    for number in range(len(answers)):
        receipt = await sender.send(f"http://rebind.test:{receiver.port}/")
        assert "not a public address" in receipt.error
        assert asked == ["rebind.test"] * (number + 1)
    assert receiver.connections == 0


async def test_the_connection_goes_to_the_checked_address_and_the_name_stays_the_name(receiver, post):
    async def resolve(host, port):
        assert (host, port) == ("hooks.test", receiver.port)
        return ["127.0.0.1"]

    sender = post(resolve=resolve)
    assert (await sender.send(f"http://hooks.test:{receiver.port}/")).error is None
    assert receiver.got[0].headers["host"] == f"hooks.test:{receiver.port}"


async def test_an_address_that_does_not_answer_is_followed_by_the_next(receiver, post):
    async def resolve(host, port):
        return ["127.0.0.2", "127.0.0.1"]

    assert (await post(resolve=resolve).send(f"http://hooks.test:{receiver.port}/")).error is None


async def test_with_tls_the_certificate_must_be_that_of_the_name(post):
    authority = trustme.CA()
    server_tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("hooks.test").configure_cert(server_tls)
    client_tls = ssl.create_default_context()
    authority.configure_trust(client_tls)

    async def resolve(host, port):
        return ["127.0.0.1"]

    async with receiving(server_tls) as receiver:
        sender = post(resolve=resolve, tls=client_tls)
        assert (await sender.send(f"https://hooks.test:{receiver.port}/")).error is None
        assert (await sender.send(f"https://hooks.test:{receiver.port}/")).error is None
        refused = await sender.send(f"https://other.test:{receiver.port}/")
        assert "TLS with other.test failed" in refused.error
        assert len(receiver.got) == 2
        await sender.sender.close()


async def test_closing_drops_what_is_under_way(receiver, post):
    receiver.usual = "hang"
    sender = post()
    sender.sender.post(OutgoingPost(receiver.url, b"{}", ()), None, "tag")
    await until(lambda: receiver.got)
    await asyncio.wait_for(sender.sender.close(), 2)
    assert sender.receipts == []
