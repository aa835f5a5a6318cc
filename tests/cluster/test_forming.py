"""What a node needs to be let into a cluster, and what it refuses to do without."""

import asyncio

import pytest

from corvo.actors.cluster.wire_versions import FORMATS, check_formats
from corvo.config import Config, ConfigError, load
from corvo.core.errors import MembershipRefused
from corvo.node import clustering, discovery
from corvo.node.clustering import ClusterProblem, link_keys, link_tls, may_link, own_seat
from corvo.node.discovery import Discovery, resolve
from tests.consensus.link.mesh_peers import new_authority
from tests.support.cluster import cluster_of


@pytest.mark.parametrize("address", ["127.0.0.1:9400", "localhost:9400", "[::1]:9400", "127.3.2.1:1"])
def test_without_a_secret_there_is_no_link_even_on_the_machine_itself(address):
    assert not may_link(Config(raft_bind=address))
    assert may_link(Config(raft_bind=address, insecure_open=True))
    assert may_link(Config(raft_bind=address, cluster_secret="long enough to be one"))


def test_a_node_with_api_keys_has_no_link_without_a_secret():
    """Any process of the machine could do by the link what it has no key for."""
    assert not may_link(Config(), has_keys=True)
    assert not may_link(Config(insecure_open=True), has_keys=True)
    assert may_link(Config(cluster_secret="long enough to be one"), has_keys=True)


@pytest.mark.parametrize("address", ["0.0.0.0:9400", ":9400", "[::]:9400", "10.0.0.5:9400", "corvo-0:9400"])
def test_a_link_that_others_can_reach_is_not_opened_unguarded(address):
    for config in (Config(raft_bind=address), Config(raft_bind=address, insecure_open=True)):
        with pytest.raises(ClusterProblem, match="nothing protects it"):
            may_link(config)
    assert may_link(Config(raft_bind=address, cluster_secret="long enough to be one"))


def test_a_short_secret_is_none(tmp_path):
    with pytest.raises(ClusterProblem, match="at least 16"):
        link_keys(Config(cluster_secret="short"))
    with pytest.raises(ClusterProblem, match="at least 16"):
        link_keys(Config(cluster_secret="long enough to be one", cluster_secret_next="short"))
    (tmp_path / "secret").write_text("short\n")
    with pytest.raises(ClusterProblem, match=r"a line of .*secret has 5 characters"):
        link_keys(Config(cluster_secret_file=str(tmp_path / "secret")))


def test_a_file_holds_one_secret_or_two(tmp_path):
    file = tmp_path / "secret"
    one, two = "long enough to be one", "another long enough to be one"
    file.write_text(f"{one}\n")
    assert link_keys(Config(cluster_secret_file=str(file))) == link_keys(Config(cluster_secret=one))
    file.write_text(f"{one}\n\n  {two}\n")
    both = Config(cluster_secret=one, cluster_secret_next=two)
    assert link_keys(Config(cluster_secret_file=str(file))) == link_keys(both)
    assert len(link_keys(both)) == 2
    assert len(link_keys(Config(cluster_secret=one, cluster_secret_next=one))) == 1
    file.write_text(f"{one}\n{two}\n{one} more\n")
    with pytest.raises(ClusterProblem, match="has 3 lines"):
        link_keys(Config(cluster_secret_file=str(file)))
    file.write_text("\n")
    with pytest.raises(ClusterProblem, match="is empty"):
        link_keys(Config(cluster_secret_file=str(file)))
    with pytest.raises(ClusterProblem, match="cannot be read"):
        link_keys(Config(cluster_secret_file=str(tmp_path / "none")))
    with pytest.raises(ClusterProblem, match="no other secret beside it"):
        link_keys(Config(cluster_secret_file=str(file), cluster_secret=one))
    with pytest.raises(ClusterProblem, match="the first is --cluster-secret"):
        link_keys(Config(cluster_secret_next=two))


def test_a_secret_on_the_command_line_is_warned_about(tmp_path):
    secret = "long enough to be one"
    _, warnings = load({"cluster_secret": secret}, {})
    assert len(warnings) == 1
    assert "--cluster-secret on the command line can be read by every user" in warnings[0]
    assert secret not in warnings[0]
    assert load({}, {"CORVO_CLUSTER_SECRET": secret})[1] == []
    assert load({"cluster_secret_file": "f"}, {})[1] == []


@pytest.mark.parametrize("node_id", ["", "n 1", "n1\n", "../n1", "n" * 65])
def test_a_node_has_a_plain_name(node_id):
    with pytest.raises(ConfigError, match="node_id"):
        load({"node_id": node_id}, {})


def test_certificates_come_with_key_and_authority_or_not_at_all(tmp_path):
    with pytest.raises(ClusterProblem, match="all three"):
        link_tls(Config(cluster_cert="a.pem"))
    with pytest.raises(ClusterProblem, match="cannot be used"):
        link_tls(Config(cluster_cert="a.pem", cluster_key="a.key", cluster_ca=str(tmp_path / "none.pem")))


