"""Shared by all rows: running programs, alternating runs, checking targets, printing the table."""

import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys


def run(*command):
    """Runs a step of the build, with its output on standard error; a failure ends the program."""
    if subprocess.run([str(part) for part in command], stdout=sys.stderr).returncode != 0:
        sys.exit(f"failed: {' '.join(str(part) for part in command)}")


def build(root):
    """Builds the programs for release, and returns their directory."""
    for product in ("carillon-bench", "carillon", "carillon-link", "carillon-serve", "bare-server"):
        built = subprocess.run(
            [root / "tools" / "release", product], stdout=subprocess.PIPE, text=True)
        if built.returncode != 0:
            sys.exit(f"failed: tools/release {product}")
    return pathlib.Path(built.stdout.splitlines()[-1])


@dataclasses.dataclass
class Run:
    """The work of one process: how much it did, in what time, with how much memory."""

    count: float
    seconds: float
    cpu_seconds: float
    details: dict

    @property
    def rate(self):
        return self.count / self.seconds


@dataclasses.dataclass
class Row:
    """One line of the table; `sense` is "at least" or "at most" the target."""

    name: str
    work: str
    unit: str
    ours: float
    limit: float | None
    ratio: float | None
    sense: str
    target: float
    notes: str = ""
    cpu_ours: float | None = None
    cpu_limit: float | None = None
    also: bool = True

    @property
    def met(self):
        figure = self.ours if self.ratio is None else self.ratio
        reached = figure >= self.target if self.sense == "at least" else figure <= self.target
        return reached and self.also

    def json(self):
        fields = {
            "name": self.name, "ours": self.ours, "limit": self.limit, "ratio": self.ratio,
            "target": self.target, "met": self.met, "sense": self.sense, "unit": self.unit,
            "work": self.work, "notes": self.notes, "cpuSecondsOurs": self.cpu_ours,
            "cpuSecondsLimit": self.cpu_limit,
        }
        return fields


def execute(*command, reads_output=True):
    """Runs a program that prints one JSON object; raises an error if the program fails."""
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(
            f"{os.path.basename(str(command[0]))} {command[1]} exited with {result.returncode}: "
            + result.stderr.strip()[-500:])
    if not reads_output:
        return None
    fields = json.loads(result.stdout.splitlines()[-1])
    return Run(
        fields.pop("count"), fields.pop("seconds"), fields.pop("cpuSeconds"), fields)


def alternate(ours, limit, times):
    """Runs both sides alternately; each goes first in every other round.

    The machine's speed changes over time, so figures are compared only within a round.
    """
    pairs = []
    for index in range(times):
        if index % 2 == 0:
            mine, other = ours(), limit()
        else:
            other = limit()
            mine = ours()
        pairs.append((mine, other))
    return pairs


def compare(name, work, unit, pairs, figure, sense, target, notes="", also=True):
    """Creates a row from alternated runs: the medians of both sides and of the rounds' ratios."""
    mine = [figure(run) for run, _ in pairs]
    others = [figure(run) for _, run in pairs]
    return Row(
        name, work, unit, statistics.median(mine), statistics.median(others),
        statistics.median(a / b for a, b in zip(mine, others)), sense, target, notes,
        statistics.median(run.cpu_seconds for run, _ in pairs),
        statistics.median(run.cpu_seconds for _, run in pairs), also)


def exact(name, work, unit, ours, sense, target, notes="", also=True):
    """Creates a row from an exact count, which needs neither another side nor repetition."""
    return Row(name, work, unit, ours, None, None, sense, target, notes, also=also)


def number(value, unit=""):
    """Formats a figure with three significant digits, large ones in k or M; bytes are exact."""
    if value is None:
        return "-"
    if unit == "bytes":
        return f"{value:,.0f}"
    for least, unit, suffix in ((1e6, 1e6, " M"), (1e4, 1e3, " k")):
        if abs(value) >= least:
            return f"{value / unit:.3g}{suffix}"
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.3g}"


def table(rows):
    """Formats the rows as aligned text."""
    head = ("", "work", "ours", "limit", "unit", "ratio", "target", "CPU s ours/limit", "")
    body = [
        ("met" if row.met else "MISSED", row.work, number(row.ours, row.unit),
         number(row.limit), row.unit,
         number(row.ratio), f"{row.sense} {number(row.target, row.unit)}",
         "-" if row.cpu_ours is None else f"{row.cpu_ours:.3g}/{row.cpu_limit:.3g}", row.notes)
        for row in rows
    ]
    widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
    right = {2, 3, 5}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths))).rstrip()
        for line in [head, *body])
