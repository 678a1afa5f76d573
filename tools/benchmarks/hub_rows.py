"""The rows of a hub, which wrk measures beside pgbench on the same PostgreSQL server."""

import base64
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import uuid

from harness import Run, alternate, compare, exact
from rows import rate

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from hubbing import databases, hubs, machines  # noqa: E402
from hubbing.people import replica  # noqa: E402
from serving import program  # noqa: E402

ROWS = {}
# Sends each prepared request once, in the order of the file.
SEND = """
local requests, sent = {}, 0
function init(arguments)
  for line in io.lines(arguments[1]) do
    local token, hex = line:match("(%S+) (%S+)")
    local body = hex:gsub("..", function(byte) return string.char(tonumber(byte, 16)) end)
    local fields = {Authorization = "Bearer " .. token}
    requests[#requests + 1] = wrk.format("POST", "/v1/sync", fields, body)
  end
end
function request()
  sent = sent % #requests + 1
  return requests[sent]
end
"""
# What one sync with 10 new events writes, in one round trip.
INSERT = """
\\set person random(1, {people})
\\set position random(1, 4611686018427387904)
\\startpipeline
BEGIN;
SELECT stamp FROM log WHERE store = decode(md5(:person::text), 'hex') FOR UPDATE;
INSERT INTO run VALUES (decode(md5(:person::text), 'hex'), :position, 0, :position, 10,
  '\\x{ids}', '\\x{contents}', true);
INSERT INTO head VALUES (decode(md5(:person::text), 'hex'), 0, '\\x{head}')
  ON CONFLICT (store, branch) DO UPDATE SET value = excluded.value;
UPDATE log SET stamp = :position, last_position = :position, byte_count = byte_count + {bytes}
  WHERE store = decode(md5(:person::text), 'hex');
COMMIT;
\\endpipeline
"""
LOOK_UP = """
\\set person random(1, {people})
SELECT stamp, last_position FROM log WHERE store = decode(md5(:person::text), 'hex');
"""
EVENT_COUNT, CONNECTIONS, PEOPLE = 10, 64, 500


def row(function):
    ROWS["hub-" + function.__name__.replace("_", "-")] = function
    return function


def output(*command, **options):
    """Runs a program, and returns what it prints."""
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                           check=False, **options)
    if ended.returncode != 0:
        raise RuntimeError(f"{command[0]}: exit {ended.returncode}: {ended.stderr[-500:]}")
    return ended.stdout


class Access:
    """A device that a hub knows."""

    def __init__(self, store):
        self.store = store
        self.secret = base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()

    @property
    def row(self):
        """The row of the device in the database."""
        digest = hashlib.sha256(self.secret.encode()).hexdigest()
        return (f"('\\x{uuid.UUID(self.store).hex}', 'device', '\\x{digest}', 'phone', 'phone', 0, "
                "NULL)")

    def request(self, message):
        """A request with the first message of a sync."""
        message.number, message.version, message.limit = 0, replica.VERSION, replica.DEFAULT_LIMIT
        message.store = int.from_bytes(uuid.UUID(self.store).bytes[:8], "big")
        return f"{self.secret} {message.write().hex()}\n"


class Device(Access):
    """A device, and the requests of its syncs, which only Python computes."""

    def __init__(self, directory, store):
        super().__init__(store)
        self.log = replica.Log.create(directory / store, store, "phone", False)
        # As a hub, it writes nothing.
        self.peer = replica.Log.create(directory / f"{store}-hub", store, "hub", True)
        self.habit = str(uuid.uuid4())

    def sync(self, count):
        """Returns the requests of a sync with new events."""
        for number in range(count):
            date = f"2026-{number % 12 + 1:02}-01"
            self.log.write([self.log.make(replica.entry_recorded(self.habit, date))])
        requests = []

        def ask(data):
            requests.append(f"{self.secret} {data.hex()}\n")
            return replica.answer(self.peer, data, replica.DEFAULT_LIMIT)
        replica.Initiator(self.log, ask, replica.DEFAULT_LIMIT, False).run()
        return requests


