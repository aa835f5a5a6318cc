"""Settings: one frozen struct, described where declared.

    flag  >  environment (CORVO_*)  >  file (--config, TOML)  >  default

`corvo serve --help`, docs/reference/settings.md and corvo.toml beside it are printed from it. It is built
once and handed to constructors; no part of the node reads the environment later.
"""

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from corvo.core import limits
from corvo.core.errors import CorvoError
from corvo.core.hosts import NODE_ID_CHARS_MAX, NODE_ID_PATTERN

#: Marks a number of milliseconds that people write as 30s or 1h30m.
DURATION: Final = {"unit": "duration"}


def _doc(text: str, **limits_: Any) -> Meta:
    return Meta(description=text, **limits_)


def _duration(text: str, **limits_: Any) -> Meta:
    return Meta(description=text, extra=DURATION, **limits_)


class ConfigError(CorvoError):
    """A setting is unknown or has a value that is not allowed. Correct the flag, variable or file named."""

    code, status = "CONFIG_ERROR", 400


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    # Addresses and data
    bind: Annotated[str, _doc("Address on which the HTTP API and the web UI listen.")] = "127.0.0.1:8080"
    data_dir: Annotated[str, _doc("Folder with everything that the node must not lose.")] = "data"
    node_id: Annotated[
        str,
        _doc(
            "Name of this node; no other of its cluster has it. Letters, digits, dots, hyphens, underscores.",
            min_length=1,
            max_length=NODE_ID_CHARS_MAX,
            pattern=NODE_ID_PATTERN,
        ),
    ] = "node-1"
    raft_bind: Annotated[
        str,
        _doc("Address on which the link between nodes listens, if there is a secret or certificates for it."),
    ] = "127.0.0.1:9400"
    raft_advertise: Annotated[
        str, _doc("Address at which other nodes find the link. Empty: --raft-bind, or the machine's name.")
    ] = ""
    http_advertise: Annotated[
        str, _doc("Address at which clients find this node. Empty: --bind, or the machine's name.")
    ] = ""

    # Who may come in
    api_key_file: Annotated[
        str, _doc("File with an API key that this node takes for an admin's, such as a mounted secret.")
    ] = ""
    redact_fields: Annotated[
        str,
        _doc(
            "Members of payloads, results and errors that those who lack payload:read do not see: globs of "
            "names, separated by commas."
        ),
    ] = "*"
    oidc_client_secret_file: Annotated[
        str,
        _doc("File with the secret by which this node is known to the OpenID provider, if it has one."),
    ] = ""
    insecure_open: Annotated[
        bool,
        _doc(
            "Serve other machines without any credentials, and link nodes without a secret on loopback. For "
            "trials only."
        ),
    ] = False

    # The cluster
    bootstrap: Annotated[
        bool, _doc("Begin a new cluster if the data folder is empty and there is no --join or --discover.")
    ] = True
    join: Annotated[str, _doc("Link addresses of members of the cluster to join, separated by commas.")] = ""
    discover: Annotated[
        Literal["", "dns"], _doc("How to find the cluster without --join. dns: by --discover-dns-name.")
    ] = ""
    discover_dns_name: Annotated[
        str, _doc("Name in the DNS that has one address per node, such as a headless service of Kubernetes.")
    ] = ""
    bootstrap_expect: Annotated[
        int, _doc("With --discover: addresses to be found before a cluster begins.", ge=0, le=32)
    ] = 0
    cluster_secret: Annotated[
        str, _doc("Secret that all nodes share, 16 characters or more; it encrypts the link between them.")
    ] = ""
    cluster_secret_next: Annotated[
        str, _doc("Second secret that is understood as well, while the secret is being changed.")
    ] = ""
    cluster_secret_file: Annotated[
        str,
        _doc("File with the secret in its first line and, if it is being changed, the other in its second."),
    ] = ""
    cluster_cert: Annotated[
        str, _doc("File with this node's certificate for the link, PEM. Its common name is the node id.")
    ] = ""
    cluster_key: Annotated[str, _doc("File with the private key of that certificate, PEM.")] = ""
    cluster_ca: Annotated[
        str, _doc("File with the authority that must have signed the other nodes' certificates, PEM.")
    ] = ""
    change_settings: Annotated[
        bool, _doc("Make this node's values of the settings that all nodes share those of the cluster.")
    ] = False
    leader_wait: Annotated[
        int, _duration("How long a write waits for a leader before 503 LEADER_UNAVAILABLE.", ge=0, le=60_000)
    ] = 5_000

    # What a 2xx promises
    durable: Annotated[
        Literal["auto", "on", "off"],
        _doc("Sync writes to the disk before the answer. auto is on; off survives kill -9, not a power cut."),
    ] = "auto"

    # Jobs
    max_payload_size: Annotated[
        int, _doc("Largest payload of a job in bytes. 0 means no limit but that of the body.", ge=0)
    ] = limits.PAYLOAD_BYTES_DEFAULT
    max_body_size: Annotated[
        int,
        _doc("Largest request body in bytes, and longest line of a stream.", ge=1_024, le=20 * 1024 * 1024),
    ] = limits.BODY_BYTES_DEFAULT
    require_lease_token: Annotated[
        bool, _doc("Refuse an ack, fail, release or heartbeat that carries no lease token.")
    ] = False
    max_lease_expirations: Annotated[
        int, _doc("Leases that a job may lose in a row before it becomes dead. 0 means any number.", ge=0)
    ] = limits.LEASE_EXPIRATIONS_DEFAULT
    retention: Annotated[
        int, _duration("How long jobs and batches are kept after they have ended.", ge=0)
    ] = 168 * 3_600_000
    retention_interval: Annotated[
        int,
        _duration("Shortest time between two rounds that delete what has been kept long enough.", ge=1_000),
    ] = 3_600_000
    lifecycle_events_kept: Annotated[int, _doc("Most events kept; older ones are deleted.", ge=1_000)] = (
        limits.EVENTS_KEPT_DEFAULT
    )
    lifecycle_events_age: Annotated[int, _duration("How long an event is kept at most.", ge=60_000)] = (
        7 * 86_400_000
    )

    # The audit log
    audit_retention: Annotated[
        int, _duration("How long records of changes are kept in the audit log.", ge=60_000)
    ] = 90 * 86_400_000
    audit_kept: Annotated[
        int, _doc("Most audit records kept of one namespace; older ones are deleted.", ge=1_000)
    ] = limits.AUDIT_KEPT_DEFAULT
    audit_to: Annotated[
        str, _doc("File that every audit record is written to as a line of JSON, too; - for standard output.")
    ] = ""

    # Sealing
    seal: Annotated[
        str,
        _doc(
            "Queues whose payloads, results, checkpoints, progress and errors are kept encrypted: pairs such "
            "as default/payments or acme/*, separated by commas."
        ),
    ] = ""
    seal_keys: Annotated[
        str,
        _doc("File with the keys to seal and open with. Only its owner may read it; SIGHUP reads it anew."),
    ] = ""
    seal_keys_command: Annotated[
        str, _doc("Command that prints what --seal-keys would hold; run at the start and upon SIGHUP.")
    ] = ""

    # The write path
    apply_batch_max: Annotated[int, _doc("Most ops in one log entry.", ge=1, le=4_096)] = limits.BATCH_OPS_MAX
    apply_batch_window_us: Annotated[
        int, _doc("Longest that a busy batch waits for more ops, in microseconds.", ge=0, le=1_000_000)
    ] = limits.BATCH_WINDOW_US_DEFAULT
    apply_batch_min_wait_us: Annotated[
        int,
        _doc(
            "Longest that a batch which is not busy waits for more ops, in microseconds.", ge=0, le=1_000_000
        ),
    ] = limits.BATCH_MIN_WAIT_US_DEFAULT
    apply_batch_extend_at: Annotated[int, _doc("Ops from which on a batch counts as busy.", ge=1)] = (
        limits.BATCH_EXTEND_AT_DEFAULT
    )
    raft_max_pending: Annotated[
        int, _doc("Ops that may be accepted and not yet applied. Beyond it writes get 429 OVERLOADED.", ge=1)
    ] = limits.PENDING_OPS_MAX_DEFAULT
    raft_max_fetch_inflight: Annotated[
        int, _doc("Claims of one queue that may be under way at once; further fetches wait.", ge=1)
    ] = limits.FETCH_INFLIGHT_MAX_DEFAULT
    snapshot_threshold: Annotated[
        int, _doc("Log entries in the journal from which on its oldest part is cut off.", ge=100)
    ] = 10_000
    snapshot_bytes: Annotated[
        int, _doc("Bytes in the journal from which on its oldest part is cut off.", ge=1_048_576)
    ] = 64 * 1024 * 1024

    # TLS
    tls_cert: Annotated[
        str, _doc("File with the certificate that clients are shown, and its chain, PEM. Empty: no TLS.")
    ] = ""
    tls_key: Annotated[
        str, _doc("File with the private key of that certificate, PEM, without a password.")
    ] = ""
    tls_client_ca: Annotated[
        str, _doc("File with the authorities that must have signed certificates of clients, PEM.")
    ] = ""
    tls_client_auth: Annotated[
        Literal["off", "optional", "required"],
        _doc("Whether clients are asked for a certificate, and may connect without one."),
    ] = "off"

    # The edge
    edge: Annotated[
        Literal["hypercorn", "granian"], _doc("What speaks HTTP. granian comes with the extra `fast`.")
    ] = "hypercorn"
    edge_workers: Annotated[
        int, _doc("Processes that speak HTTP for the node. 0: the node does it itself.", ge=0, le=64)
    ] = 0
    loop: Annotated[
        Literal["auto", "asyncio", "uvloop"], _doc("Event loop. auto: uvloop if it is installed.")
    ] = "auto"
    shutdown_timeout: Annotated[
        int, _duration("How long a node that was asked to stop waits for open requests.")
    ] = 5_000
    idle_timeout: Annotated[
        int, _duration("How long a connection without a request is kept open.", ge=1_000)
    ] = 75_000
    body_timeout: Annotated[
        int, _duration("How long a request body may take to arrive before 408 REQUEST_TIMEOUT.", ge=100)
    ] = 30_000
    max_header_size: Annotated[
        int, _doc("Largest request line and headers together, in bytes.", ge=1_024)
    ] = 32 * 1024
    send_timeout: Annotated[
        int, _duration("How long a client may take nothing of its answer before it is given up.", ge=1_000)
    ] = 30_000
    request_memory_bytes: Annotated[
        int,
        _doc(
            "Bytes of bodies and lines that are not complete, of all clients together. Beyond it the slowest "
            "gets 429 OVERLOADED. New jobs wait when as many bytes are on their way to the log.",
            ge=4 * 1024 * 1024,
        ),
    ] = 128 * 1024 * 1024
    answer_memory_bytes: Annotated[
        int,
        _doc(
            "Bytes of large answers that are not read, of all clients together. Beyond it the slowest is "
            "broken off.",
            ge=4 * 1024 * 1024,
        ),
    ] = 128 * 1024 * 1024
    max_connections: Annotated[
        int,
        _doc("Connections of clients at a time. Fewer if there are too few file descriptors.", ge=8),
    ] = 10_000
    max_connections_per_address: Annotated[
        int,
        _doc("Connections of one address at a time. 0: three quarters of all there may be.", ge=0),
    ] = 0
    rate_limit_enabled: Annotated[
        bool, _doc("Limit how many requests a client may send. Beyond it they get 429 RATE_LIMITED.")
    ] = False
    rate_limit_read_rps: Annotated[int, _doc("Reads per second that a client may send.", ge=1)] = 2_000
    rate_limit_read_burst: Annotated[int, _doc("Reads that a client may send at once.", ge=1)] = 4_000
    rate_limit_write_rps: Annotated[
        int, _doc("Writes per second that a client may send. A batch counts as many as it has jobs.", ge=1)
    ] = 1_000
    rate_limit_write_burst: Annotated[int, _doc("Writes that a client may send at once.", ge=1)] = 2_000
    trusted_proxies: Annotated[
        str,
        _doc(
            "Networks of proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8, separated by commas."
        ),
    ] = ""
    allowed_hosts: Annotated[
        str,
        _doc(
            "Names under which clients reach this node beside its own addresses, such as corvo.example.com "
            "or *.example.com, separated by commas. Others get 421 HOST_NOT_ALLOWED."
        ),
    ] = ""
    cors_origin: Annotated[
        str,
        _doc(
            "Origins whose pages may call the API from a browser, such as https://app.example.com, separated "
            "by commas. * for all, without credentials; empty for none."
        ),
    ] = ""
    docs_enabled: Annotated[bool, _doc("Serve /openapi.json and /docs.")] = True

    # Webhooks
    webhook_allow_private: Annotated[
        bool, _doc("Let webhooks reach private, loopback and link-local addresses.")
    ] = False
    webhook_timeout: Annotated[
        int, _duration("How long one attempt to deliver an event to a webhook may take.", ge=100, le=120_000)
    ] = 10_000
    webhook_disable_after: Annotated[
        int, _duration("How long a webhook may fail before it is switched off. 0 means never.", ge=0)
    ] = 24 * 3_600_000

    # Trials
    chaos: Annotated[
        bool, _doc("Let tests kill parts of this node by debug calls. On loopback only; not for real work.")
    ] = False

    # The log
    log_level: Annotated[
        Literal["debug", "info", "warn", "error"], _doc("Least important kind of line that is logged.")
    ] = "info"
    log_format: Annotated[
        Literal["auto", "json", "text"], _doc("Form of the log. auto: text on a terminal, JSON elsewhere.")
    ] = "auto"

    @property
    def scheme(self) -> str:
        """How the address of this node begins, for clients."""
        return "https" if self.tls_cert else "http"

    def host_names(self) -> list[str]:
        return [part.strip().lower() for part in self.allowed_hosts.split(",") if part.strip()]

    def origins(self) -> list[str]:
        return [part.strip() for part in self.cors_origin.split(",") if part.strip()]

    def proxy_networks(self) -> list[IPv4Network | IPv6Network]:
        return [ip_network(part.strip()) for part in self.trusted_proxies.split(",") if part.strip()]


class Setting(msgspec.Struct, frozen=True):
    """One field of the struct, for the parts that print settings or read them."""

    name: str
    type: Any
    default: Any
    help: str
    is_duration: bool
    choices: tuple[str, ...] | None

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "CORVO_" + self.name.upper()


def settings() -> list[Setting]:
    """Every setting, in the order declared."""
    rows = []
    for field in msgspec.structs.fields(Config):
        plain, meta = field.type.__origin__, field.type.__metadata__[0]
        choices = plain.__args__ if getattr(plain, "__origin__", None) is Literal else None
        rows.append(
            Setting(
                name=field.name,
                type=str if choices else plain,
                default=field.default,
                help=meta.description,
                is_duration=meta.extra == DURATION,
                choices=choices,
            )
        )
    return rows
