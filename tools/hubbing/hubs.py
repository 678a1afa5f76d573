"""The processes of a hub, and the verbs of the command line."""

import contextlib
import http.client
import json
import os
import signal
import subprocess

from faulting.running import Finding
from hubbing.databases import ask_http, connection
from hubbing.links import Link
from hubbing.machines import PATIENCE, Machine, free_ports, wait

# All devices have one address here, and thousands of them join within a minute.
LIMITS = ("--max-failures", "1000000", "--max-connections", "4096")


class Busy(Exception):
    """The hub asks to try again later."""


class Refused(Exception):
    """The hub refuses a request for good."""


def environment(directory, database):
    return {"PATH": os.environ["PATH"], "HOME": str(directory), "TMPDIR": str(directory),
            "TZ": "Europe/Berlin", "CARILLON_DATABASE": database}


class HubProcess(Machine):
    """A process of the hub, and the link by which devices reach it."""

    def __init__(self, directory, number, program, database, requires_copies, address="127.0.0.1",
                 flags=LIMITS):
        super().__init__(directory, f"hub{number}")
        self.user = None
        self.listen = free_ports(1)[0]
        self.command = [program, "hub", "--listen", f"{address}:{self.listen}", *flags]
        # How devices connect; None without TLS.
        self.tls = None
        self.command += ["--require-copies"] if requires_copies else []
        self.environment = environment(self.directory, database)
        self.link = Link(self.listen)

    def start(self):
        """Starts it; it is not ready yet."""
        if not self.runs:
            self.process = self.launch(self.command, **self.environment)

    @property
    def is_ready(self):
        answer = ask_http(self.listen, "/readyz", self.tls)
        return answer is not None and answer[0] == 200

    def await_ready(self):
        """Starts it until it is ready: without its database, it ends."""
        def is_ready():
            self.start()
            return self.is_ready
        try:
            wait(f"{self.name} is ready", is_ready)
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {self.last_words()}") from error

    def pause(self, seconds, sleep):
        self.signal(signal.SIGSTOP)
        try:
            sleep(seconds)
        finally:
            self.signal(signal.SIGCONT)

    def crash(self):
        """A finding if it ended although nobody ended it."""
        if self.process is None or self.runs or self.process.returncode in (69, 74, 75):
            return []
        return [Finding("crashed", f"{self.name}: exit {self.process.returncode}: "
                        f"{self.last_words()}")]

    def close(self):
        self.link.close()
        self.signal(signal.SIGCONT)
        self.kill()


class Hub:
    """Several processes of one hub, each with a link of its own to each server."""

    def __init__(self, directory, programs, database, count=3):
        self.directory, self.database = directory, database
        self.carillon = programs / "carillon"
        self.processes, self.database_links = [], []
        for number in range(count):
            links = [Link(port) for port in database.ports]
            self.database_links += links
            self.processes.append(HubProcess(
                directory, number, self.carillon, self.url(link.port for link in links),
                database.requires_copies))
        for process in self.processes:
            process.await_ready()

    @staticmethod
    def url(ports):
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        return f"postgres://postgres@{hosts}/carillon?connect_timeout=3"

    def run(self, *arguments, allowed=(0,)):
        """Runs a verb of the command line, and returns its lines of JSON."""
        ended = self.end(*arguments)
        if ended.returncode not in allowed:
            raise RuntimeError(f"carillon {' '.join(map(str, arguments))}: exit "
                               f"{ended.returncode}: {ended.stderr.strip()}")
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def end(self, *arguments):
        """Runs a verb of the command line, directly at the database."""
        return subprocess.run(
            [str(word) for word in (self.carillon, *arguments, "--json")], capture_output=True,
            text=True, env=environment(self.directory, self.url(self.database.ports)),
            timeout=PATIENCE, check=False)

    def invite(self, person):
        """Makes an invitation for a person's device, and returns its link."""
        port = self.processes[0].link.port
        return self.run("hub", "invite", person, "--role", "phone", "--listen",
                        f"127.0.0.1:{port}")[0]["link"]

    def findings(self):
        return [finding for process in self.processes for finding in process.crash()]

    def close(self):
        for one in [*self.processes, *self.database_links]:
            one.close()


class Connection:
    """A device's connection to one process of the hub."""

    def __init__(self, process, credential=None, seconds=60):
        self.connection = connection("127.0.0.1", process.link.port, process.tls, seconds)
        self.fields = {"Authorization": f"Bearer {credential}"} if credential else {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def ask(self, method, path, body=None):
        """Sends a request, and returns the bytes of a successful answer."""
        self.connection.request(method, path, body, self.fields)
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status in (200, 201):
            return data
        text = f"{method} {path}: {answer.status} {data.decode(errors='replace')}"
        if answer.status == 503:
            if not (answer.headers.get("Retry-After") or "").isdecimal():
                raise Refused(f"no Retry-After: {text}")
            raise Busy(text)
        raise Refused(text)

    def document(self, method, path, **members):
        return json.loads(self.ask(method, path, json.dumps(members)))


@contextlib.contextmanager
def running(directory, programs, database):
    """A hub that is closed at the end."""
    hub = Hub(directory, programs, database)
    try:
        yield hub
    finally:
        hub.close()