def test_a_node_is_found_where_it_says_or_where_it_listens(monkeypatch):
    monkeypatch.setattr(clustering.socket, "gethostname", lambda: "box")
    seat = own_seat(Config(), "127.0.0.1:9400", "0.0.0.0:8080")
    assert (seat.raft, seat.http) == ("127.0.0.1:9400", "box:8080")
    seat = own_seat(Config(raft_advertise="corvo-0.corvo:9400", http_advertise="x:1"), "[::]:1", ":2")
    assert (seat.raft, seat.http) == ("corvo-0.corvo:9400", "x:1")


@pytest.mark.parametrize(
    "settings",
    [
        {"raft_advertise": "http://h:1"},
        {"raft_advertise": "h"},
        {"raft_advertise": "h:1 "},
        {"http_advertise": "javascript:alert(1)"},
        {"http_advertise": "h:1/path"},
    ],
)
def test_what_others_could_not_use_as_an_address_is_refused(settings):
    with pytest.raises(ClusterProblem, match="is no address"):
        own_seat(Config(**settings), "127.0.0.1:9400", "127.0.0.1:8080")
    own_seat(Config(http_advertise="https://corvo.example.com"), "[::1]:9400", "[::1]:8080")


def test_a_node_that_writes_in_another_format_is_refused_with_a_sentence():
    check_formats(FORMATS)
    check_formats(FORMATS | {"ops": FORMATS["ops"] + 5})
    with pytest.raises(MembershipRefused, match="same version"):
        check_formats(FORMATS | {"store": 99})
    with pytest.raises(MembershipRefused, match="upgrade it"):
        check_formats(FORMATS | {"ops": 1})
    with pytest.raises(MembershipRefused, match="does not know the keys"):
        check_formats({name: number for name, number in FORMATS.items() if name != "roster"})


# Discovery


class Village:
    """Nodes behind one name, each at an address of its own; some belong to a cluster and take others in."""

    def __init__(self, monkeypatch, *addresses, members=()):
        monkeypatch.setattr(discovery, "_ROUND_S", 0.0)
        self.names = {"corvo": sorted(addresses), "me": ["10.0.0.1"]}
        self.members = set(members)
        self.asked = []

    async def resolve(self, name):
        return self.names.get(name, [])

    async def try_join(self, ask, address, *, quietly):
        self.asked.append(address)
        return {"corvo-1": address} if address in self.members else None

    async def find(self, node_id, expect=3):
        config = Config(node_id=node_id, discover_dns_name="corvo", bootstrap_expect=expect)
        async with asyncio.timeout(1):
            return await Discovery(config, "me:9400", self.resolve).find(self, None)


async def test_the_first_of_as_many_as_expected_begins_the_cluster(monkeypatch):
    village = Village(monkeypatch, "10.0.0.1", "10.0.0.2", "10.0.0.3")
    assert await village.find("corvo-0") is None
    assert set(village.asked) == {"10.0.0.2:9400", "10.0.0.3:9400"}
    assert await village.find("corvo") is None  # Without a number the lowest address is the first.


async def test_the_others_wait_until_they_are_taken_in(monkeypatch):
    village = Village(monkeypatch, "10.0.0.1", "10.0.0.2", "10.0.0.3")
    with pytest.raises(TimeoutError):
        await village.find("corvo-2")
    village.members = {"10.0.0.3:9400"}
    assert await village.find("corvo-2") == {"corvo-1": "10.0.0.3:9400"}


async def test_the_first_waits_for_as_many_as_are_expected(monkeypatch):
    village = Village(monkeypatch, "10.0.0.1", "10.0.0.2")
    with pytest.raises(TimeoutError):
        await village.find("corvo-0")


async def test_the_first_joins_a_cluster_that_is_there_already(monkeypatch):
    """It lost its data; to begin another cluster would be to forget everything."""
    village = Village(monkeypatch, "10.0.0.1", "10.0.0.2", "10.0.0.3", members={"10.0.0.2:9400"})
    assert await village.find("corvo-0") == {"corvo-1": "10.0.0.2:9400"}


async def test_a_name_that_is_not_known_yet_is_asked_again():
    assert await resolve("no-such-name.invalid") == []
    assert "127.0.0.1" in await resolve("localhost")


@pytest.mark.slow
async def test_a_cluster_with_certificates_instead_of_a_secret(tmp_path):
    authority = new_authority()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    files = {}
    for name in ("n1", "n2"):
        certificate = authority.issue_cert(f"{name}.example", common_name=name)
        certificate.cert_chain_pems[0].write_to_path(tmp_path / f"{name}.pem")
        certificate.private_key_pem.write_to_path(tmp_path / f"{name}.key")
        files[name] = {
            "cluster_cert": str(tmp_path / f"{name}.pem"),
            "cluster_key": str(tmp_path / f"{name}.key"),
            "cluster_ca": str(tmp_path / "ca.pem"),
            "cluster_secret": "",
        }
    async with cluster_of(tmp_path) as cluster:
        await cluster.start("n1", **files["n1"])
        await cluster.start("n2", **files["n2"])
        await cluster.until_settled(2)
        job_id = await cluster.client("n2").enqueue()
        assert (await cluster.client("n1").fetch("q"))["job_id"] == job_id
