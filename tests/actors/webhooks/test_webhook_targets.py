"""Where webhooks may go. Rows of the table are addresses used to get where nobody should."""

from ipaddress import ip_address

import pytest

from corvo.actors.webhooks.webhook_targets import (
    TargetRefused,
    WebhookTarget,
    addresses,
    check_literal,
    is_public,
    parse_target,
    system_resolve,
)

NOT_PUBLIC = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",  # metadata of a cloud
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",  # metadata of another
    "169.254.0.1",
    "169.254.169.254",  # and of most
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",  # IPv4-mapped
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",  # IPv4-compatible
    "::ffff:0:127.0.0.1",  # IPv4-translated
    "2002:7f00:1::",  # 6to4
    "2002:a9fe:a9fe::1",
    "2002:c0a8:101::",
    "64:ff9b::7f00:1",  # NAT64
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::192.168.0.1",
    "64:ff9b:1::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",  # Teredo
    "2600::5efe:10.0.0.1",  # ISATAP
    "2600::200:5efe:127.0.0.1",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "172.32.0.1",
    "2606:4700:4700::1111",
    "64:ff9b::8.8.8.8",
    "::ffff:8.8.8.8",
]


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_an_address_that_is_not_public_is_known_as_such(text):
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_is_known_as_such(text):
    assert is_public(ip_address(text))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "//example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com:70/_x",
        "http://",
        "http:///path",
        "http://user@example.com/",
        "http://user:word@example.com/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://example.com:port/",
        "http://[fe80::1%25eth0]/",
        "http://exa mple.com/",
        "http://example.com/\r\nHost: other",
        "http://ex\u00e4mple.com/",
        "http://[::1/",
        "http://%31%32%37.0.0.1/",
    ],
)
def test_an_address_that_is_not_sound_is_refused_without_repeating_it(url):
    with pytest.raises(TargetRefused) as refused:
        parse_target(url)
    assert "word" not in str(refused.value).replace("password", "")


def test_the_parts_of_an_address():
    assert parse_target("https://Example.com") == WebhookTarget("https", "example.com", 443, "/")
    target = parse_target("http://example.com:8080/a/b?c=d#e")
    assert target == WebhookTarget("http", "example.com", 8080, "/a/b?c=d")
    assert target.host_header == "example.com:8080"
    assert parse_target("http://[2606:4700::1]/").host_header == "[2606:4700::1]"
    assert parse_target("https://example.com:443/").host_header == "example.com"


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254"])
def test_a_private_address_in_numbers_is_refused_before_anything_is_sent(host):
    target = parse_target(f"http://{host}/")
    with pytest.raises(TargetRefused, match="not a public address"):
        check_literal(target, allow_private=False)
    check_literal(target, allow_private=True)


def resolving(*answers):
    """A resolver that gives one answer after the other."""
    left = list(answers)

    async def resolve(host, port):
        return left.pop(0)

    return resolve


async def test_one_private_address_among_public_ones_spoils_them_all():
    target = parse_target("http://tricky.test/")
    with pytest.raises(TargetRefused, match=r"10\.0\.0\.1"):
        await addresses(target, resolving(["8.8.8.8", "10.0.0.1"]), allow_private=False)
    found = await addresses(target, resolving(["8.8.8.8", "10.0.0.1"]), allow_private=True)
    assert found == ["8.8.8.8", "10.0.0.1"]


async def test_a_name_without_an_address_is_refused():
    with pytest.raises(TargetRefused, match="no address"):
        await addresses(parse_target("http://nowhere.test/"), resolving([]), allow_private=True)


@pytest.mark.parametrize("host", ["0x7f.1", "2130706433", "127.1", "017700000001"])
async def test_loopback_in_disguise_is_seen_through_by_what_it_resolves_to(host):
    target = parse_target(f"http://{host}/")
    check_literal(target, allow_private=False)
    with pytest.raises((TargetRefused, OSError)):
        await addresses(target, system_resolve, allow_private=False)
