"""The parts that all campaigns share: places for the workers, tries, counts, and the report.

A campaign is a module with COUNT, the number of tries in about a minute; NEEDS_PRELOAD; optionally
NEEDS_MOUNTS and prepare(folder); and a class Campaign(place, options). Its tries(random, count)
returns the names of the tries, and attempt(name) returns the findings. A name describes a try
completely, so that it can be replayed, and no try depends on another one."""

import collections
import concurrent.futures
import os
import pathlib
import queue
import random
import shutil
import subprocess
import sys
import tempfile

from faulting.places import Place
from faulting.preloading import Preloaded
from faulting.running import Finding, Runner

# Set in the environment of the program that has its own mounts.
MARK = "CARILLON_FAULTS_MOUNTS"
KINDS = ("lost", "crashed", "hung", "wrong")


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
                  f"--only '{name}'", flush=True)

    def close(self):
        """Prints what was tried and the counts, and returns the exit code."""
        counted = sorted(self.groups.items()) + sorted(self.noted.items())
        print(", ".join(f"{group} {count}" for group, count in counted))
        counts = ", ".join(f"{self.found[kind]} {kind}" for kind in KINDS)
        print(f"tried {self.tried}: {counts}", flush=True)
        return 1 if any(self.found.values()) else 0


def run(module, options):
    if getattr(module, "NEEDS_MOUNTS", False):
        enter_namespace(options)
    print(f"seed {options.seed}, {options.carillon}", flush=True)
    # No spaces in this path, since the C compiler's temporary files are there too.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="carillon-faults-")).resolve()
    answers = folder / "answers"
    answers.mkdir()
    runner = Runner(options.carillon, answers, options.limit)
    try:
        preloaded = Preloaded(folder) if module.NEEDS_PRELOAD else None
        return attempt_all(module, options, folder, runner, preloaded)
    except KeyboardInterrupt:
        return 130
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
    return module.Campaign(Place(root, runner, preloaded), options)


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
                tally.add(name, findings)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.close()
            raise
    return tally.close()
