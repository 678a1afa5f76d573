"""The rows of the benchmarks, in the order in which they are printed.

Each row is a function that takes a `Bench` and returns lines of the table. Most rows run the work
with Carillon and, for comparison, the same work in plain C, with `sqlite3` or from memory.
"""

import contextlib
import pathlib
import shutil
import sqlite3
import statistics
import tempfile

from harness import alternate, compare, exact, execute

ROWS = {}

# The moment after the last event of the generated stores, and their time zone.
CLOCK = ["--now", "2026-11-23T07:00:00Z", "--zone", "GMT"]

# The query of the projection that corresponds to `pending`. Pages that another program moves from
# the write-ahead log into the file have no checksum.
KEEP_LOG = ["-cmd", ".dbconfig no_ckpt_on_close on"]
PENDING = "SELECT * FROM pending ORDER BY place LIMIT 64"


def row(function):
    """Registers a row under its function's name, with hyphens."""
    ROWS[function.__name__.replace("_", "-")] = function
    return function


class Bench:
    """The paths of programs and data, and the amount of work."""

    def __init__(self, ours, carillon, programs, scratch, quick):
        self.ours = ours
        self.carillon = carillon
        self.programs = programs
        self.scratch = scratch
        self.scale = 10 if quick else 1
        self.times = 2 if quick else 5
        self.stores = {}

    def fresh(self, name):
        """Returns an unused path in the scratch directory."""
        path = self.scratch / name
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)
        return path

    def work(self, verb, *arguments):
        """Runs one verb of carillon-bench."""
        return execute(self.ours, verb, *arguments)

    def whole_process(self, *command):
        """Runs any program and measures it from outside, including its start and end."""
        return execute(self.programs / "whole_process", *command)

    def store(self, events):
        """Returns a store with a number of mixed events, shared by rows that do not change it."""
        if events not in self.stores:
            path = self.fresh(f"store-{events}")
            self.work("generate", path, events)
            self.stores[events] = path
        return self.stores[events]

    def person(self, habits, days):
        """Returns a store of habits that were done three times on each of some days.

        It is shared by rows, and grows by what they record.
        """
        key = (habits, days)
        if key not in self.stores:
            path = self.fresh(f"person-{habits}-{days}")
            self.work("person", path, habits, days)
            self.stores[key] = path
        return self.stores[key]


def rate(run):
    return run.rate


def projection(store):
    """Returns the projection file in use: the one that was modified last."""
    return max(store.glob("projection-*.sqlite"), key=lambda file: file.stat().st_mtime)


def projected_rows(store):
    """Returns all rows of the projection, by table."""
    address = f"{projection(store).as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
        tables = database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return {
            name: set(database.execute(f'SELECT * FROM "{name}"'))
            for (name,) in tables.fetchall()
        }


@row
def append(bench):
    events = 200_000 // bench.scale
    pairs = alternate(
        lambda: bench.work("append", bench.fresh("append"), events, 1000, 200),
        lambda: execute(
            bench.programs / "lmdb_append", bench.fresh("append-c"), events, 1000, 200),
        bench.times + 2)
    cpu = statistics.median(mine.cpu_seconds / other.cpu_seconds for mine, other in pairs)
    return [compare(
        "append", "append of 200-byte payloads, 1,000 per batch, durable", "events/s", pairs, rate,
        "at least", 0.85, f"limit: raw LMDB in C; {cpu:.2f} times its CPU, at most 2",
        cpu <= 2)]


@row
def append_tmpfs(bench):
    events = 200_000 // bench.scale
    with tempfile.TemporaryDirectory(prefix="carillon-bench-", dir="/dev/shm") as memory:
        path = pathlib.Path(memory) / "log"

        def on_memory(*command):
            shutil.rmtree(path, ignore_errors=True)
            return execute(*command, path, events, 1000, 200)

        pairs = alternate(
            lambda: on_memory(bench.ours, "append"),
            lambda: on_memory(bench.programs / "lmdb_append"), bench.times + 2)
    return [compare(
        "append-tmpfs", "CPU of the same on tmpfs", "CPU s", pairs, lambda run: run.cpu_seconds,
        "at most", 2.8, "limit: raw LMDB in C")]