class Bench:
    """A server with a database for the hub and one for pgbench, and a process of the hub."""

    def __init__(self, bench, directory):
        self.scale, self.directory = bench.scale, directory
        # What Python computes beforehand needs no disk.
        self.memory = pathlib.Path(tempfile.mkdtemp(prefix="carillon-hub-", dir="/dev/shm"))
        self.database = databases.Single(directory)
        self.database.create()
        server = self.database.server
        server.run([server.programs / "createdb", "-h", "127.0.0.1", "-p", server.port,
                    "-U", "postgres", "other"])
        self.process = hubs.HubProcess(
            directory, 0, bench.ours.parent / "carillon", self.url("carillon"), False)
        self.process.await_ready()
        self.run("people", "list", "--database", self.url("other"))

    def url(self, name):
        return f"postgres://postgres@127.0.0.1:{self.database.server.port}/{name}"

    def carillon(self, *arguments):
        """Runs a verb of the command line, and returns the last line of its answer."""
        return self.lines(*arguments)[-1]

    def run(self, *arguments):
        """Runs a verb of the hub, and returns the lines of its answer."""
        return self.lines("hub", *arguments)

    def lines(self, *arguments):
        text = output(self.process.command[0], *arguments, "--json", env=self.process.environment)
        return [json.loads(line) for line in text.splitlines()]

    def person(self, store):
        return next(line for line in self.run("people", "list") if line["person"] == store)

    def invite(self, store):
        return self.run("invite", store, "--role", "phone", "--listen",
                        f"127.0.0.1:{self.process.listen}")[0]["link"]

    def ask(self, sql, name="carillon"):
        answer = self.database.server.ask(sql, name)
        if answer is None:
            raise RuntimeError(f"the server refuses: {sql[:200]}")
        return answer

    def people(self, count):
        return [line["person"] for line in self.run("people", "add", "--count", count)]

    def devices(self, count):
        """Adds people with a device each."""
        devices = [Device(self.memory, store) for store in self.people(count)]
        self.give_access(devices)
        return devices

    def give_access(self, devices):
        for index in range(0, len(devices), 500):
            values = ", ".join(device.row for device in devices[index:index + 500])
            self.ask("INSERT INTO access (store, kind, digest, role, name, since, expires) "
                     f"VALUES {values}")

    def bytes(self):
        """The bytes of all tables and indexes."""
        return int(self.ask("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = "
                            "'r' AND relnamespace = 'public'::regnamespace"))

    def process_memory(self):
        """The bytes of memory that only the process of the hub has."""
        return program.memory(self.process.process.pid)

    def send(self, requests):
        """Sends requests one after the other."""
        with contextlib.closing(http.client.HTTPConnection(
                "127.0.0.1", self.process.listen, timeout=machines.PATIENCE)) as connection:
            for request in requests:
                secret, message = request.split()
                connection.request("POST", "/v1/sync", bytes.fromhex(message),
                                   {"Authorization": f"Bearer {secret}"})
                answer = connection.getresponse()
                if answer.status != 200:
                    raise RuntimeError(f"{answer.status}: {answer.read().decode()}")
                answer.read()

    def insert(self, people):
        """The script of pgbench that writes the same rows, for as many people."""
        self.ask("INSERT INTO log (store, stamp, last_position) "
                 "SELECT decode(md5(number::text), 'hex'), 0, 0 "
                 f"FROM generate_series(1, {people}) AS number", "other")
        sizes = self.ask(
            "SELECT avg(octet_length(ids))::int, avg(octet_length(contents))::int, "
            "(SELECT avg(octet_length(value))::int FROM head) FROM run "
            f"WHERE count = {EVENT_COUNT}")
        ids, contents, head = map(int, sizes.split("|"))
        return INSERT.format(
            people=people, bytes=ids + contents, ids=os.urandom(ids).hex(),
            contents=os.urandom(contents).hex(), head=os.urandom(head).hex())

    def wrk(self, requests, seconds, connections=CONNECTIONS):
        """Sends requests for some seconds."""
        script, file = self.memory / "send.lua", self.memory / "requests"
        script.write_text(SEND)
        file.write_text("".join(requests))
        text = output(
            "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "--latency",
            "-s", script, f"http://127.0.0.1:{self.process.listen}/", "--", file)
        if "Non-2xx" in text or "Socket errors" in text:
            raise RuntimeError(f"requests failed: {text}")
        count = float(re.search(r"(\d+) requests in", text)[1])
        found = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
        details = {name: re.search(rf"{name}%\s+(\S+)", text)[1] for name in ("50", "99")}
        return Run(count, count / found, 0, details)

    def pgbench(self, script, seconds, clients=16):
        """Runs a script of pgbench, and returns the transactions."""
        file = self.memory / "script.sql"
        file.write_text(script)
        text = output(
            self.database.server.programs / "pgbench", "-h", "127.0.0.1",
            "-p", self.database.server.port, "-U", "postgres", "-n",
            # Version 15 cannot prepare statements inside of a pipeline.
            "-M", "extended" if "\\startpipeline" in script else "prepared", f"-c{clients}", "-j1",
            f"-T{seconds}", "-f", file, "other")
        found = float(re.search(r"tps = ([\d.]+)", text)[1])
        return Run(found * seconds, seconds, 0, {})

    def restart(self):
        """Replaces the process by a new one, which knows nobody."""
        self.process.kill()
        self.process.await_ready()

    def close(self):
        self.process.close()
        self.database.close()
        shutil.rmtree(self.memory, ignore_errors=True)


