"""The rows of tools/bench --peers: the same work with Carillon and with systems of PyPI.

Our figure is on the left and the other system's on the right, in alternated runs. Nothing is
targeted but the bytes of a sync. The documents that merge keep no time, no hash and no history of
the writer in a fact; the others do not merge.
"""

import pathlib
import subprocess
import sys

from harness import Row, alternate, compare, execute

PEERS = pathlib.Path(__file__).with_name("peers.py")

# What pip installs for a peer; sqlite3 is a part of Python.
PACKAGES = {
    "lmdb": "lmdb==3.0.0", "sqlite3": None, "eventsourcing": "eventsourcing==9.5.6",
    "loro": "loro==1.17.1", "pycrdt": "pycrdt==0.14.13",
}
DOCUMENTS = ("loro", "pycrdt")


def environment(folder):
    """Creates a virtual environment, and returns its Python and the peers that it has."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, stdout=sys.stderr)
    found = []
    for name, package in PACKAGES.items():
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if package and subprocess.run([*command, package], stdout=sys.stderr).returncode != 0:
            print(f"tools/bench: {name} is skipped: {package} cannot be installed", file=sys.stderr)
        else:
            found.append(name)
    return python, found


def measure(bench, folder):
    """Runs all rows, and returns them."""
    python, names = environment(folder)

    def peer(name, *words):
        return execute(python, PEERS, name, *words)

    rows = []
    for name in names:
        print(f"tools/bench: beside {name}", file=sys.stderr, flush=True)
        rows += beside(bench, name, lambda *words, name=name: peer(name, *words))
        if name in DOCUMENTS:
            rows += synced(bench, name, lambda *words, name=name: peer(name, *words))
    return rows


def beside(bench, name, peer):
    """Appends, and facts that are written, read and kept."""
    def rate(run):
        return run.rate

    count, times = 100_000 // bench.scale, bench.times
    ours, theirs = bench.fresh("facts"), bench.fresh("facts-peer")
    appends = alternate(
        lambda: bench.work("append", bench.fresh("append"), count, 1_000, 200),
        lambda: peer("append", bench.fresh("append-peer"), count), times)
    facts = alternate(
        lambda: bench.work("facts", bench.fresh("facts"), count),
        lambda: peer("facts", bench.fresh("facts-peer"), count), times)
    folds = alternate(
        lambda: bench.work("fold", ours, count), lambda: peer("fold", theirs, count), times)
    notes = f"limit: {name}, no target"
    return [
        compare(f"append-{name}", f"append of 200-byte payloads, beside {name}", "events/s",
                appends, rate, "at least", 0, notes),
        compare(f"facts-{name}", f"write {count:,} facts, beside {name}", "facts/s", facts, rate,
                "at least", 0, notes),
        compare(f"fold-{name}", f"read and fold {count:,} facts, beside {name}", "facts/s", folds,
                rate, "at least", 0, notes),
        compare(f"disk-{name}", f"disk for {count:,} facts, beside {name}", "bytes/fact", facts,
                lambda run: run.details["bytes"] / run.count, "at least", 0,
                f"{notes}; ours with projections"),
    ]


def synced(bench, name, peer):
    """The bytes of syncs, which are exact."""
    count = 100_000 // bench.scale
    cold = bench.work("cold-facts-bytes", bench.scratch / "facts")
    rows = [against(f"cold-{name}", f"cold sync of {count:,} facts, beside {name}", "bytes/fact",
                    cold.details["bytes"] / count, peer("cold", count).details["bytes"] / count)]
    for habits in (20, 100):
        ours = bench.work("sync-news", bench.fresh("news"), count, 100, habits)
        theirs = peer("news", count, 100, habits)
        rows.append(against(
            f"news-{habits}-{name}",
            f"sync, 100 + 100 new on {count:,}, {habits} habits a side, beside {name}", "bytes",
            ours.details["bytes"], theirs.details["bytes"]))
    return rows


def against(name, work, unit, ours, theirs):
    return Row(name, work, unit, ours, theirs, ours / theirs, "at most", 1)
