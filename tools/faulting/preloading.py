"""The preloaded library: compiles it, and names what it is to do in one process."""

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
    """What happens at the n-th call of a process: it fails, is cut short, or the process ends."""

    at: int
    # fail, short, torn, kill or stop.
    do: str
    # The name of the error, with fail.
    error: str = ""
    # The classes of calls that fail from then on, with fail: see preload.c.
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
    """The compiled library, in a folder of its own."""

    def __init__(self, folder):
        if sys.platform != "linux":
            sys.exit("tools/faults: this campaign needs Linux")
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            print("tools/faults: there is no C compiler; install cc or clang", file=sys.stderr)
            sys.exit(69)
        self.folder = folder
        subprocess.run(
            [compiler, "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", folder / NAME, SOURCE],
            check=True)

    def environment(self, below, fault=None, trace=None, journal=None):
        """What a process needs in its environment. The loader splits the list of libraries at
        blanks, but not the list of folders: so the name has no folder."""
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
    """The calls of a traced run, in their order."""
    calls = []
    for line in path.read_text(errors="replace").splitlines():
        number, kind, name, where = line.split(" ", 3)
        calls.append(Call(int(number), kind, name, where))
    return calls
