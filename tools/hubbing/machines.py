"""Processes on this machine, started and ended by their IDs, and the programs of PostgreSQL."""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

# Longer than anything takes on a busy machine.
PATIENCE = 120


def free_ports(count):
    """Returns ports that nobody uses at the moment."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def postgres_programs():
    """The directory of the newest server's programs; None if there is none."""
    found = pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(found, key=lambda path: int(path.parts[-3]), default=None)
    chosen = newest or shutil.which("initdb")
    return pathlib.Path(chosen).parent if chosen else None


def is_open(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
        return True
    return False


def wait(what, condition, seconds=PATIENCE):
    """Waits until a condition holds; a value that is true is returned."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise RuntimeError(f"waited {seconds} s without effect: {what}")
        time.sleep(0.1)


def children(parent):
    """Returns the IDs of the processes that a process started."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(stat.parent.name))
    return found


def send(process_ids, which):
    for one in process_ids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, which)


class Machine:
    """A program with a directory of its own, which can be killed, paused and started again.

    PostgreSQL refuses to be run by root; its programs then run as another user."""

    def __init__(self, directory, name):
        self.directory, self.name = directory / name, name
        self.directory.mkdir(mode=0o700)
        self.process = None
        self.user = None
        if os.geteuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)

    def launch(self, command, **environment):
        """Starts a program in the directory, with its output in a file there."""
        options = {"user": self.user.pw_uid, "group": self.user.pw_gid,
                   "extra_groups": []} if self.user else {}
        with open(self.directory / "output", "ab") as output:
            return subprocess.Popen(
                [str(word) for word in command], cwd=self.directory, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True,
                env={"PATH": os.environ["PATH"], "HOME": str(self.directory), "LC_ALL": "C.UTF-8",
                     **environment}, **options)

    def run(self, command):
        """Runs a program to its end."""
        status = self.launch(command).wait(PATIENCE)
        if status != 0:
            raise RuntimeError(f"{command[0]}: exit {status}: {self.last_words()}")

    def last_words(self):
        """The end of what the program printed."""
        text = (self.directory / "output").read_text(errors="replace")
        return " | ".join(text.strip().splitlines()[-5:])

    @property
    def runs(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, which):
        if self.runs:
            self.process.send_signal(which)

    def kill(self):
        """Ends the program at once, with all that it started."""
        if self.process is not None:
            self.signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


class Postgres(Machine):
    """A PostgreSQL server with the directory `data`, whoever starts it."""

    def __init__(self, directory, name, port):
        super().__init__(directory, name)
        self.port, self.programs, self.data = port, postgres_programs(), self.directory / "data"

    @property
    def server_processes(self):
        """The server and all that it started, the server first."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            server = int((self.data / "postmaster.pid").read_text().splitlines()[0])
            return [server, *children(server)]
        return []

    def kill_server(self):
        """Kills the server and its processes, but not an agent that starts it again."""
        found = self.server_processes
        send(found, signal.SIGKILL)
        wait("the end of a server",
             lambda: not any(os.path.exists(f"/proc/{one}/fd/0") for one in found))

    def ask(self, sql, database="postgres"):
        """Runs a statement, and returns its rows as text; None if the server does not answer."""
        ended = subprocess.run(
            [self.programs / "psql", "-X", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port),
             "-U", "postgres", "-d", database, "-c", sql],
            env={"PATH": os.environ["PATH"], "PGCONNECT_TIMEOUT": "5"}, capture_output=True,
            text=True, check=False, timeout=PATIENCE)
        return ended.stdout.strip() if ended.returncode == 0 else None
