"""Compares all replicas of each person with what the hub has."""

import concurrent.futures
import time

from faulting.running import Finding
from hubbing.hubs import Busy, Connection
from hubbing.machines import PATIENCE
from hubbing.people import replica


class Comparison:
    def __init__(self, hub, people, directory):
        self.hub, self.people, self.directory = hub, people, directory
        self.event_count = 0

    def lost(self):
        """Findings about acknowledged events that the hub does not have, before any more syncs."""
        return self.each(lambda person, stored, _: self.missing(person, stored))

    def findings(self):
        """Findings about devices that are at rest."""
        self.event_count = 0
        return self.each(self.compare)

    def each(self, compare):
        counts = {line["person"]: line["events"] for line in self.hub.run("hub", "people", "list")}
        findings = []
        if set(counts) != {person.id for person in self.people}:
            findings.append(Finding("wrong", f"the hub has {len(counts)} people"))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for found in pool.map(
                    lambda person: compare(person, self.stored(person), counts.get(person.id)),
                    self.people):
                findings += found
        return findings

    def stored(self, person):
        """What the hub sends to a replica without events, which has nothing to send."""
        path = self.directory / f"{person.mark}-reader"
        # As a replica without keys, it writes nothing.
        log = replica.Log.create(path, person.id, "reader", True)
        process = self.hub.processes[0]
        with Connection(process, person.devices[0].credential) as connection:
            replica.Initiator(log, lambda data: ask(connection, data), replica.DEFAULT_LIMIT,
                              False).run()
        path.unlink()
        return log.events

    @staticmethod
    def missing(person, stored):
        acknowledged = set().union(*(device.acknowledged for device in person.devices))
        gone = acknowledged - set(stored)
        return [Finding("lost", f"{len(gone)} acknowledged events of {person.mark}, such as "
                        f"{min(gone).hex()}")] if gone else []

    def compare(self, person, stored, count):
        findings = self.missing(person, stored)
        self.event_count += len(stored)
        for device in person.devices:
            if set(device.log.events) != set(stored):
                findings.append(Finding(
                    "diverged", f"{device.name} of {person.mark} has {len(device.log.events)} "
                    f"events, and the hub has {len(stored)}"))
            others = [event for event in device.log.events.values() if not person.owns(event)]
            if others:
                findings.append(Finding(
                    "wrong", f"{device.name} of {person.mark} has {len(others)} events that are "
                    f"not this person's, such as {others[0].id.hex()}"))
        if not all(map(person.owns, stored.values())):
            findings.append(Finding("wrong", f"the hub has events of others for {person.mark}"))
        if count != len(stored):
            findings.append(Finding(
                "wrong", f"the hub counts {count} events of {person.mark}, and sends "
                f"{len(stored)}"))
        return findings


def real_replica(hub, person, directory):
    """Joins with the command line, which checks everything; a second sync must move nothing."""
    place = directory / f"{person.mark}-store"
    hub.run("join", hub.invite(person.id), place, "--replica", "desktop")
    hub.run("sync", "--store", place)
    hub.run("verify", "--full", "--store", place)
    again = hub.run("sync", "--store", place)[-1]
    if again["eventsSent"] or again["eventsReceived"]:
        return [Finding("wrong", f"a second sync of {person.mark} moves events: {again}")]
    return []


def ask(connection, data):
    """The answer to a message, also from a hub that has just been repaired and is still busy."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return connection.ask("POST", "/v1/sync", data)
        except Busy:
            if time.monotonic() > end:
                raise
        time.sleep(0.5)
