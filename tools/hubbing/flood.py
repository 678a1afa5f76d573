"""10,000 connections from one address, while devices sync from another one.

Both addresses are of this machine, so nothing here shows what a real network or its routers do."""

import contextlib
import pathlib
import resource
import socket
import ssl
import statistics
import subprocess
import threading
import time

from faulting.running import Finding
from hubbing.hubs import HubProcess
from serving import program

COUNT = 10_000
# What a connection sends: nothing, the start of a request, and requests without a credential.
HALF = b"POST /v1/sync HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
WHOLE = b"GET /v1/sync HTTP/1.1\r\nHost: localhost\r\n\r\n"
# The usual limit of open connections, and of those that are refused but not closed yet.
MOST_CONNECTIONS = 1_024 + 64
# What a process may use beyond that: files of its own.
SPARE_FILES = 100
MOST_BYTES = 256_000_000


def own_address():
    """An address of this machine that is not of the loopback; None if it has none."""
    with contextlib.suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as probe:
        # Sends nothing: it only asks which address would be used.
        probe.connect(("198.51.100.1", 9))
        address = probe.getsockname()[0]
        return None if address.startswith("127.") else address
    return None


class Flood:
    """Opens connections one after the other, and keeps those that the hub keeps."""

    def __init__(self, address, port):
        self.address, self.port = address, port
        self.opened = self.refused = 0
        self.open, self.thread = [], threading.Thread(target=self.run, daemon=True)
        self.tls = ssl.create_default_context()
        self.tls.check_hostname, self.tls.verify_mode = False, ssl.CERT_NONE

    def run(self):
        while self.opened < COUNT:
            try:
                self.open.append(self.connect(self.opened))
            except OSError:
                self.refused += 1
            self.opened += 1

    def connect(self, number):
        one = socket.create_connection((self.address, self.port), 30, (self.address, 0))
        if number % 10:
            return one
        # A handshake costs both sides far more than a connection.
        one = self.tls.wrap_socket(one)
        one.sendall(HALF if number % 20 else WHOLE)
        return one

    def close(self):
        for one in self.open:
            one.close()


def findings(hub, devices, directory):
    """Floods a process with the usual limits, and syncs devices through it meanwhile."""
    address = own_address()
    if address is None:
        print("skipped: 10,000 connections: this machine has no address but the loopback")
        return []
    wanted = COUNT + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wanted:
        print(f"skipped: 10,000 connections: only {hard} open files are allowed")
        return []
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    key, certificate = (pathlib.Path(directory) / name for name in ("tls.key", "tls.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-noenc", "-days", "2", "-keyout", key, "-out", certificate, "-subj", "/CN=flood"],
        check=True, capture_output=True)
    process = HubProcess(
        directory, "-flooded", hub.carillon, hub.url(hub.database.ports),
        hub.database.requires_copies, "0.0.0.0",
        ["--tls-certificate", certificate, "--tls-key", key])
    process.tls = ssl.create_default_context()
    process.tls.check_hostname, process.tls.verify_mode = False, ssl.CERT_NONE
    try:
        process.await_ready()
        return check(process, devices, Flood(address, process.listen))
    finally:
        process.close()


def check(process, devices, flood):
    """Syncs the devices until the flood is over, and compares what the process uses with bounds."""
    found, waits, files, memory = [], [], 0, 0
    flood.thread.start()
    while flood.thread.is_alive() or len(waits) < len(devices):
        device = devices[len(waits) % len(devices)]
        device.write(3)
        start = time.monotonic()
        try:
            device.sync(process)
        except Exception as problem:  # Whatever it is, the device was not served.
            found.append(Finding("wrong", f"not served beside a flood: {problem!r}"))
        waits.append(time.monotonic() - start)
        files = max(files, len(list(pathlib.Path(f"/proc/{process.process.pid}/fd").iterdir())))
        memory = max(memory, program.memory(process.process.pid))
    flood.close()
    print(f"{flood.opened} connections from one address ({flood.refused} refused at once), "
          f"{len(waits)} syncs from another: median {statistics.median(waits):.3f} s, at most "
          f"{max(waits):.3f} s; the process had at most {files} files and {memory / 1e6:.0f} MB",
          flush=True)
    if files > MOST_CONNECTIONS + SPARE_FILES:
        found.append(Finding("wrong", f"{files} files are open in a flood"))
    if memory > MOST_BYTES:
        found.append(Finding("wrong", f"{memory / 1e6:.0f} MB in a flood"))
    return found + process.crash()