@contextlib.contextmanager
def running(bench):
    if not machines.postgres_programs() or not shutil.which("wrk"):
        raise RuntimeError("postgresql or wrk is not installed: tools/prepare --tests")
    with tempfile.TemporaryDirectory(prefix="carillon-hub-") as directory:
        # The server may run as another user.
        os.chmod(directory, 0o711)
        hub = Bench(bench, pathlib.Path(directory))
        try:
            yield hub
        finally:
            hub.close()


class Pushes:
    """Syncs of many devices with new events, prepared as far as they are needed."""

    def __init__(self, hub, people):
        self.hub, self.rate = hub, 500
        self.devices = hub.devices(people)
        # The first sync of a device also sends its description.
        hub.send([request for device in self.devices for request in device.sync(EVENT_COUNT)])

    def run(self, seconds):
        """Sends for some seconds; returns the syncs, of two requests each."""
        count = round(1.5 * self.rate * seconds / len(self.devices)) + 1
        requests = []
        for _ in range(count):
            messages = [device.sync(EVENT_COUNT) for device in self.devices]
            for index in range(0, len(messages), PEOPLE):
                # A device's second message is sent when its first one was answered long ago.
                for part in zip(*messages[index:index + PEOPLE]):
                    requests += part
        found = self.hub.wrk(requests, seconds)
        if found.count > len(requests):
            self.rate *= 2
            return self.run(seconds)
        # What was not sent is not missing in the next run.
        self.hub.send(requests[int(found.count) - CONNECTIONS:])
        self.rate = found.rate / 2
        return Run(found.count / 2, found.seconds, 0, found.details)


