"""Those who come to the server without a program of ours: browsers that read pages and figures, and clients that mean harm
and have no token. Each is a thread; the server's address may change at any time, and connections may break."""
import collections
import http.client
import os
import random
import socket
import ssl
import struct
import threading
import time

PAGES = ["/", "/docs/", "/healthz", "/readyz", "/metrics", "/api/v1/lab", "/api/v1/chips", "/api/v1/runs", "/api/v1/runs/latest",
         "/api/v1/runs/latest/operators", "/api/v1/models", "/api/v1/nothing", "/runs/latest"]
PAUSE_S = 0.5  # at most, between two pages of a visitor
PAGE_TIMEOUT_S = 30
MUCH = 64 << 20  # bytes of a page
ATTACK_S = 0.5  # at most, without a pause
ATTACK_PAUSE_S = 3.0  # at most
RESETS_AT_ONCE = 500
# An address of their own, so that the server can tell them from the others.
HOSTILE_HOST = "127.0.0.66"


class Thread(threading.Thread):
    def __init__(self, soak, seed):
        super().__init__(daemon=True)
        self.soak = soak
        self.random = random.Random(seed)
        self.ended = threading.Event()
        self.counts = collections.Counter()

    def run(self):
        while not self.ended.is_set():
            self.visit()

    def stop(self):
        self.ended.set()
        self.join(PAGE_TIMEOUT_S * 2)


class Reader(Thread):
    """Reads one page after another with a token."""

    def visit(self):
        if self.ended.wait(self.random.random() * PAUSE_S) or not self.soak.server.http:
            return
        path = self.random.choice(PAGES)
        full = self.soak.faults.disk_was_full()
        try:
            status, body = read_page(self.soak, path)
        except (OSError, http.client.HTTPException):  # a server that was killed, terminated or stopped
            self.counts["connections broke"] += 1
            return
        self.counts["pages read"] += 1
        ending = status == 503 and (path in ("/readyz", "/healthz") or b"shutting down" in body)
        if status >= 500 and not (full or ending or self.soak.faults.disk_was_full()):
            self.soak.problem(f"the page {path} has status {status}: {body[:200]}")


def read_page(soak, path):
    """(status, body)"""
    host, port = soak.server.http
    context = ssl.create_default_context(cafile=soak.security.ca)
    connection = http.client.HTTPSConnection(host, port, timeout=PAGE_TIMEOUT_S, context=context)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {soak.security.token('reader')}"})
        answer = connection.getresponse()
        return answer.status, answer.read(MUCH)
    finally:
        connection.close()


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def headers(path):
    """A call's headers, each as a literal that is not indexed (RFC 7541, 6.2.2)."""
    fields = [(":method", "POST"), (":scheme", "https"), (":path", path), (":authority", "127.0.0.1"),
              ("content-type", "application/grpc"), ("te", "trailers")]
    return b"".join(b"\0" + b"".join(bytes([len(text)]) + text.encode() for text in field) for field in fields)


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")


class Attacker(Thread):
    """Does to the server what a stranger can: none of it may end it or keep others from being served."""

    def visit(self):
        if self.ended.wait(self.random.random() * ATTACK_PAUSE_S) or not self.soak.server.http:
            return
        attack = self.random.choice([self.garbage, self.resets, self.half, self.crowd, self.unfinished_calls])
        try:
            attack(*self.random.choice([self.soak.proxy.target, self.soak.server.http]))
            self.counts[f"attack: {attack.__name__}"] += 1
        except OSError:  # refused, or cut off
            self.counts[f"attack: {attack.__name__}, cut off"] += 1

    def connect(self, host, port, encrypted=True):
        plain = socket.create_connection((host, port), timeout=5, source_address=(HOSTILE_HOST, 0))
        if not encrypted:
            return plain
        context = ssl.create_default_context(cafile=self.soak.security.ca)
        context.set_alpn_protocols(["h2"])
        return context.wrap_socket(plain, server_hostname="127.0.0.1")

    def for_a_while(self):
        end = time.monotonic() + ATTACK_S
        while time.monotonic() < end and not self.ended.is_set():
            yield

    def garbage(self, host, port):
        with self.connect(host, port, encrypted=self.random.random() < 0.5) as connection:
            for _ in self.for_a_while():
                connection.sendall(os.urandom(1 << 14))

    def resets(self, host, port):
        """Calls that are cancelled as soon as they are made (CVE-2023-44487)."""
        block = headers("/diopi.v1.Conformance/ListRuns")
        with self.connect(host, port) as connection:
            connection.sendall(PREFACE)
            stream = 1
            for _ in range(RESETS_AT_ONCE // 50):
                calls = b""
                for _ in range(50):
                    calls += frame(1, 0x4, stream, block) + frame(3, 0, stream, struct.pack(">I", 8))
                    stream += 2
                connection.sendall(calls)

    def unfinished_calls(self, host, port):
        """Calls whose requests never come, and frames that are larger than allowed."""
        block = headers("/diopi.v1.Conformance/CreateRun")
        with self.connect(host, port) as connection:
            connection.sendall(PREFACE + b"".join(frame(1, 0x4, stream, block) for stream in range(1, 400, 2)))
            connection.sendall(frame(0, 0, 1, bytes(1 << 20)))
            self.ended.wait(ATTACK_S)

    def half(self, host, port):
        """A handshake, or a request, that stops in the middle."""
        with self.connect(host, port, encrypted=False) as connection:
            connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" if self.random.random() < 0.5 else b"GET / HT")
            self.ended.wait(ATTACK_S)

    def crowd(self, host, port):
        connections = []
        try:
            for _ in range(100):
                connections.append(self.connect(host, port, encrypted=False))
            self.ended.wait(ATTACK_S)
        finally:
            for connection in connections:
                connection.close()
