"""The rows of the service, which wrk measures beside a bare route of Hummingbird."""

import contextlib
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

from harness import Run, alternate, compare, exact
from rows import rate, row

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from serving import program, streams_trial  # noqa: E402

# Each answer to a request of wrk is counted only if it is a success.
DONE = """
wrk.method = "POST"
wrk.body = '{"amount":1000}'
"""


def wrk(bench, url, connections, token=None, script=None):
    """Runs wrk for some seconds, and returns the requests that were answered."""
    if not shutil.which("wrk"):
        raise RuntimeError("wrk is not installed: tools/prepare --tests")
    seconds = 2 if bench.scale > 1 else 8
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s"]
    if token:
        command += ["-H", f"Authorization: Bearer {token}"]
    if script:
        command += ["-s", script]
    text = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise RuntimeError(f"requests failed: {text}")
    found = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    return Run(found * seconds, seconds, 0, {})


@contextlib.contextmanager
def served(bench, *arguments):
    """A service of a store with 10 habits; yields it and the ID of one habit."""
    with program.store(bench.ours.parent) as environment:
        for number in range(10):
            habit = program.run(
                bench.ours.parent, environment, "habit", "add", f"Habit {number}", "--at",
                f"{7 + number}:00")["habit"]
        with program.Service(bench.ours.parent, environment, *arguments) as service:
            yield service, habit


@contextlib.contextmanager
def bare(bench):
    """A server with bare routes; yields their address."""
    with subprocess.Popen(
            [bench.ours.parent / "bare-server"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True) as process:
        port = process.stdout.readline().split()[-1]
        try:
            yield f"http://127.0.0.1:{port}/bare"
        finally:
            process.kill()


@row
def serve_pending(bench):
    rows = []
    with served(bench) as (service, _), bare(bench) as address:
        url = f"http://127.0.0.1:{service.port}/v1/pending"
        for connections in (1, 16, 256):
            pairs = alternate(
                lambda: wrk(bench, url, connections, service.token),
                lambda: wrk(bench, address, connections), 2)
            rows.append(compare(
                f"serve-pending-{connections}", f"GET /v1/pending, {connections} connections",
                "requests/s", pairs, rate, "at least", 0.5, "limit: a bare route of Hummingbird"))
    return rows


@row
def serve_done(bench):
    script = bench.fresh("done.lua")
    script.write_text(DONE)
    with served(bench) as (service, habit), bare(bench) as address:
        url = f"http://127.0.0.1:{service.port}/v1/habits/{habit}/done"
        pairs = alternate(
            lambda: wrk(bench, url, 64, service.token, script),
            lambda: wrk(bench, address, 64, script=script), 2)
    ours, limit = (statistics.median(run.rate for run in runs) for runs in zip(*pairs))
    return [exact(
        "serve-done", "POST done, durable, 64 connections", "requests/s", ours, "at least",
        10_000, f"a bare route, not durable: {limit:,.0f}")]


@row
def serve_streams(bench):
    found = streams_trial.measure(bench.ours.parent, 10_000 // bench.scale)
    return [
        exact("serve-live", f"one event seen by {found.watched:,} streams, p99", "ms",
              found.p99 * 1e3, "at most", 100, f"median {found.median * 1e3:.1f}"),
        exact("serve-idle", f"{found.count:,} idle streams", "KB/stream",
              found.memory / found.count / 1e3, "at most", 64,
              f"{found.memory / 1e6:.0f} MB in all"),
    ]
