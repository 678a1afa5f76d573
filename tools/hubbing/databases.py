"""The database of a hub: three servers under Patroni and etcd, or a single server."""

import contextlib
import http.client
import json
import shutil
import signal
import time

from hubbing.machines import Machine, Postgres, free_ports, is_open, postgres_programs, wait

PROGRAMS = {"patroni": "patroni", "etcd": "etcd-server"}
SERVER_SETTINGS = {
    "max_connections": 200, "shared_buffers": "64MB", "wal_keep_size": "256MB",
    "max_wal_senders": 10, "checkpoint_timeout": "60s"}


def why_no_cluster():
    """Why there can be no cluster; None if there can be one."""
    missing = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
    if not missing:
        return None
    return f"{' and '.join(missing)} not installed; tools/prepare --tests installs what there is"


def connection(host, port, tls, seconds):
    """A connection for requests, by TLS if there is a context for it."""
    if tls is None:
        return http.client.HTTPConnection(host, port, timeout=seconds)
    return http.client.HTTPSConnection(host, port, timeout=seconds, context=tls)


def ask_http(port, path, tls=None):
    """Returns the status and the JSON of an answer; None if there is none."""
    with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
        with contextlib.closing(connection("127.0.0.1", port, tls, 5)) as asked:
            asked.request("GET", path)
            answer = asked.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
    return None


class Single:
    """One server, which is started again after it was killed."""

    requires_copies = False

    def __init__(self, directory):
        self.server = Postgres(directory, "postgres", free_ports(1)[0])

    def create(self):
        """Starts the server with an empty database."""
        server = self.server
        server.run([server.programs / "initdb", "-U", "postgres", "-A", "trust", "--no-sync",
                    "-D", server.data])
        self.start()
        server.run([server.programs / "createdb", "-h", "127.0.0.1", "-p", server.port,
                    "-U", "postgres", "carillon"])

    @property
    def ports(self):
        return [self.server.port]

    @property
    def leader(self):
        return self.server

    def start(self):
        server = self.server
        settings = {"listen_addresses": "127.0.0.1", "port": server.port,
                    "unix_socket_directories": server.directory, **SERVER_SETTINGS}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        server.process = server.launch([server.programs / "postgres", "-D", server.data, *words])
        wait("the server", lambda: server.ask("SELECT 1") == "1")

    def kill_leader(self):
        """Kills the server, and starts it again."""
        self.server.kill_server()
        self.server.process.wait()
        self.start()

    def settle(self):
        wait("the server", lambda: self.server.ask("SELECT 1") == "1")

    def close(self):
        self.server.kill_server()
        self.server.kill()


