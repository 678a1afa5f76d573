"""Simulated people: each has a phone and a watch, which write events and sync through a hub.

A device is a replica of tools/python-replica, so what it checks was written from the protocol."""

import concurrent.futures
import contextlib
import http.client
import importlib.machinery
import importlib.util
import pathlib
import random
import re
import threading
import time
import uuid

from faulting.running import Finding
from hubbing.hubs import Busy, Connection, Refused

TOOLS = pathlib.Path(__file__).resolve().parent.parent
CODE = re.compile(r"invite=([\w-]+)")
# What may end a sync while links and processes are killed.
CUTS = (OSError, http.client.HTTPException)


def replica_module():
    loader = importlib.machinery.SourceFileLoader(
        "python_replica", str(TOOLS / "python-replica"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


replica = replica_module()


class Lost(Exception):
    """The hub no longer has what it acknowledged."""


class Sync(replica.Initiator):
    """A sync that checks that the hub still has everything that it acknowledged."""

    def __init__(self, device, ask):
        super().__init__(device.log, ask, replica.DEFAULT_LIMIT, False)
        self.device, self.is_equal = device, False

    def send(self, message):
        reply = super().send(message)
        self.is_equal = reply is None
        return reply

    def next(self):
        message, sent = super().next()
        again = {event.id for run in sent for event in run} & self.device.acknowledged
        if again:
            raise Lost(f"{len(again)} acknowledged events, such as {min(again).hex()}")
        return message, sent


class Device:
    """One replica of a person, with its credential."""

    def __init__(self, person, name, path):
        self.person, self.name = person, name
        self.log = replica.Log.create(path, person.id, f"{name} of {person.mark}", False)
        self.credential = None
        # The IDs of the events that the hub has acknowledged.
        self.acknowledged = set()
        self.lock = threading.Lock()

    def join(self, process, code):
        with Connection(process) as connection:
            joined = connection.document("POST", "/v1/join", code=code, name=self.name)
        if joined["store"] != self.person.id:
            raise RuntimeError(f"joined {joined['store']} instead of {self.person.id}")
        self.credential = joined["credential"]

    def write(self, count):
        """Records that the person's habit was done."""
        for _ in range(count):
            date = f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
            self.log.write([self.log.make(replica.entry_recorded(self.person.habit, date))])

    def sync(self, process):
        """Syncs through a process; returns whether anything moved."""
        with Connection(process, self.credential) as connection:
            sync = Sync(self, lambda data: connection.ask("POST", "/v1/sync", data))
            report = sync.run()
        if report["refused"]:
            raise Refused(f"refused: {report['refused']}")
        held = set(self.log.events)
        if not sync.is_equal and not held <= sync.held.ids:
            raise Refused(f"{len(held - sync.held.ids)} events were not sent")
        self.acknowledged |= held
        return report["eventsSent"] + report["eventsReceived"] > 0


class Person:
    """A person's two devices. The mark is in the content of every event of the person."""

    def __init__(self, directory, number):
        self.id, self.mark = str(uuid.uuid4()), f"person-{number:05}"
        self.habit = str(uuid.uuid5(uuid.NAMESPACE_URL, self.mark))
        self.devices = [Device(self, name, directory / f"{self.mark}-{name}")
                        for name in ("phone", "watch")]

    def join(self, hub):
        hub.run("hub", "people", "add", "--id", self.id)
        phone, watch = self.devices
        process = random.choice(hub.processes)
        phone.join(process, CODE.search(hub.invite(self.id))[1])
        with Connection(process, phone.credential) as connection:
            invited = connection.document("POST", "/v1/invitations", role="watch")
        watch.join(process, CODE.search(invited["link"])[1])

    def owns(self, event):
        """Whether the content of an event is this person's."""
        return event.payload is not None and (
            uuid.UUID(self.habit).bytes in event.payload or self.mark.encode() in event.payload)


class Crowd:
    """All people, whose devices sync in any order on some threads until they are stopped."""

    def __init__(self, people, hub, threads=12):
        self.people, self.hub, self.threads = people, hub, threads
        self.devices = [device for person in people for device in person.devices]
        self.findings, self.stops = [], threading.Event()
        self.lock = threading.Lock()
        self.syncs = self.cuts = self.refusals = 0
        self.newest, self.longest_wait = time.monotonic(), 0

    @contextlib.contextmanager
    def living(self):
        """Lets the devices sync, and stops them at the end, also after an error."""
        self.newest = time.monotonic()
        self.stops.clear()
        with concurrent.futures.ThreadPoolExecutor(self.threads) as pool:
            running = [pool.submit(self.live, index) for index in range(self.threads)]
            try:
                yield
            finally:
                self.stops.set()
        for one in running:
            one.result()

    def live(self, index):
        mine = self.devices[index::self.threads]
        while not self.stops.is_set():
            random.shuffle(mine)
            for device in mine:
                if self.stops.is_set():
                    return
                device.write(random.randint(0, 10))
                self.sync(device)

    def note(self, finding):
        with self.lock:
            self.findings.append(finding)

    def sync(self, device):
        """Syncs a device through any process; returns whether it was done, and anything moved."""
        try:
            moved = device.sync(random.choice(self.hub.processes))
        except Busy:
            with self.lock:
                self.refusals += 1
            time.sleep(random.uniform(0.1, 1))
            return False, True
        except TimeoutError:
            self.note(Finding("hung", f"no answer to {device.name} of {device.person.mark}"))
            return False, True
        except CUTS:
            with self.lock:
                self.cuts += 1
            time.sleep(random.uniform(0.05, 0.3))
            return False, True
        except Lost as lost:
            self.note(Finding("lost", f"{device.name} of {device.person.mark}: {lost}"))
            return False, True
        except (Refused, replica.SyncFailed, replica.Malformed) as problem:
            self.note(Finding("wrong", f"{device.name} of {device.person.mark}: {problem}"))
            return False, True
        with self.lock:
            now = time.monotonic()
            self.syncs += 1
            self.longest_wait = max(self.longest_wait, now - self.newest)
            self.newest = now
        return True, moved

    def settle(self, rounds=8):
        """Syncs all devices until nothing moves any more."""
        with concurrent.futures.ThreadPoolExecutor(self.threads) as pool:
            for _ in range(rounds):
                results = list(pool.map(self.sync, self.devices))
                if all(done and not moved for done, moved in results):
                    return
        self.note(Finding("diverged", "the devices do not come to rest"))
