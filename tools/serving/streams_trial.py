"""One event seen by 1,000 streams, and the memory of 10,000 idle ones."""

import json
import selectors
import socket
import time

from serving import program

WATCHED, ROUNDS = 1_000, 20


def open_streams(service, count):
    """Opens streams of events from the log's end, and returns their sockets."""
    last = json.loads(service.ask("GET", "/v1/status")[1])["events"]
    request = (f"GET /v1/events?after={last} HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n"
               f"Authorization: Bearer {service.token}\r\nAccept: text/event-stream\r\n\r\n")
    sockets = []
    for _ in range(count):
        one = socket.create_connection(("127.0.0.1", service.port), timeout=program.PATIENCE)
        one.sendall(request.encode())
        sockets.append(one)
    for one in sockets:
        head = b""
        while b": open" not in head:
            piece = one.recv(4096)
            if not piece:
                raise SystemExit("a stream was refused: " + head.decode(errors="replace"))
            head += piece
    return sockets


def delays(service, sockets, body):
    """Appends an event; returns the seconds after its answer began to be waited for, by stream."""
    selector = selectors.DefaultSelector()
    for one in sockets:
        one.setblocking(False)
        selector.register(one, selectors.EVENT_READ)
    connection = service.connect()
    start = time.monotonic()
    status, text = service.ask("POST", "/v1/events", body, connection)
    if status != 201:
        raise SystemExit(f"{status} {text}")
    seen = []
    while len(seen) < len(sockets):
        for key, _ in selector.select(program.PATIENCE):
            if b"data:" in key.fileobj.recv(65_536):
                seen.append(time.monotonic() - start)
                selector.unregister(key.fileobj)
    return seen


def run(programs, times):
    count = min(times or 10_000, program.allow_files(25_000) - 100)
    body = '{"type":"app.active","date":"2026-11-23"}'
    with program.store(programs) as environment:
        with program.Service(programs, environment, "--max-streams", "20000",
                             "--max-connections", "21000") as service:
            service.ask("GET", "/v1/pending")
            before = service.memory()
            watched = open_streams(service, min(WATCHED, count))
            seen = []
            for _ in range(ROUNDS):
                seen += delays(service, watched, body)
            seen.sort()
            print(f"one event, {len(watched)} streams: median {seen[len(seen) // 2] * 1e3:.1f} ms, "
                  f"p99 {seen[len(seen) * 99 // 100] * 1e3:.1f} ms")
            idle = open_streams(service, count - len(watched))
            memory = service.memory() - before
            print(f"{count} idle streams: {memory / 1e6:.1f} MB, {memory / count / 1e3:.1f} KB each")
            for one in watched + idle:
                one.close()
    return []
