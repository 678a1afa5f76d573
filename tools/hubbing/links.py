"""Links that can be cut: forwarders of connections on this machine."""

import contextlib
import select
import socket
import threading
import time

BUFFER_BYTES = 1 << 16


class Link:
    """Forwards each connection at its port to another port."""

    def __init__(self, target):
        self.target, self.lock, self.pairs = target, threading.Lock(), set()
        self.is_cut = self.stalls = self.is_closed = False
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.is_closed:
            with contextlib.suppress(OSError):
                inner, _ = self.listener.accept()
                threading.Thread(target=self.forward, args=(inner,), daemon=True).start()

    def forward(self, inner):
        with contextlib.suppress(OSError), inner:
            if self.is_cut:
                return
            with socket.create_connection(("127.0.0.1", self.target), 10) as outer:
                outer.settimeout(None)
                pair = inner, outer
                with self.lock:
                    self.pairs.add(pair)
                try:
                    self.pump(inner, outer)
                finally:
                    with self.lock:
                        self.pairs.discard(pair)

    def pump(self, inner, outer):
        for one in (inner, outer):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Unlike select, it takes any number of open files.
        ready = select.poll()
        pairs = {inner.fileno(): (inner, outer), outer.fileno(): (outer, inner)}
        for number in pairs:
            ready.register(number, select.POLLIN)
        while True:
            found = ready.poll(1_000)
            while self.stalls:
                time.sleep(0.05)
            for number, _ in found:
                one, other = pairs[number]
                data = one.recv(BUFFER_BYTES)
                if not data:
                    return
                other.sendall(data)

    def cut(self, seconds):
        """Ends all connections, and refuses others for a time."""
        self.is_cut = True
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            for one in pair:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
        time.sleep(seconds)
        self.is_cut = False

    def stall(self, seconds):
        """Forwards nothing for a time, then ends all connections."""
        self.stalls = True
        time.sleep(seconds)
        self.stalls = False
        self.cut(0)

    def close(self):
        self.is_closed = True
        self.listener.close()
        self.cut(0)