@row
def append_sqlite(bench):
    events = 200_000 // bench.scale
    pairs = alternate(
        lambda: bench.work("append", bench.fresh("append"), events, 1000, 200, "sqlite"),
        lambda: execute(
            bench.programs / "sqlite_append", bench.fresh("append-c.sqlite"), events, 1000, 200),
        bench.times + 2)
    return [compare(
        "append-sqlite", "append on the SQLite log, 1,000 per batch, durable", "events/s", pairs,
        rate, "at least", 0.7, "limit: raw SQLite in C, the same rows")]


@row
def append_relaxed(bench):
    """One event a commit, so that the wait for the disk is all that counts."""
    events = 2_000 // bench.scale
    rows = []
    for storage in ("lmdb", "sqlite"):
        pairs = alternate(
            lambda: bench.work("append", bench.fresh("append"), events, 1, 200, storage, 1000),
            lambda: bench.work("append", bench.fresh("append"), events, 1, 200, storage, "full"),
            bench.times)
        rows.append(compare(
            f"append-relaxed-{storage}", f"commits of one event, relaxed, {storage}", "events/s",
            pairs, rate, "at least", 1, "limit: durable commits"))
    return rows


@row
def stores(bench):
    count = 1_000 // bench.scale
    with tempfile.TemporaryDirectory(prefix="carillon-bench-", dir="/dev/shm") as memory:
        run = bench.work("stores", pathlib.Path(memory), count)
    found = run.details
    return [
        exact("stores-threads", f"threads, {count:,} stores busy at once", "threads",
              found["threads"], "at most", 32,
              f"done and plan of all in {1000 * run.seconds:.0f} ms"),
        exact("stores-descriptors", "descriptors of an open store", "descriptors",
              found["descriptors"], "at most", 6,
              f"besides {found['left']} of the process, which are left after close",
              found["left"] <= 3),
        exact("stores-space", "address space of an open store", "MB", found["megabytes"],
              "at most", 128),
    ]


