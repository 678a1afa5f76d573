"""Runs the command line under test with a time limit, and checks how it ended."""

import dataclasses
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import threading
import time

# The end by Ctrl-C or SIGTERM; a program that starts a verb reports it as a shell does.
ENDED = {-signal.SIGINT, -signal.SIGTERM, 130, 143}
# The exit codes of README's table; 70 is an error in Carillon.
EXIT_CODES = {0, 1, 64, 65, 66, 69, 73, 74, 75, 76, 77} | ENDED
INTERNAL = 70


@dataclasses.dataclass(frozen=True)
class Finding:
    """A broken guarantee: lost, crashed, hung or wrong, with a description."""

    kind: str
    text: str


@dataclasses.dataclass(frozen=True)
class Answer:
    """How a process ended: an exit code, or minus a signal; None if it hung and was killed."""

    arguments: tuple
    status: int
    output: str
    errors: str
    seconds: float = 0.0

    @property
    def is_killed(self):
        return self.status == -signal.SIGKILL

    def document(self):
        """The JSON that was printed; None if it is not JSON."""
        try:
            return json.loads(self.output)
        except ValueError:
            return None

    def error(self):
        """The typed error on standard error; None if there is none."""
        for line in reversed(self.errors.splitlines()):
            try:
                return json.loads(line)["error"]
            except (ValueError, KeyError, TypeError):
                continue
        return None

    def __str__(self):
        words = self.arguments[:self.arguments.index("--json")]
        verb = " ".join(word.rpartition("/")[2] for word in words)
        end = f"exit {self.status}" if (self.status or 0) >= 0 else f"signal {-self.status}"
        text = (self.errors.strip() or self.output.strip()).replace("\n", " | ")
        return f"{verb}: {'killed at the limit' if self.status is None else end}: {text[:300]}"


def judge(answer, allowed=EXIT_CODES):
    """Returns findings about how a process ended, whatever its verb."""
    if answer.status is None:
        return [Finding("hung", str(answer))]
    if answer.status == INTERNAL or "Fatal error" in answer.errors:
        return [Finding("crashed", str(answer))]
    if answer.status < 0 and answer.status not in ENDED:
        return [Finding("crashed", str(answer))]
    if answer.status not in allowed:
        return [Finding("wrong", f"unexpected: {answer}")]
    if answer.status > 1 and answer.status not in ENDED:
        error = answer.error()
        if not error or not error.get("message") or "\n" in error["message"]:
            return [Finding("wrong", f"no clear error: {answer}")]
        if error.get("code") == "internal":
            return [Finding("crashed", str(answer))]
    return []


class Process:
    """A running command line; its children are in its process group."""

    def __init__(self, owner, arguments, child, files):
        self.owner, self.arguments, self.child, self.files = owner, arguments, child, files
        self.started = time.monotonic()

    @property
    def pid(self):
        return self.child.pid

    def state(self):
        """The kernel's state letter: T if it is stopped, Z or X if it has ended."""
        try:
            text = pathlib.Path(f"/proc/{self.pid}/stat").read_text()
        except OSError:
            return "X"
        return text[text.rindex(")") + 2]

    def has_open(self, path):
        """Whether it or one of its children has a file open."""
        for process in [self.pid, *self.children()]:
            try:
                files = list(pathlib.Path(f"/proc/{process}/fd").iterdir())
                if any(os.readlink(file) == str(path) for file in files):
                    return True
            except OSError:
                continue
        return False

    def children(self):
        try:
            return map(int, pathlib.Path(
                f"/proc/{self.pid}/task/{self.pid}/children").read_text().split())
        except OSError:
            return []

    def waits_until_stopped(self, limit):
        """Whether it was stopped before it ended."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            state = self.state()
            if state in "Tt":
                return True
            if state in "ZX":
                return False
            time.sleep(0.002)
        return False

    def signal(self, number):
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            pass

    def printed(self):
        return self.files[0].read_text(errors="replace")

    def is_running(self):
        return self.child.poll() is None

    def ends(self, limit):
        """Waits for the end, and returns false at the limit. (`Popen.wait` looks every 50 ms.)"""
        if not self.is_running():
            return True
        end = os.pidfd_open(self.pid)
        try:
            return bool(select.select([end], [], [], limit)[0])
        finally:
            os.close(end)

    def answer(self, limit=None):
        """Waits for the end; a process that exceeds the limit is killed and counts as hung."""
        status = self.child.wait() if self.ends(limit or self.owner.limit) else None
        self.signal(signal.SIGKILL)
        self.child.wait()
        self.owner.forget(self)
        output, errors = (file.read_text(errors="replace") for file in self.files)
        for file in self.files:
            file.unlink()
        return Answer(
            tuple(self.arguments), status, output, errors, time.monotonic() - self.started)


def can_start(wrapper, carillon):
    """Whether the program can be started here by a wrapper that needs root and becomes another
    user."""
    if os.geteuid() != 0 or not shutil.which(wrapper[0]):
        return False
    return subprocess.run(
        [*wrapper, carillon, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        check=False).returncode == 0


class Runner:
    """Starts command lines, and kills those that still run when it is closed."""

    def __init__(self, carillon, folder, limit):
        self.carillon, self.folder, self.limit = carillon, folder, limit
        self.lock = threading.Lock()
        self.running, self.count, self.is_closed = set(), 0, False

    def start(self, arguments, environment=None, input_text="", wrapper=()):
        """Starts a verb with its output in files, so that no pipe can fill up."""
        with self.lock:
            self.count += 1
            name = self.folder / str(self.count)
        if self.is_closed:
            raise RuntimeError("the campaign has ended")
        files = name.with_suffix(".out"), name.with_suffix(".err")
        source = name.with_suffix(".in")
        source.write_text(input_text)
        # A backtrace of Swift takes a second, and the signal is sufficient.
        values = {
            "PATH": "/usr/bin:/bin", "TMPDIR": str(self.folder), "SWIFT_BACKTRACE": "enable=no"}
        values |= environment or {}
        with open(source) as reads, open(files[0], "w") as prints, open(files[1], "w") as says:
            child = subprocess.Popen(
                [*wrapper, self.carillon, *arguments], stdin=reads, stdout=prints, stderr=says,
                env=values, start_new_session=True)
        source.unlink()
        process = Process(self, [str(word) for word in arguments], child, files)
        with self.lock:
            self.running.add(process)
        if self.is_closed:
            process.signal(signal.SIGKILL)
        return process

    def run(self, arguments, **options):
        return self.start(arguments, **options).answer()

    def forget(self, process):
        with self.lock:
            self.running.discard(process)

    def close(self):
        self.is_closed = True
        with self.lock:
            left, self.running = self.running, set()
        for process in left:
            process.signal(signal.SIGKILL)
            process.child.wait()
