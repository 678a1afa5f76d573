"""The parts that all campaigns share: places for the workers, tries, counts, and the report.

A campaign is a module with COUNT, the number of tries in about a minute; NEEDS_PRELOAD; optionally
NEEDS_MOUNTS and prepare(folder), and IN_MEMORY; and a class Campaign(place, options). Its
tries(random, count) returns the names of the tries, and attempt(name) returns the findings. A name
describes a try completely, so that it can be replayed, and no try depends on another one."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import queue
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

from faulting.places import Place
from faulting.preloading import Preloaded
from faulting.running import Finding, Runner

# Set in the environment of the program that has its own mounts.
MARK = "CARILLON_FAULTS_MOUNTS"
KINDS = ("lost", "diverged", "crashed", "hung", "wrong")
# The campaigns that need no program but the command line.
NAMES = (
    "crowd", "kills", "failures", "power", "flips", "files", "races", "stops", "followers", "full",
    "limits", "clocks", "hostile")
# The file system in memory, if there is one.
MEMORY = "/dev/shm"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The paths at which builds of this package leave the command line, the fastest first.
BUILDS = (
    ".build-release/release/carillon", ".build/release/carillon", ".build-tests/debug/carillon",
    ".build/debug/carillon")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(64, f"{self.prog}: {message}; see --help\n")


def add_options(parser):
    """Adds the options of every program that runs campaigns."""
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), metavar="S",
                        help="the random seed of a run to replay")
    parser.add_argument("--carillon", type=pathlib.Path, metavar="FILE",
                        help="the carillon to test (default: the one that was built here)")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS",
                        help="the time after which a process counts as hung (default: 60)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N",
                        help="the number of parallel tries (default: 2)")


def command_line(chosen):
    """Returns the program to test."""
    for path in [chosen] if chosen else [ROOT / build for build in BUILDS]:
        if path.is_file():
            return path.resolve()
    print("carillon is not built; run tools/release, or give its path with --carillon",
          file=sys.stderr)
    sys.exit(66)


class Tally:
    """Counts tries and their findings; a try counts once for each kind of finding."""

    def __init__(self, options):
        self.options, self.tried, self.found = options, 0, collections.Counter()
        self.groups, self.noted = collections.Counter(), collections.Counter()

    def add(self, name, findings):
        self.tried += 1
        self.groups[name.partition(":")[0]] += 1
        self.noted.update(finding.kind for finding in findings if finding.kind not in KINDS)
        findings = [finding for finding in findings if finding.kind in KINDS]
        for finding in findings:
            print(f"{finding.kind}: {finding.text}")
        self.found.update({finding.kind for finding in findings})
        if findings:
            print(f"  again: tools/faults {self.options.campaign} --seed {self.options.seed} "
                  f"--storage {self.options.storage} --only '{name}'", flush=True)

    def report(self):
        """Prints what was tried, and the counts."""
        counted = sorted(self.groups.items()) + sorted(self.noted.items())
        print(", ".join(f"{group} {count}" for group, count in counted))
        print(summary(self.tried, self.found), flush=True)

    @property
    def status(self):
        return 1 if any(self.found.values()) else 0


def summary(tried, found):
    return f"tried {tried}: " + ", ".join(f"{found[kind]} {kind}" for kind in KINDS)


def run(module, options):
    """Runs a campaign, and returns its tally.

    The options are those of tools/faults; with `deadline`, a time of the monotonic clock, no try
    begins after it."""
    if getattr(module, "NEEDS_MOUNTS", False):
        enter_namespace(options)
    print(f"{options.campaign}: seed {options.seed}, {options.storage}, {options.carillon}",
          flush=True)
    # No spaces in this path, since the C compiler's temporary files are there too.
    parent = MEMORY if getattr(module, "IN_MEMORY", False) and os.access(MEMORY, os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="carillon-faults-", dir=parent)).resolve()
    answers = folder / "answers"
    answers.mkdir()
    runner = Runner(options.carillon, answers, options.limit)
    try:
        preloaded = Preloaded(folder) if module.NEEDS_PRELOAD else None
        return attempt_all(module, options, folder, runner, preloaded)
    finally:
        runner.close()
        if options.keep:
            print(f"kept: {folder}", file=sys.stderr)
        else:
            for mounted in filter(os.path.ismount, folder.iterdir()):
                subprocess.run(["umount", "--lazy", mounted], check=False)
            shutil.rmtree(folder, ignore_errors=True)


def enter_namespace(options):
    """Starts this program again in a mount namespace of its own."""
    if MARK in os.environ:
        return
    rights = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    own = ("unshare", *rights, "--mount")
    if not shutil.which("unshare") or subprocess.run([*own, "true"], check=False).returncode != 0:
        print("tools/faults: this campaign has to mount a small disk, which is not permitted here",
              file=sys.stderr)
        sys.exit(69)
    os.environ[MARK] = "1"
    sys.stdout.flush()
    os.execvp("unshare", [*own, sys.executable, *sys.argv, "--seed", str(options.seed)])


def worker(module, options, root, runner, preloaded):
    """A worker that runs tries in its own place."""
    if hasattr(module, "prepare"):
        module.prepare(root)
    return module.Campaign(Place(root, runner, preloaded, options.storage), options)


def attempt_all(module, options, folder, runner, preloaded):
    tally = Tally(options)
    first = worker(module, options, folder / "1", runner, preloaded)
    if options.only:
        names = [options.only]
    else:
        count = module.COUNT if options.count is None else options.count
        names = first.tries(random.Random(options.seed), count)
    workers = queue.SimpleQueue()
    workers.put(first)
    jobs = max(1, min(options.jobs, len(names)))
    for number in range(2, jobs + 1):
        workers.put(worker(module, options, folder / str(number), runner, preloaded))

    def attempt(name):
        if options.deadline is not None and time.monotonic() > options.deadline:
            return name, None
        taken = workers.get()
        try:
            findings = taken.attempt(name)
            if options.keep and any(finding.kind in KINDS for finding in findings):
                shutil.copytree(taken.place.root, folder / "failed" / name, dirs_exist_ok=True)
            return name, findings
        except (OSError, ValueError, LookupError, RuntimeError) as problem:
            return name, [Finding("wrong", f"the try itself failed: {problem!r}")]
        finally:
            workers.put(taken)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            for name, findings in pool.map(attempt, names):
                if findings is not None:
                    tally.add(name, findings)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.close()
            raise
    tally.report()
    return tally
