"""The rows of tools/count-instructions: each returns the instructions of one piece of work.

callgrind runs one thread at a time, and presents the same processor on every machine with AVX2. It
has no instructions for SHA-256, so that hashes count more than they cost.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

from rows import CLOCK

SAMPLE_BACKUP = pathlib.Path(__file__).resolve().parent.parent / "sample-backup"

ROWS = {}

# The events of the stores whose difference is divided by the difference of their events.
FEW, MANY = 4_000, 12_000


def row(function):
    """Registers a row under its function's name, with hyphens."""
    ROWS[function.__name__.replace("_", "-")] = function
    return function


class Counter:
    """The programs, and the stores that rows share."""

    def __init__(self, products, scratch):
        self.scratch = scratch
        self.bench = self.program(products, "carillon-bench")
        self.carillon = self.program(products, "carillon")
        self.stores = {}

    def program(self, products, name):
        """Returns a copy of a program without debug symbols, which valgrind may fail to read."""
        path = self.scratch / name
        subprocess.run(
            ["objcopy", "--strip-all", "--remove-section=.gnu_debuglink", products / name, path],
            check=True)
        return path

    def fresh(self, name):
        """Returns an unused path in the scratch directory."""
        path = self.scratch / name
        shutil.rmtree(path, ignore_errors=True)
        return path

    def store(self, events):
        """Returns a copy of a store with 1,000 habits and a number of events."""
        if events not in self.stores:
            self.stores[events] = self.scratch / f"store-{events}"
            run(self.bench, "generate", self.stores[events], events)
        copy = self.fresh("store")
        shutil.copytree(self.stores[events], copy)
        # A copy takes a name of its own before it writes, which is no part of any row.
        self.verb(copy, "note", self.habit(copy), "copied", counts=False)
        return copy

    def habit(self, store):
        """Returns the ID of the first habit."""
        return json.loads(self.verb(store, "habit", "list", "--json", counts=False))["habits"][0][
            "id"]

    def verb(self, store, *words, counts=True):
        """Runs a verb of the command line, and returns its instructions or its output."""
        return (count if counts else run)(self.carillon, *words, "--store", store, *CLOCK)

    def per_event(self, verb, *arguments):
        """Returns the instructions that each further event costs a verb of carillon-bench."""
        few, many = (count(self.bench, verb, self.store(events), *arguments)
                     for events in (FEW, MANY))
        return round((many - few) / (MANY - FEW))


def run(*command):
    """Runs a program, and returns its output."""
    result = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env=environment())
    if result.returncode != 0:
        raise RuntimeError(f"{command} exited with {result.returncode}: {result.stderr[-500:]}")
    return result.stdout


def count(*command):
    """Runs a program in callgrind, and returns the number of its instructions."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    result = subprocess.run(
        [*valgrind, *(str(part) for part in command)], capture_output=True, text=True,
        env=environment())
    found = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or found is None:
        raise RuntimeError(f"{command} exited with {result.returncode}: {result.stderr[-500:]}")
    return int(found.group(1))


def environment():
    """Returns the environment in which hash tables have the same order in every run."""
    return os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"}


@row
def append(counter):
    """An event of 200 bytes, in batches of 1,000."""
    few, many = (count(counter.bench, "append", counter.fresh("append"), events, 1_000, 200)
                 for events in (2_000, 10_000))
    return round((many - few) / 8_000)


@row
def scan(counter):
    """Reading and decoding an event."""
    few, many = (count(counter.bench, "scan", counter.store(MANY), rounds) for rounds in (2, 22))
    return round((many - few) / 20 / MANY)


@row
def rebuild(counter):
    """Projecting an event in a rebuild."""
    return counter.per_event("rebuild")


@row
def import_backup(counter):
    """Importing a repetition of a Loop backup."""
    counts = []
    for repetitions in (FEW, MANY):
        backup = counter.scratch / f"backup-{repetitions}.db"
        if not backup.exists():
            run(SAMPLE_BACKUP, backup, "--habits", 200, "--repetitions", repetitions)
        counts.append(count(counter.bench, "import", backup, counter.fresh("imported")))
    return round((counts[1] - counts[0]) / (MANY - FEW))


@row
def verify(counter):
    """Checking an event by `verify --full`."""
    return counter.per_event("verify-full")


@row
def plan(counter):
    """A plan of 1,000 habits with two schedules each."""
    few, many = (count(counter.bench, "plan", 1_000, rounds) for rounds in (2, 12))
    return round((many - few) / 10)


@row
def pending(counter):
    """The whole process of `pending`, from the kept plan."""
    store = counter.store(MANY)
    counter.verb(store, "pending", counts=False)
    return counter.verb(store, "pending", "--json")


@row
def done(counter):
    """The whole process of `done`."""
    store = counter.store(MANY)
    return counter.verb(store, "done", counter.habit(store))


@row
def status(counter):
    """The whole process of `status` after a change."""
    store = counter.store(MANY)
    counter.verb(store, "status", counts=False)
    counter.verb(store, "done", counter.habit(store), counts=False)
    return counter.verb(store, "status")


@row
def sync(counter):
    """Recording 100 events on each of two replicas, and their sync."""
    none, news = (count(counter.bench, "sync-news", counter.fresh("sync"), FEW, events, 20)
                  for events in (0, 100))
    return news - none
