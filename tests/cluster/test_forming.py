"""What a node needs to be let into a cluster, and what it refuses to do without."""

import pytest

from corvo import clustering
from corvo.actors.formats import FORMATS, check_formats
from corvo.clustering import ClusterProblem, check_exposure, link_key, link_tls, own_seat
from corvo.config import Config
from corvo.core.errors import MembershipRefused
from tests.consensus.mesh_peers import new_authority
from tests.support.cluster import cluster_of


@pytest.mark.parametrize("address", ["127.0.0.1:9400", "localhost:9400", "[::1]:9400", "127.3.2.1:1"])
def test_on_the_machine_itself_the_link_needs_no_secret(address):
    check_exposure(Config(raft_bind=address))


@pytest.mark.parametrize("address", ["0.0.0.0:9400", ":9400", "[::]:9400", "10.0.0.5:9400", "corvo-0:9400"])
def test_a_link_that_others_can_reach_is_not_opened_unguarded(address):
    with pytest.raises(ClusterProblem, match="nothing protects it"):
        check_exposure(Config(raft_bind=address))
    check_exposure(Config(raft_bind=address, cluster_secret="long enough to be one"))


def test_a_short_secret_is_none():
    with pytest.raises(ClusterProblem, match="at least 16"):
        link_key(Config(cluster_secret="short"))


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


def test_a_node_that_writes_in_another_format_is_refused_with_a_sentence():
    check_formats(FORMATS)
    check_formats(FORMATS | {"ops": FORMATS["ops"] + 5})
    with pytest.raises(MembershipRefused, match="same version"):
        check_formats(FORMATS | {"store": 99})
    with pytest.raises(MembershipRefused, match="upgrade it"):
        check_formats(FORMATS | {"ops": 1})


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
