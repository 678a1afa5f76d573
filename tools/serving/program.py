"""A store in a temporary directory, and the service that serves it."""

import contextlib
import json
import os
import re
import resource
import subprocess
import tempfile
import http.client

READY = re.compile(r"Serving .* at http://[^:]+:(\d+)/#token=([\w-]+)")
# Longer than anything takes on a busy machine.
PATIENCE = 60


@contextlib.contextmanager
def store(programs):
    """A new store of a phone; yields the environment that names it."""
    with tempfile.TemporaryDirectory(prefix="carillon-serve-") as directory:
        environment = {
            "PATH": "/usr/bin:/bin", "TZ": "Europe/Berlin", "TMPDIR": directory,
            "CARILLON_STORE": os.path.join(directory, "phone")}
        # What a program that was built with a sanitizer needs.
        environment.update({name: os.environ[name] for name in ("LD_PRELOAD", "ASAN_OPTIONS")
                            if name in os.environ})
        run(programs, environment, "init", "--replica", "phone")
        yield environment


def run(programs, environment, *arguments):
    """Runs a verb of the command line, which must succeed, and returns its JSON."""
    ended = subprocess.run([programs / "carillon", *arguments, "--json"], env=environment,
                           capture_output=True, text=True, timeout=PATIENCE, check=False)
    if ended.returncode != 0:
        raise SystemExit(f"carillon {' '.join(arguments)}: {ended.stderr}")
    return json.loads(ended.stdout)


class Service:
    """A running carillon-serve."""

    def __init__(self, programs, environment, *arguments):
        self.process = subprocess.Popen(
            [programs / "carillon-serve", "--listen", "127.0.0.1:0", *arguments],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        ready = READY.match(line)
        if not ready:
            self.kill()
            raise SystemExit(f"the service did not start: {line!r}")
        self.port, self.token = int(ready[1]), ready[2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    @property
    def fields(self):
        """The field with the token."""
        return {"Authorization": f"Bearer {self.token}"}

    def connect(self):
        """A connection on which requests can be sent."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, body=None, connection=None, **fields):
        """Sends a request; returns the status and the text of the answer."""
        one = connection or self.connect()
        one.request(method, path, body, {**self.fields, **fields})
        answer = one.getresponse()
        text = answer.read().decode()
        if connection is None:
            one.close()
        return answer.status, text

    def kill(self):
        """Ends the service at once, and waits until it has ended."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def memory(self):
        return memory(self.process.pid)


def memory(process_id):
    """The bytes of memory that only a process has."""
    with open(f"/proc/{process_id}/smaps_rollup", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def allow_files(count):
    """Raises the limit of open files, up to what the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = count if hard == resource.RLIM_INFINITY else min(count, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return limit