@row
def callers(bench):
    events = 6_400 // bench.scale
    pairs = alternate(
        lambda: bench.work("callers", bench.fresh("callers"), 64, events),
        lambda: bench.work("callers", bench.fresh("callers"), 1, events // 16), bench.times)
    commits = max(mine.details["commits"] / mine.count for mine, _ in pairs)
    return [
        compare(
            "callers", "durable appends of one event by 64 callers", "events/s", pairs, rate,
            "at least", 25, "limit: one caller"),
        exact(
            "commits", "commits per event, 64 callers", "commits", commits, "at most", 1 / 20),
    ]


@row
def scan(bench):
    store = bench.store(1_000_000 // bench.scale)
    pairs = alternate(
        lambda: bench.work("scan", store), lambda: bench.work("decode", store), bench.times)
    memory = max(mine.details["anonymousMegabytes"] for mine, _ in pairs)
    return [compare(
        "scan", "scan of the log with decoding", "events/s", pairs, rate, "at least", 0.85,
        f"limit: decoding from memory; {memory:.0f} MB more anonymous")]


@row
def scan_sqlite(bench):
    events = 200_000 // bench.scale
    path = bench.fresh("scan-sqlite")
    bench.work("append", path, events, 1000, 200, "sqlite")
    other = bench.fresh("scan-lmdb")
    bench.work("append", other, events, 1000, 200)
    pairs = alternate(
        lambda: bench.work("visit", path, "sqlite"), lambda: bench.work("visit", other),
        bench.times)
    return [compare(
        "scan-sqlite", "scan of the SQLite log", "events/s", pairs, rate, "at least", 0,
        "limit: the log on LMDB, no target")]


@row
def rebuild(bench):
    events = 1_000_000 // bench.scale
    store = bench.store(events)
    count = sum(len(rows) for rows in projected_rows(store).values())

    def rows_in_c(batch):
        return execute(
            bench.programs / "sqlite_rows", bench.fresh("rows.sqlite"), count, batch)

    rounds = []
    for _ in range(bench.times):
        rounds.append((bench.work("rebuild", store), rows_in_c(1), rows_in_c(100_000)))
        rounds[-1][0].count = count
    memory = max(mine.details["anonymousMegabytes"] for mine, _, _ in rounds)
    return [
        compare(
            "rebuild", f"rebuild of all projections, {events:,} events", "rows/s",
            [(mine, logged) for mine, logged, _ in rounds], rate, "at least", 0.8,
            f"limit: raw SQLite in C, {count:,} rows; {memory:.0f} MB more anonymous, at most 80",
            memory <= 80),
        compare(
            "rebuild-sorted", "the same", "rows/s",
            [(mine, ordered) for mine, _, ordered in rounds], rate, "at least", 0.6,
            "limit: the same C, each 100,000 rows sorted by key"),
    ]


@row
def verify_full(bench):
    events = 1_000_000 // bench.scale
    store = bench.store(events)
    pairs = alternate(
        lambda: bench.work("verify-full", store), lambda: bench.work("hash", store), bench.times)
    memory = max(mine.details["anonymousMegabytes"] for mine, _ in pairs)
    return [compare(
        "verify-full", f"verify --full, {events:,} events", "events/s", pairs, rate, "at least",
        0.5,
        f"limit: hashing alone on one thread; {memory:.0f} MB more anonymous, at most 80",
        memory <= 80)]


@row
def catch_up(bench):
    store = bench.fresh("catch-up")
    bench.work("generate", store, 100_000 // bench.scale)
    before = projected_rows(store)
    bench.work("one-event", store)
    after = projected_rows(store)
    changes = sum(
        max(len(before[table] - after[table]), len(after[table] - before[table]))
        for table in after)
    return [exact(
        "catch-up", "row changes by one event after 100,000", "changes", changes, "at most", 5)]


@row
def bytes_per_event(bench):
    events = 100_000

    def size(run, *storage):
        work = bench.work("bytes", bench.fresh("bytes"), events, run, 142, *storage)
        return work.details["bytes"] / events

    figures = {run: size(run) for run in (10, 1)}
    sqlite = {run: size(run, "sqlite") for run in (10, 1)}
    return [
        exact("bytes-runs", "disk for an event of 142 bytes, runs of 10", "bytes", figures[10],
              "at most", 215),
        exact("bytes-alternating", "the same, two writers alternating", "bytes", figures[1],
              "at most", 270),
        exact("bytes-runs-sqlite", "the same on the SQLite log, runs of 10", "bytes", sqlite[10],
              "at most", 1.3 * 215),
        exact("bytes-alternating-sqlite", "the same, two writers alternating", "bytes",
              sqlite[1], "at most", 1.3 * 270),
    ]


@row
def open_to_answer(bench):
    events = 1_000_000 // bench.scale
    store = bench.store(events)
    command = [bench.carillon, "pending", "--json", "--store", store, *CLOCK]
    bench.whole_process(*command)
    pairs = alternate(
        lambda: bench.whole_process(*command),
        lambda: bench.whole_process("sqlite3", *KEEP_LOG, projection(store), PENDING),
        10 * bench.times)
    memory = max(mine.details["megabytes"] for mine, _ in pairs)
    return [compare(
        "open", f"open to the first pending answer, {events:,} events", "ms", pairs,
        lambda run: 1000 * run.seconds, "at most", 2.2,
        f"limit: sqlite3; {memory:.1f} MB, at most 32", memory <= 32)]


# Verbs that answer at once, with their arguments, and whether an event was written before them.
SHORT_VERBS = {
    "status": (["status"], True), "receipts list": (["receipts", "list"], False),
    "habit show": (["habit", "show", "Habit 1"], False), "habit list": (["habit", "list"], False),
    "today": (["today"], False), "explain": (["explain", "Habit 1"], False),
    "pending": (["pending"], True), "done": (["done", "Habit 1"], False),
    "undo": (["undo", "Habit 1"], True), "log": (["log", "--last", "20"], False),
}


def verb(bench, store, arguments, changed):
    """Measures a verb as a whole process, if need be after one event was written."""
    command = [bench.carillon, "--store", store, *CLOCK]
    if changed:
        bench.whole_process(*command, "done", "Habit 1")
    return bench.whole_process(*command, *arguments)


@row
def short_verbs(bench):
    """The stores of a person with 30 habits done three times a day, for 20 years and for 5 days."""
    old, young = bench.person(30, 7_300 // bench.scale), bench.person(30, 5)
    rows = []
    for name, (arguments, changed) in SHORT_VERBS.items():
        pairs = alternate(
            lambda: verb(bench, old, arguments, changed),
            lambda: verb(bench, young, arguments, changed), 4 * bench.times)
        cpu = 1000 * statistics.median(mine.cpu_seconds for mine, _ in pairs)
        rows.append(compare(
            f"short-{name.replace(' ', '-')}",
            f"{name} after 20 years" + (" and a change" if changed else ""), "ms", pairs,
            lambda run: 1000 * run.cpu_seconds, "at most", 1.2,
            "limit: with 1,000 events; at most 15 ms", cpu <= 15))
    return rows


@row
def many_habits(bench):
    """Verbs of a store with 1,000 habits that have three schedules each."""
    store = bench.person(1_000, 1)
    rows = []
    for name, target in (("habit list", 40), ("pending", 15), ("done", 12)):
        runs = [verb(bench, store, *SHORT_VERBS[name]) for _ in range(4 * bench.times)]
        rows.append(exact(
            f"many-{name.replace(' ', '-')}",
            f"{name} of 1,000 habits" + (" after a change" if SHORT_VERBS[name][1] else ""),
            "CPU ms", 1000 * statistics.median(run.cpu_seconds for run in runs), "at most",
            target))
    return rows


@row
def done(bench):
    """Recording a habit, and an empty commit."""
    store, repository = bench.person(30, 5), bench.fresh("repository")
    git = ["git", "-C", repository, "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    bench.whole_process("git", "init", "--quiet", repository)
    pairs = alternate(
        lambda: verb(bench, store, *SHORT_VERBS["done"]),
        lambda: bench.whole_process(*git, "commit", "--quiet", "--allow-empty", "-m", "done"),
        10 * bench.times)
    return [compare(
        "done", "done, whole process", "ms", pairs, lambda run: 1000 * run.seconds, "at most", 2,
        "limit: git commit --allow-empty")]


@row
def plan(bench):
    pairs = alternate(
        lambda: bench.work("plan", 1000), lambda: bench.work("plan-by-sorting", 1000), bench.times)
    mine = pairs[0][0].details
    allowed = 64 + 2 * mine["schedules"]
    return [
        compare(
            "plan", "plan of 1,000 habits, 64 places", "plans/s", pairs, rate, "at least", 20,
            "limit: expanding the horizon and sorting"),
        exact(
            "plan-computed", "occurrences computed by it", "occurrences", mine["computed"],
            "at most", allowed, "64 + 2 x schedules"),
    ]


@row
def sync(bench):
    shared = 100_000 // bench.scale
    equal = bench.work("sync-equal", bench.fresh("equal"), shared).details
    news = {
        habits: bench.work("sync-news", bench.fresh("news"), shared, 100, habits).details
        for habits in (20, 100)
    }
    return [
        exact("sync-equal", "sync, nothing to do", "bytes", equal["bytes"], "at most", 64,
              f"{equal['roundTrips']} round trip", equal["roundTrips"] <= 1),
        *(exact(f"sync-news-{habits}", f"sync, 100 + 100 new on 100,000, {habits} habits a side",
                "bytes", news[habits]["bytes"], "at most", target,
                f"{news[habits]['roundTrips']} round trips", news[habits]["roundTrips"] <= 2)
          for habits, target in ((20, 1100), (100, 1200))),
    ]


# Measured costs of other systems to find the missing events, without sending the events. The keys
# are the number of events on each side and the number of differences. The values are the bytes
# without a message limit, the bytes with a limit of 64 KiB if they differ, and the round trips. The
# sets are random 32-byte IDs over one year.
#
# RANGES and NEWEST_RANGES: range-based set reconciliation (Negentropy V1, its authors' C++), with
# differences anywhere, and with all differences in the newest 1 %. The events of the IDs must still
# be requested and sent. RATELESS: Rateless IBLT (Yang, Gilad and Alizadeh, SIGCOMM 2024, the
# authors' Go code), 42 bytes per symbol, one way, medians.
RANGES = {
    (10_000, 0): (367, None, 1), (10_000, 1): (1_230, None, 2), (10_000, 10): (7_700, None, 2),
    (10_000, 1_000): (175_547, 192_793, 2), (10_000, 10_000): (439_011, 615_964, 2),
    (100_000, 0): (367, None, 1), (100_000, 1): (1_898, None, 2), (100_000, 10): (15_519, None, 2),
    (100_000, 1_000): (796_835, 920_587, 2), (100_000, 10_000): (3_042_181, 4_665_281, 2),
    (1_000_000, 0): (367, None, 1), (1_000_000, 1): (2_391, None, 3),
    (1_000_000, 10): (20_275, None, 3), (1_000_000, 1_000): (1_396_631, 1_315_330, 3),
    (1_000_000, 10_000): (10_646_171, 11_354_913, 3),
}
NEWEST_RANGES = {
    (10_000, 1): 1_189, (10_000, 10): 2_500, (10_000, 1_000): 27_564, (10_000, 10_000): 234_657,
    (100_000, 1): 1_901, (100_000, 10): 8_876, (100_000, 1_000): 52_718,
    (100_000, 10_000): 229_483, (1_000_000, 1): 2_388, (1_000_000, 10): 15_297,
    (1_000_000, 1_000): 540_863, (1_000_000, 10_000): 992_267,
}
RATELESS = {
    (100_000, 1): 42, (100_000, 10): 714, (100_000, 1_000): 56_616, (100_000, 10_000): 570_402,
    (1_000_000, 1): 42, (1_000_000, 10): 672, (1_000_000, 1_000): 58_842,
    (1_000_000, 10_000): 572_040,
}


@row
def sync_table(bench):
    """Carillon's bytes including the events, next to what others need to find the missing IDs."""
    rows = []
    news = [0, 1, 10, 1_000, 10_000]
    for shared in (10_000, 100_000, 1_000_000):
        found = bench.work(
            "sync-table", bench.fresh("table"), shared // bench.scale, *news).details
        for count in news:
            ours, key = found[str(count)], (shared, count)
            ranges, limited, trips = RANGES[key]
            notes = f"{ours['messages']} messages, {ours['roundTrips']} round trips; "
            notes += f"ranges {ranges:,} in {trips}"
            if limited:
                notes += f" ({limited:,} at 64 KiB)"
            if key in NEWEST_RANGES:
                notes += f", newest {NEWEST_RANGES[key]:,}"
            if key in RATELESS:
                notes += f", rateless IBLT {RATELESS[key]:,}"
            rows.append(exact(
                f"sync-table-{shared}-{count}", f"sync, {count:,} new on {shared:,}", "bytes",
                ours["bytes"], "at most", ranges, notes))
        audit = found["audit"]
        rows.append(exact(
            f"sync-audit-{shared}", f"audit of {shared:,} equal events", "bytes", audit["bytes"],
            "at most", 96, f"{audit['roundTrips']} round trip", audit["roundTrips"] <= 1))
    return rows


@row
def cold_sync(bench):
    events = 1_000_000 // bench.scale
    store = bench.store(events)
    pairs = alternate(
        lambda: bench.work("cold-sync", store, bench.fresh("cold")),
        lambda: bench.work("append", bench.fresh("append"), events, 1000, 200),
        max(2, bench.times - 2))
    memory = max(mine.details["anonymousMegabytes"] for mine, _ in pairs)
    return [compare(
        "cold-sync", f"cold sync of {events:,} events, in process", "events/s", pairs, rate,
        "at least", 0.5, f"limit: our own append; {memory:.0f} MB more anonymous")]


@row
def cold_sync_bytes(bench):
    runs = {
        order: bench.work("cold-sync-bytes", 20_000 // bench.scale, *words)
        for order, words in (("in turn", ()), ("random", ("random",)))
    }
    return [
        exact(
            f"cold-sync-bytes-{order.replace(' ', '-')}",
            f"cold sync of done events of 20 habits, {order}", "bytes/event",
            run.details["bytes"] / run.count, "at most", 8, f"{run.details['messages']} messages")
        for order, run in runs.items()
    ]


@row
def import_backup(bench):
    repetitions = 1_000_000 // bench.scale
    backup = bench.fresh("backup.db")
    tool = pathlib.Path(__file__).resolve().parent.parent / "sample-backup"
    execute(
        tool, backup, "--habits", 200, "--repetitions", repetitions, reads_output=False)
    pairs = alternate(
        lambda: bench.work("import", backup, bench.fresh("imported")),
        lambda: bench.work("append", bench.fresh("append"), repetitions // 5, 1000, 200),
        max(2, bench.times - 3))
    memory = max(mine.details["anonymousMegabytes"] for mine, _ in pairs)
    cpu = statistics.median(mine.cpu_seconds / mine.count for mine, _ in pairs)
    share = statistics.median(mine.rate / other.rate for mine, other in pairs)
    return [exact(
        "import-backup", f"CPU of an import of {repetitions:,} repetitions", "us/event",
        1e6 * cpu, "at most", 4,
        f"{share:.2f} of the rate of our own append; {memory:.0f} MB more anonymous, at most 80",
        memory <= 80)]
