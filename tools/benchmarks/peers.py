"""The work of tools/bench --peers with other systems: runs in an environment that has them.

Usage: peers.py PEER VERB ARGUMENT ... Each verb prints one line of JSON, as carillon-bench does. A
fact is that a habit, of 16 random bytes, was done on a day.

  append DIRECTORY EVENTS     durable appends of 200 random bytes, 1,000 per commit
  facts DIRECTORY FACTS       writes facts of 1,000 habits, as above, and prints the bytes on disk
  fold DIRECTORY FACTS        reads them and counts the days of each habit
  cold FACTS                  what a new replica receives
  news FACTS NEWS HABITS      what two replicas exchange after each wrote NEWS of its own HABITS
"""

import json
import os
import pathlib
import random
import resource
import sys
import time
import uuid

BATCH = 1_000
HABITS = 1_000


def payloads():
    """Returns the payloads of a batch."""
    generator = random.Random(7)
    return [generator.randbytes(200) for _ in range(BATCH)]


def habits():
    """Returns the IDs of all habits, the same in every process."""
    generator = random.Random(1)
    return [generator.randbytes(16) for _ in range(HABITS)]


def facts(count, offset=0, habit_count=HABITS, first_day=15_000):
    """Returns facts: the habits in turn, on successive days."""
    names = habits()
    return [(names[offset + index % habit_count], first_day + index // habit_count)
            for index in range(count)]


def batches(items):
    return (items[start:start + BATCH] for start in range(0, len(items), BATCH))


def size(directory):
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())


class Records:
    """What systems without documents share: rows of bytes, in batches."""

    def facts(self, items):
        for batch in batches(rows_of(items)):
            self.write(batch)

    def fold(self):
        return count_days(row[:16] for row in self.rows())


def rows_of(items):
    """Returns facts as bytes."""
    return [habit + day.to_bytes(4) for habit, day in items]


def count_days(names):
    days = {}
    for name in names:
        days[name] = days.get(name, 0) + 1
    return days


class LMDB(Records):
    def __init__(self, directory):
        import lmdb
        self.environment = lmdb.open(str(directory), map_size=1 << 32)
        with self.environment.begin() as transaction:
            self.count = transaction.stat()["entries"]

    def write(self, rows):
        with self.environment.begin(write=True) as transaction:
            for row in rows:
                transaction.put(self.count.to_bytes(8), row, append=True)
                self.count += 1

    def rows(self):
        with self.environment.begin() as transaction:
            yield from transaction.cursor().iternext(keys=False)

    def close(self):
        self.environment.close()


class SQLite(Records):
    def __init__(self, directory):
        import sqlite3
        directory.mkdir(exist_ok=True)
        self.database = sqlite3.connect(directory / "log.sqlite")
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        self.database.execute("CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, row BLOB)")

    def write(self, rows):
        with self.database:
            self.database.executemany("INSERT INTO log (row) VALUES (?)", ((row,) for row in rows))

    def rows(self):
        return (row for (row,) in self.database.execute("SELECT row FROM log ORDER BY id"))

    def close(self):
        self.database.close()


class EventSourcing(Records):
    def __init__(self, directory):
        from eventsourcing.persistence import StoredEvent
        from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore
        directory.mkdir(exist_ok=True)
        self.store = SQLiteDatastore(str(directory / "events.sqlite"))
        self.recorder = SQLiteApplicationRecorder(self.store)
        self.recorder.create_table()
        self.event, self.owner, self.count = StoredEvent, uuid.UUID(int=1), 0

    def write(self, rows):
        self.recorder.insert_events(
            [self.event(self.owner, self.count + index, "done", row)
             for index, row in enumerate(rows)])
        self.count += len(rows)

    def rows(self):
        return (event.state for event in self.recorder.select_events(self.owner))

    def close(self):
        self.store.close()


class Document:
    """What documents that merge share: the update of each batch is appended to a file, durably."""

    def __init__(self, directory):
        directory.mkdir(exist_ok=True)
        self.file = os.open(directory / "updates", os.O_RDWR | os.O_CREAT | os.O_APPEND)

    def save(self, update):
        os.write(self.file, len(update).to_bytes(4) + update)
        os.fdatasync(self.file)

    def saved(self):
        content = os.pread(self.file, os.fstat(self.file).st_size, 0)
        start = 0
        while start < len(content):
            end = start + 4 + int.from_bytes(content[start:start + 4])
            yield content[start + 4:end]
            start = end

    def close(self):
        os.close(self.file)