class Member(Postgres):
    """A server and its agent, which is Patroni."""

    def __init__(self, directory, number, ports, etcd):
        super().__init__(directory, f"member{number}", ports[0])
        self.agent_port = ports[1]
        address, agent = (f"127.0.0.1:{port}" for port in ports)
        access = [f"host {database} all 127.0.0.1/32 trust" for database in ("all", "replication")]
        configuration = {
            "scope": "hub", "name": self.name,
            "restapi": {"listen": agent, "connect_address": agent},
            "etcd3": {"hosts": [f"127.0.0.1:{port}" for port in etcd]},
            "bootstrap": {
                "dcs": {
                    "ttl": 10, "loop_wait": 1, "retry_timeout": 3,
                    "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {"use_pg_rewind": True, "parameters": SERVER_SETTINGS}},
                "initdb": [{"auth": "trust"}, {"encoding": "UTF8"}, "data-checksums"]},
            "postgresql": {
                "listen": address, "connect_address": address, "data_dir": str(self.data),
                "bin_dir": str(self.programs), "pg_hba": ["local all all trust", *access],
                "authentication": {name: {"username": "postgres"} for name in
                                   ("superuser", "replication", "rewind")},
                "parameters": {"unix_socket_directories": str(self.directory)}},
            "watchdog": {"mode": "off"}}
        self.configuration = self.directory / "patroni.json"
        # JSON is YAML.
        self.configuration.write_text(json.dumps(configuration))
        self.configuration.chmod(0o644)

    def start(self):
        if not self.runs:
            self.process = self.launch(["patroni", self.configuration])

    def kill(self):
        """Kills the agent and the server at once."""
        super().kill()
        self.kill_server()

    @property
    def state(self):
        """What the agent says."""
        answer = ask_http(self.agent_port, "/patroni") if self.runs else None
        return answer[1] if answer else {}

    @property
    def is_running(self):
        return self.state.get("state") == "running"

    @property
    def leads(self):
        answer = ask_http(self.agent_port, "/leader") if self.runs else None
        return answer is not None and answer[0] == 200 and self.is_running


class Cluster:
    """Three servers, of which one leads, and each commit is on a second one."""

    requires_copies = True

    def __init__(self, directory):
        self.clients = free_ports(3)
        self.keepers = [Machine(directory, f"etcd{number}") for number in range(3)]
        self.members = [
            Member(directory, number, free_ports(2), self.clients) for number in range(3)]

    def create(self):
        """Starts the servers with an empty database."""
        peers = free_ports(3)
        addresses = ",".join(f"{keeper.name}=http://127.0.0.1:{port}"
                           for keeper, port in zip(self.keepers, peers))
        for number, keeper in enumerate(self.keepers):
            client, peer = (f"http://127.0.0.1:{ports[number]}" for ports in (self.clients, peers))
            keeper.process = keeper.launch([
                "etcd", "--name", keeper.name, "--data-dir", keeper.directory / "data",
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", addresses, "--logger", "zap"])
        wait("etcd", lambda: all(map(is_open, self.clients)))
        self.settle()
        self.leader.run([postgres_programs() / "createdb", "-h", "127.0.0.1", "-p",
                         self.leader.port, "-U", "postgres", "carillon"])

    @property
    def ports(self):
        return [member.port for member in self.members]

    @property
    def leader(self):
        return wait(
            "a leader", lambda: next((member for member in self.members if member.leads), None))

    @property
    def standbys(self):
        leader = self.leader
        return [member for member in self.members if member is not leader]

    def settle(self):
        """Waits until one server leads, the others follow, and one of them may take its place."""
        for member in self.members:
            member.start()
        wait("the cluster", lambda: all(member.is_running for member in self.members)
             and any(member.leads for member in self.members) and self.has_successor)

    @property
    def has_successor(self):
        """Whether etcd names a synchronous standby.

        The leader's server has one earlier than that. If the leader is killed in between, Patroni
        chooses no other one until it is back."""
        answer = ask_http(self.leader.agent_port, "/cluster")
        members = answer[1]["members"] if answer and answer[0] == 200 else []
        return any(member["role"] == "sync_standby" for member in members)

    def kill_leader(self):
        """Kills the leader with its agent; returns when one leads, and the others follow.

        While Patroni changes the synchronous standby, etcd names none, and nobody takes the place
        of a leader that is killed then: an operator must start it again."""
        killed = self.leader
        killed.kill()
        with contextlib.suppress(RuntimeError):
            wait("another leader", lambda: any(member.leads for member in self.members), 20)
        self.settle()

    def kill_server(self):
        """Kills the leader's server, but not its agent, which starts it again."""
        self.leader.kill_server()
        time.sleep(5)
        self.settle()

    def kill_standby(self):
        self.standbys[0].kill()
        time.sleep(3)
        self.settle()

    def pause_agent(self):
        """Pauses the leader's agent alone, so that another server becomes the leader."""
        paused = self.leader
        paused.signal(signal.SIGSTOP)
        try:
            time.sleep(20)
        finally:
            paused.signal(signal.SIGCONT)
        self.settle()

    def close(self):
        for machine in [*self.members, *self.keepers]:
            machine.signal(signal.SIGCONT)
            machine.kill()
