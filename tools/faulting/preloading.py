"""The preloaded library: compiles it, and configures the fault for one process."""

import dataclasses
import errno
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent / "preload.c"
NAME = "libcarillonfaults.so"


@dataclasses.dataclass(frozen=True)
class Fault:
    """The fault at the n-th call of a process: it fails, is partial, or the process ends."""

    at: int
    # fail, short, torn, kill or stop.
    do: str
    # The name of the error, with fail.
    error: str = ""
    # With fail, the classes of calls that also fail from then on; see preload.c.
    ever: str = ""

    def environment(self):
        values = {"FAULTS_AT": str(self.at), "FAULTS_DO": self.do}
        if self.error:
            values["FAULTS_ERRNO"] = str(getattr(errno, self.error))
        if self.ever:
            values["FAULTS_EVER"] = self.ever
        return values


@dataclasses.dataclass(frozen=True)
class Call:
    """One call that a process made on a file below the folder."""

    number: int
    kind: str
    name: str
    path: str


class Preloaded:
    """The compiled library, in its own folder."""

    def __init__(self, folder):
        if sys.platform != "linux":
            sys.exit("tools/faults: this campaign needs Linux")
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            print("tools/faults: no C compiler found; install cc or clang", file=sys.stderr)
            sys.exit(69)
        self.folder = folder
        subprocess.run(
            [compiler, "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", folder / NAME, SOURCE],
            check=True)

    def environment(self, below, fault=None, trace=None, journal=None):
        """Returns the environment of a process. The loader splits the list of libraries at spaces,
        but not the list of folders, so the library's name has no folder."""
        values = {
            "LD_PRELOAD": NAME, "LD_LIBRARY_PATH": str(self.folder),
            "FAULTS_BELOW": os.path.realpath(below)}
        if fault:
            values |= fault.environment()
        if trace:
            values["FAULTS_TRACE"] = str(trace)
        if journal:
            values["FAULTS_JOURNAL"] = str(journal)
        return values


def read_trace(path):
    """Returns the calls of a traced run, in order."""
    calls = []
    for line in path.read_text(errors="replace").splitlines():
        number, kind, name, where = line.split(" ", 3)
        calls.append(Call(int(number), kind, name, where))
    return calls