@row
def sync(bench):
    """Syncs with 10 new events, and syncs with nothing to do."""
    seconds = 2 if bench.scale > 1 else 5
    with running(bench) as hub:
        pushes = Pushes(hub, PEOPLE)
        pushes.run(1)
        insert = hub.insert(PEOPLE)
        pairs = alternate(lambda: pushes.run(seconds), lambda: hub.pgbench(insert, seconds), 3)
        nothing = [device.sync(0)[0] for device in pushes.devices]
        idle = alternate(lambda: hub.wrk(nothing, seconds),
                         lambda: hub.pgbench(LOOK_UP.format(people=PEOPLE), seconds), 2)
    return [
        compare("hub-sync", f"hub: sync of {EVENT_COUNT} new events, {CONNECTIONS} connections",
                "syncs/s", pairs, rate, "at least", 0.5,
                "limit: pgbench, the same rows; a request: " + latency(pairs)),
        compare("hub-nothing", f"hub: sync with nothing to do, {CONNECTIONS} connections",
                "syncs/s", idle, rate, "at least", 0.2,
                "limit: pgbench, one look-up; a request: " + latency(idle)),
    ]


def latency(pairs):
    details = pairs[-1][0].details
    return f"p50 {details['50']}, p99 {details['99']}"


@row
def cold(bench):
    """Syncs with 10 new events of people whose logs the process does not remember."""
    with running(bench) as hub:
        known, others = Pushes(hub, PEOPLE), Pushes(hub, 8 * PEOPLE // bench.scale)

        def first():
            hub.restart()
            # Connections to the database, and what else a new process lacks.
            known.run(1)
            return others.run(1)
        pairs = alternate(first, lambda: known.run(1), 3)
    return [compare(
        "hub-cold", f"hub: sync of {EVENT_COUNT} new events of a person who is not remembered",
        "syncs/s", pairs, rate, "at least", 0.5,
        "limit: people who are remembered; a request: " + latency(pairs))]


@row
def year(bench):
    """The bytes of the database for a year of a person, which one sync has sent."""
    store = bench.person(20, 365 // bench.scale)
    with running(bench) as hub:
        status = hub.carillon("status", "--store", store)
        hub.run("people", "add", "--id", status["store"])
        link = hub.invite(status["store"])
        before = hub.bytes()
        hub.carillon("join", link, store, "--replica", "phone")
        hub.carillon("sync", "--store", store)
        events = hub.person(status["store"])["events"]
        hub.ask("VACUUM FULL")
        size = (hub.bytes() - before) * bench.scale
    return [exact(
        "hub-year", f"hub: a year of a person with 20 habits, {events:,} events", "bytes", size,
        "at most", 120 * events * bench.scale, f"{size / events / bench.scale:.0f} bytes an event")]


@row
def small_rows(bench):
    """The bytes of an event that came with few others, before and after compaction."""
    people, syncs = 20, 100 // bench.scale
    with running(bench) as hub:
        devices = hub.devices(people)
        before = hub.bytes()
        for _ in range(syncs):
            hub.send([request for device in devices for request in device.sync(EVENT_COUNT)])
        count = people * syncs * EVENT_COUNT
        grown = (hub.bytes() - before) / count
        hub.run("compact")
        hub.ask("VACUUM FULL")
        joined = (hub.bytes() - before) / count
    return [exact(
        "hub-small-rows", f"hub: an event of a sync with {EVENT_COUNT}, before compaction",
        "bytes", grown, "at most", 300, f"after it {joined:.0f}")]


@row
def memory(bench):
    """The memory of a process that has answered 100,000 people."""
    people = 100_000 // bench.scale
    with running(bench) as hub:
        before = hub.process_memory()
        stores = hub.people(people)
        devices = [Access(store) for store in stores]
        hub.give_access(devices)
        # Nothing is known of the log, and nothing is in it.
        requests = [device.request(replica.Message(vector=([], 0))) for device in devices]
        sent, rates = 0, []
        while sent < people:
            found = hub.wrk(requests[sent:], 10)
            sent += int(found.count)
            rates.append(found.rate)
        after = hub.process_memory()
    return [exact(
        "hub-memory", f"hub: memory of a process that has answered {people:,} people", "MB",
        after / 1e6, "at most", 200,
        f"{before / 1e6:.0f} MB at its start; {min(rates):,.0f} of their requests a second")]