class Loro(Document):
    """A map of days for each habit: of the forms with IDs of habits, the one that sends least."""

    def __init__(self, directory=None):
        from loro import ExportMode, LoroDoc, LoroMap
        self.document, self.mode, self.map = LoroDoc(), ExportMode, LoroMap
        if directory is not None:
            super().__init__(directory)

    def write(self, rows):
        before = self.document.oplog_vv
        log = self.document.get_list("log")
        for row in rows:
            log.push(row)
        self.document.commit()
        self.save(self.update(before))

    def put(self, items):
        habits = self.document.get_map("habits")
        for habit, day in items:
            habits.get_or_create_container(habit.hex(), self.map()).insert(str(day), True)
        self.document.commit()

    def facts(self, items):
        for batch in batches(items):
            before = self.document.oplog_vv
            self.put(batch)
            self.save(self.update(before))

    def fold(self):
        self.document.import_batch(list(self.saved()))
        habits = self.document.get_deep_value()["habits"]
        return {name: len(days) for name, days in habits.items()}

    def all(self):
        return self.update(type(self.version())())

    def version(self):
        return self.document.oplog_vv

    def update(self, version):
        return self.document.export(self.mode.Updates(version))

    def merge(self, update):
        self.document.import_(update)

    @staticmethod
    def encoded(version):
        return version.encode()


class PyCRDT(Document):
    """One array of facts."""

    def __init__(self, directory=None):
        from pycrdt import Array, Doc
        self.document = Doc()
        self.log = self.document.get("log", type=Array)
        if directory is not None:
            super().__init__(directory)

    def write(self, rows):
        updates = []
        observer = self.document.observe(lambda event: updates.append(event.update))
        with self.document.transaction():
            self.log.extend(rows)
        self.document.unobserve(observer)
        for update in updates:
            self.save(update)

    def put(self, items):
        for batch in batches(rows_of(items)):
            with self.document.transaction():
                self.log.extend(batch)

    def facts(self, items):
        for batch in batches(rows_of(items)):
            self.write(batch)

    def fold(self):
        for update in self.saved():
            self.document.apply_update(update)
        return count_days(bytes(row)[:16] for row in self.log)

    def all(self):
        return self.document.get_update()

    def version(self):
        return self.document.get_state()

    def update(self, version):
        return self.document.get_update(version)

    def merge(self, update):
        self.document.apply_update(update)

    @staticmethod
    def encoded(version):
        return version


def append(peer, directory, count):
    system, rows = peer(directory), payloads()
    with Timing(count):
        for _ in range(0, count, BATCH):
            system.write(rows)
    system.close()


def write_facts(peer, directory, count):
    system, items = peer(directory), facts(count)
    timing = Timing(count)
    with timing:
        system.facts(items)
        system.close()
        timing.details["bytes"] = size(directory)


def fold(peer, directory, count):
    with Timing(count):
        days = peer(directory).fold()
    assert sum(days.values()) == count, "all facts are read"


def cold(peer, count):
    document = peer()
    document.put(facts(count))
    timing = Timing(count)
    with timing:
        update = document.all()
        peer().merge(update)
        timing.details["bytes"] = len(update)


def news(peer, count, news_count, habit_count):
    left, right = peer(), peer()
    left.put(facts(count))
    right.merge(left.all())
    for document, offset in ((left, 0), (right, habit_count)):
        document.put(facts(news_count, offset, habit_count, first_day=20_781))
    timing = Timing(1)
    with timing:
        versions = left.version(), right.version()
        updates = left.update(versions[1]), right.update(versions[0])
        right.merge(updates[0])
        left.merge(updates[1])
        timing.details["bytes"] = sum(map(len, map(peer.encoded, versions))) + sum(
            map(len, updates))


class Timing:
    """Measures a piece of work, and prints it."""

    def __init__(self, count):
        self.count, self.details = count, {}

    def __enter__(self):
        self.started, self.cpu_started = time.monotonic(), cpu_seconds()

    def __exit__(self, problem, *_):
        if problem is None:
            print(json.dumps({
                "count": self.count, "seconds": time.monotonic() - self.started,
                "cpuSeconds": cpu_seconds() - self.cpu_started, **self.details}))


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


PEERS = {
    "lmdb": LMDB, "sqlite3": SQLite, "eventsourcing": EventSourcing, "loro": Loro,
    "pycrdt": PyCRDT,
}
VERBS = {"append": append, "facts": write_facts, "fold": fold}


def main(name, verb, *words):
    peer = PEERS[name]
    if verb in VERBS:
        VERBS[verb](peer, pathlib.Path(words[0]), int(words[1]))
    else:
        {"cold": cold, "news": news}[verb](peer, *map(int, words))


if __name__ == "__main__":
    main(*sys.argv[1:])
