"""relaxed: a power cut while a process writes with relaxed durability.

A program writes events one at a time, and notes each in a file when its write has returned. It runs
once under the preloaded library; see power.py. For each try, the folder is recreated as it may be
after a cut following one of the records. Then the store must open and verify must find nothing.
Every event that was noted before the last sync of the log must be there; in LMDB, every one but the
last. Those that are there are the first ones, without gaps. Between two notes that are further
apart than the limit of the durability, the log must have been synced."""

import random as chance
import subprocess
import sys

from faulting.disk import Disk, read_journal
from faulting.running import Finding

COUNT = 40
NEEDS_PRELOAD = True

EVENTS = 400
# The limit of the durability, and what a busy machine may add to it, in milliseconds.
LIMIT, SLACK = 20, 2_000
NOTES = "noted"


class Campaign:
    def __init__(self, place, options):
        self.place = place
        self.writer = options.carillon.parent / "carillon-bench"
        if not self.writer.is_file():
            print("carillon-bench is not built; run tools/bench --quick --only stores, and give "
                  "the carillon next to it with --carillon", file=sys.stderr)
            sys.exit(66)
        place.restore()
        locks = [path for path in place.files if path.endswith("lock.mdb")]
        self.files = place.read() | {path: place.path(path).read_bytes() for path in locks}
        self.inodes = {path: place.path(path).stat().st_ino for path in self.files}
        self.records = self.record()
        self.noted = self.notes()
        self.findings = self.late_syncs()

    def record(self):
        journal = self.place.root.parent / "journal"
        journal.write_bytes(b"")
        environment = {"PATH": "/usr/bin:/bin"} | self.place.preloaded.environment(
            self.place.root, journal=journal)
        subprocess.run(
            [self.writer, "relaxed", self.place.path("phone"), str(EVENTS), str(LIMIT),
             self.place.path(NOTES)], env=environment, check=True, stdout=subprocess.DEVNULL)
        return read_journal(journal.read_bytes(), str(self.place.root.resolve()))

    def is_sync(self, record):
        log = "phone/log/data.mdb" if self.place.storage == "lmdb" else "phone/log.sqlite-wal"
        return record.operation in "sd" and record.path == log

    def notes(self):
        """The number of a record, the time in milliseconds and the event ID of each note."""
        notes = []
        for index, record in enumerate(self.records):
            if record.operation == "w" and record.path == NOTES:
                time, event = record.data.decode().split()
                notes.append((index, int(time), event))
        if len(notes) != EVENTS:
            raise RuntimeError(f"{len(notes)} notes were recorded")
        return notes

    def late_syncs(self):
        """Findings where the log was not synced within the limit."""
        syncs = [index for index, record in enumerate(self.records) if self.is_sync(record)]
        for number, (begin, time, event) in enumerate(self.noted):
            later = next((note for note in self.noted[number:]
                          if note[1] > time + LIMIT + SLACK), None)
            if later and not any(begin < index < later[0] for index in syncs):
                return [Finding("wrong", f"{event} was not synced within {LIMIT + SLACK} ms")]
        return []

    def tries(self, random, count):
        print(f"{EVENTS} writes, {len(self.records)} records", flush=True)
        return [
            f"{random.choice(('ordered', 'strict'))}:{random.randint(0, len(self.records))}:"
            f"{random.randrange(10**6)}" for _ in range(count)]

    def attempt(self, name):
        how, cut, seed = name.split(":")
        cut = int(cut)
        disk = Disk(self.files, self.inodes, how == "ordered")
        for record in self.records[:cut]:
            disk.apply(record)
        self.place.restore(disk.after_cut(chance.Random(int(seed))))
        synced = max((index for index, record in enumerate(self.records[:cut])
                      if self.is_sync(record)), default=-1)
        noted = [event for index, _, event in self.noted if index < cut]
        promised = {event for index, _, event in self.noted if index < min(cut, synced)}
        if self.place.storage == "lmdb":
            promised |= set(noted[:-1])
        findings = self.findings + self.place.examine(
            "phone", self.place.held["phone"] | promised)
        answer = self.place.run("log")
        kept = [event for _, _, event in self.noted if event in answer.output]
        if kept != [event for _, _, event in self.noted[:len(kept)]]:
            findings.append(Finding("wrong", "an event is there without those before it"))
        return findings
