"""Temporal: a server of its own in front of PostgreSQL."""

import json
import os
import subprocess
from typing import Any

from bench.peers import install
from bench.peers.kinds.on_postgres import USER, OnPostgres
from bench.peers.processes import Process, until
from chaos.process import free_port

_MODULE = "go.temporal.io/server"
#: The newest that Go 1.26.8 builds; 1.32.2 wants 1.26.10.
_VERSION = "v1.32.1"
#: As in its own configuration for PostgreSQL; more were slower on two cores.
_SHARDS = 4
#: Connections by database, of which it wants two.
_DATABASES = {"temporal": 20, "visibility": 10}
_SERVICES = ("frontend", "history", "matching", "worker")
#: They protect it from its users; a quick machine would measure them instead.
_LIMITS = (
    "frontend.rps",
    "frontend.namespaceRPS",
    "frontend.persistenceMaxQPS",
    "history.rps",
    "history.persistenceMaxQPS",
    "matching.rps",
    "matching.persistenceMaxQPS",
)


class Temporal(OnPostgres):
    name = "temporal"
    title = "Temporal, PostgreSQL"
    database = "temporal"
    count = (
        "select count(*) from current_executions e join namespaces n on n.id = e.namespace_id "
        "where n.name = 'bench' and e.state < 3"
    )
    durability = (
        f"temporal-server (all four services in one process, {_SHARDS} history shards) on PostgreSQL; "
        f"there {OnPostgres.durability}"
    )
    setting = (
        "a workflow for each job, 16 started at once; 1 process of 8 local activities at once (its advice "
        "for what is short), poller autoscaling; rate limits lifted"
    )

    def _install_client(self) -> str:
        self._server = install.go("temporal", _MODULE, _VERSION, f"{_MODULE}/cmd/server")
        self._sql_tool = install.go("temporal", _MODULE, _VERSION, f"{_MODULE}/cmd/tools/sql")
        self._binary = install.go_program("temporal")
        sdk = install.go_pinned("go.temporal.io/sdk")
        return f"temporal-server {_VERSION.removeprefix('v')}, its Go SDK {sdk}"

    @property
    def server(self) -> str:
        return f"127.0.0.1:{self._ports['frontend'][0]}"

    def produce(self) -> list[str]:
        return [str(self._binary)]

    def start(self) -> None:
        self._ports = {service: (free_port(), free_port()) for service in _SERVICES}
        self._has_tables = False
        super().start()

    def restart(self) -> None:
        """PostgreSQL first: without it, the server ends."""
        super().restart()
        if not self._has_tables:
            self._make_tables()
        config, limits = self.folder / "config.yaml", self.folder / "limits.yaml"
        # JSON is YAML.
        config.write_text(json.dumps(self._config(str(limits))))
        limits.write_text(json.dumps({limit: [{"value": 1_000_000}] for limit in _LIMITS}))
        command = [str(self._server), "--config-file", str(config), "--allow-no-auth", "start"]
        log = self.folder.with_suffix(".log")
        self._servers.append(Process(command, log, folder=self.folder))
        until(self._is_ready, 60, f"{self.title} to answer; see {log}")

    def _is_ready(self) -> bool:
        assert all(server.is_running for server in self._servers), f"see {self._servers[0].log}"
        command, environment = [*self.produce(), "ready"], os.environ | self._clients()
        return not subprocess.run(command, env=environment, capture_output=True, check=False).returncode

    def _make_tables(self) -> None:
        place = [
            "--endpoint",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--user",
            USER,
            "--plugin",
            "postgres12",
        ]
        for database in _DATABASES:
            tool = [str(self._sql_tool), *place, "--database", database]
            self.call([*tool, "create-database"])
            self.call([*tool, "setup-schema", "--version", "0.0"])
            self.call([*tool, "update-schema", "--schema-name", f"postgresql/v12/{database}"])
        self._has_tables = True

    def _config(self, limits: str) -> dict[str, Any]:
        cluster = {
            "enabled": True,
            "initialFailoverVersion": 1,
            "rpcName": "frontend",
            "rpcAddress": self.server,
        }
        return {
            "log": {"stdout": True, "level": "warn"},
            "persistence": {
                "defaultStore": "temporal",
                "visibilityStore": "visibility",
                "numHistoryShards": _SHARDS,
                "datastores": {database: {"sql": self._store(database)} for database in _DATABASES},
            },
            "global": {"membership": {"maxJoinDuration": "30s", "broadcastAddress": "127.0.0.1"}},
            "services": {
                service: {"rpc": {"grpcPort": port, "membershipPort": member, "bindOnLocalHost": True}}
                for service, (port, member) in self._ports.items()
            },
            "clusterMetadata": {
                "enableGlobalNamespace": False,
                "failoverVersionIncrement": 10,
                "masterClusterName": "active",
                "currentClusterName": "active",
                "clusterInformation": {"active": cluster},
            },
            "dynamicConfigClient": {"filepath": limits, "pollInterval": "1m"},
        }

    def _store(self, database: str) -> dict[str, Any]:
        return {
            "pluginName": "postgres12_pgx",
            "databaseName": database,
            "connectAddr": f"127.0.0.1:{self.port}",
            "connectProtocol": "tcp",
            "user": USER,
            "maxConns": _DATABASES[database],
            "maxIdleConns": _DATABASES[database],
        }
