"""What nodes must have in common is complete, and what differs is said in words that help."""

import ast
from pathlib import Path

import pytest

import corvo
from corvo.actors.cluster.shared_settings import LIMITS, SETTINGS, objection, shared_settings_of
from corvo.config import Config, settings

ROOT = Path(corvo.__file__).parent
#: Settings in which nodes may differ: where a node is, what it is given, how fast it works.
OF_THE_NODE = {
    *("bind", "data_dir", "node_id", "raft_bind", "raft_advertise", "http_advertise"),
    *("api_key_file", "insecure_open"),
    *("bootstrap", "join", "discover", "discover_dns_name", "bootstrap_expect", "change_settings"),
    *("cluster_secret_next", "cluster_secret_file", "insecure_open"),
    *("cluster_secret", "cluster_cert", "cluster_key", "cluster_ca", "leader_wait", "durable"),
    *("apply_batch_max", "apply_batch_window_us", "apply_batch_min_wait_us", "apply_batch_extend_at"),
    *("raft_max_pending", "raft_max_fetch_inflight", "snapshot_threshold", "snapshot_bytes"),
    *("edge", "edge_workers", "loop", "seal", "seal_keys", "seal_keys_command"),
    *("shutdown_timeout", "idle_timeout", "body_timeout", "max_header_size", "cors_origin", "docs_enabled"),
    "allowed_hosts",
    "audit_to",
    "oidc_client_secret_file",
    "redact_fields",
    "max_connections",
    "max_connections_per_address",
    *("send_timeout", "request_memory_bytes", "answer_memory_bytes"),
    "tls_cert",
    "tls_client_auth",
    "tls_client_ca",
    "tls_key",
    *("rate_limit_enabled", "rate_limit_read_rps", "rate_limit_read_burst", "trusted_proxies"),
    *("rate_limit_write_rps", "rate_limit_write_burst", "log_level", "log_format", "chaos"),
}


def test_of_every_setting_it_is_known_whether_nodes_may_differ_in_it():
    assert {setting.name for setting in settings()} == OF_THE_NODE | set(SETTINGS)
    assert not OF_THE_NODE & set(SETTINGS)


def test_every_limit_that_what_is_replicated_depends_on_is_compared():
    read = {
        alias.name
        for folder in ("fsm", "ops", "storage", "core")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "corvo.core.limits"
        for alias in node.names
    }
    # What the code does itself is known by its number.
    assert read | {"STATE_MACHINE_REVISION"} == set(LIMITS)


def test_nodes_that_agree_are_not_disturbed():
    assert (
        objection("n2", shared_settings_of(Config()), shared_settings_of(Config(node_id="n1", bind="x:1")))
        is None
    )


def test_what_only_one_version_knows_is_not_compared():
    rules = shared_settings_of(Config())
    assert objection("n2", rules | {"a_new_setting": 1}, rules) is None
    assert objection("n2", rules, rules | {"a_new_setting": 1}) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"retention": 3_600_000}, "--retention is 1h on n2 and 168h in the cluster"),
        ({"max_payload_size": 9}, "--max-payload-size is 9 on n2 and 262144 in the cluster"),
        ({"require_lease_token": True}, "--require-lease-token is on on n2 and off in the cluster"),
    ],
)
def test_each_difference_is_named_with_both_values_and_what_to_do(given, said):
    reason = objection("n2", shared_settings_of(Config(**given)), shared_settings_of(Config()))
    assert said in reason
    assert "--change-settings" in reason


def test_all_differences_are_named_at_once():
    own = Config(retention=1_000, lifecycle_events_kept=5_000)
    reason = objection("n2", shared_settings_of(own), shared_settings_of(Config()))
    assert "--retention is" in reason
    assert "; --lifecycle-events-kept is 5000 on n2" in reason


def test_another_limit_means_another_version():
    rules = shared_settings_of(Config())
    reason = objection("n2", rules | {"QUEUES_MAX": 5}, rules)
    assert reason.startswith("QUEUES_MAX is 5 on n2 and 100000 in the cluster. Run the same version")
