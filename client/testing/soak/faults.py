"""The faults: their schedule, made from a seed, their effects, and the proxy between every program and the server."""
import collections
import contextlib
import mmap
import os
import random
import resource
import signal
import socket
import sqlite3
import struct
import threading
import time

from fleet import Refusal
from programs import children_by_parent, descendants, send

Fault = collections.namedtuple("Fault", "at kind pick seconds")

# How often each kind is in the deck, which is shuffled and dealt, so that even a short soak has every kind.
KINDS = {
    "server killed": 1, "server terminated": 1, "server stopped": 1,
    "agent killed": 3, "agent terminated": 2, "agent stopped": 2,
    "submitted run killed": 2, "agent's own server killed": 1,
    "worker killed": 3, "worker stopped": 2,
    "disk full": 1, "clock set": 2,
    "connections cut": 2, "connections stalled": 2, "connections slow": 1,
    "client killed": 2,
    "server reloaded": 1, "database damaged": 1, "baseline damaged": 1,
}
EVERY_S = 2.0  # on average
LONGEST_S = 6.0  # for a stop, a stall or a full disk
# The last share of a soak, in which faults leave the server and the standing agents running, so that leaks add up.
KEPT_SHARE = 1 / 3
RENEWING = {"server killed", "server terminated", "agent killed", "agent terminated"}

CLOCK_RANGE_S = 5 * 366 * 86400
CLOCK_STEPS_S = [1, -1, 60, -60, 3600, -3600, 86400, -86400, 366 * 86400]
DISK_ROOM = 256 << 10  # at most this much is left on a full disk
# How long a fault waits for a victim: workers come and go.
WAIT_S = 10
# A program that ends this long after the disk had room again may have failed for the full disk.
DISK_MEMORY_S = 15


def schedule(seed, seconds):
    """The faults of a soak, sorted by time."""
    generator = random.Random(seed)
    faults = []
    deck = []
    at = generator.expovariate(1 / EVERY_S)
    while at < seconds:
        if not deck:
            deck = [kind for kind, times in sorted(KINDS.items()) for _ in range(times)]
            generator.shuffle(deck)
        fault = Fault(at, deck.pop(), generator.random(), 0.2 + generator.random() * LONGEST_S)
        if fault.kind not in RENEWING or at < seconds * (1 - KEPT_SHARE):
            faults.append(fault)
        at += generator.expovariate(1 / EVERY_S)
    return faults


class Link:
    """A connection through the proxy: two threads, one for each direction."""

    def __init__(self, client, server):
        self.ends = (client, server)
        self.held = threading.Event()  # when clear, nothing passes
        self.held.set()
        self.delay_s = 0.0
        self.threads = [threading.Thread(target=self.pump, args=pair, daemon=True)
                        for pair in ((client, server), (server, client))]
        for thread in self.threads:
            thread.start()

    def pump(self, source, target):
        try:
            while data := source.recv(1 << 16):
                self.held.wait()
                time.sleep(self.delay_s)
                target.sendall(data)
        except OSError:
            pass
        self.cut(abruptly=False)

    def cut(self, abruptly=True):
        for end in self.ends:
            try:
                if abruptly:  # the other side sees a reset
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def over(self):
        if any(thread.is_alive() for thread in self.threads):
            return False
        for end in self.ends:
            end.close()
        return True


class Proxy:
    """Listens on one port of 127.0.0.1 and connects to `target`, the server's current address."""

    def __init__(self):
        self.target = None
        self.links = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.links = [link for link in self.links if not link.over()]
                self.links.append(Link(client, server))

    def some(self, pick):
        """One connection, or all of them in three of ten cases."""
        with self.lock:
            if pick < 0.3 or not self.links:
                return list(self.links)
            return [self.links[int((pick - 0.3) / 0.7 * len(self.links))]]


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 0x20]))


def damage(database, copy, cut):
    """Copies a database as of one moment and cuts the end off, or fills the first page of its runs with nonsense."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=60)) as source:
        with contextlib.closing(sqlite3.connect(copy)) as target:
            source.backup(target)
            page_bytes, = target.execute("PRAGMA page_size").fetchone()
            page, = target.execute("SELECT rootpage FROM sqlite_master WHERE name = 'runs'").fetchone()
    with open(copy, "r+b") as file:
        if cut:
            file.truncate(os.path.getsize(copy) // page_bytes // 2 * page_bytes)
        else:
            file.seek((page - 1) * page_bytes)
            file.write(b"nonsense" * (page_bytes // 8))


class Faults:
    def __init__(self, soak):
        self.soak = soak
        self.counts = collections.Counter()
        self.waiting = []  # (until, fault), without a victim so far
        self.look_at = 0.0  # when to look for victims again
        self.undo = []  # (when, action)
        self.full_until = 0.0
        self.damaged_until = 0.0  # a baseline
        self.clock_s = 0
        with open(soak.clock_file, "wb") as file:
            file.write(bytes(8))
        with open(soak.clock_file, "r+b") as file:
            self.shared_clock = mmap.mmap(file.fileno(), 8)

    def disk_was_full(self):
        return time.monotonic() < self.full_until + DISK_MEMORY_S

    def inject(self, fault, until=None):
        subject, what = fault.kind.rsplit(" ", 1)
        act = {"disk": self.fill, "clock": self.set_clock, "connections": self.disturb_network, "database": self.damage_database,
               "baseline": self.damage_baseline}.get(subject, self.reload if what == "reloaded" else self.send)
        done = act(fault, subject, what)
        until = until or time.monotonic() + WAIT_S
        if done or time.monotonic() > until:
            self.counts[fault.kind if done else f"{fault.kind}: nobody was there"] += 1
        else:
            self.waiting.append((until, fault))

    def step(self):
        now = time.monotonic()
        if now >= self.look_at:
            self.look_at = now + 0.2
            waiting, self.waiting = self.waiting, []
            for until, fault in waiting:
                self.inject(fault, until)
        for _, action in [entry for entry in self.undo if entry[0] <= now]:
            action()
        self.undo = [entry for entry in self.undo if entry[0] > now]

    def stop(self):
        """Ends lasting faults, and resets the clock."""
        self.waiting = []
        for _, action in self.undo:
            action()
        self.undo = []
        self.shared_clock[:] = bytes(8)

    def later(self, seconds, action):
        self.undo.append((time.monotonic() + seconds, action))

    def victims(self, subject):
        """(Program, pid) pairs: the process, and the program of ours that it belongs to."""
        soak = self.soak
        if subject == "server":
            return [(soak.server.program, soak.server.pid)] if soak.server.pid else []
        if subject == "client":
            return [(program, program.pid) for program in soak.clients.programs]
        running = [agent.program for agent in soak.agents if agent.program is not None]
        if subject == "agent":
            return [(program, program.pid) for program in running]
        name, depth = {"worker": ("diopi-worker", None), "submitted run": ("diopi-agent", 1),
                       "agent's own server": ("diopi-server", 1)}[subject]
        table = children_by_parent()
        return [(program, process.pid) for program in running for process in descendants(program.pid, table)
                if process.name == name and process.state != "Z" and (depth is None or process.parent == program.pid)]

    def send(self, fault, subject, what):
        victims = self.victims(subject)
        if not victims:
            return False
        program, pid = victims[int(fault.pick * len(victims))]
        number = {"killed": signal.SIGKILL, "terminated": signal.SIGTERM, "stopped": signal.SIGSTOP}[what]
        if what == "stopped":
            self.later(fault.seconds, lambda: send(pid, signal.SIGCONT))
        return program.signal(number) if pid == program.pid else send(pid, number)

    def set_clock(self, fault, _subject, _what):
        self.clock_s += CLOCK_STEPS_S[int(fault.pick * len(CLOCK_STEPS_S))]
        self.clock_s = max(-CLOCK_RANGE_S, min(CLOCK_RANGE_S, self.clock_s))
        self.shared_clock[:] = struct.pack("q", self.clock_s)
        if self.soak.options.real_clock:
            self.step_real_clock(fault)
        return True

    def step_real_clock(self, fault):
        """The machine's own clock, for some seconds and by a minute at most: others live by it."""
        step = 60 if fault.pick < 0.5 else -60

        def move(seconds):
            time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + seconds)
        move(step)
        self.counts["clock set: the machine's"] += 1
        self.later(fault.seconds, lambda: move(-step))

    def reload(self, _fault, _subject, _what):
        """A renewed certificate: new connections get it, the others go on."""
        pid = self.soak.server.pid
        if not pid:
            return False
        self.soak.security.renew()
        return send(pid, signal.SIGHUP)

    def damage_database(self, fault, _subject, _what):
        """Starts a server on a damaged copy of the database, which it must refuse."""
        copy = f"{self.soak.folder}/damaged-{self.counts['database damaged']}"
        os.mkdir(copy)
        damage(f"{self.soak.data}/results.db", f"{copy}/results.db", cut=fault.pick < 0.3)
        self.soak.refusals.append(Refusal(self.soak, copy))
        return True

    def damage_baseline(self, fault, _subject, _what):
        """Flips a byte of a tensor for some seconds: its case gets no verdict of the library's."""
        path, at = self.soak.damageable
        if self.damaged_until > time.monotonic():
            return False
        self.damaged_until = time.monotonic() + fault.seconds
        flip(path, at)
        self.later(fault.seconds, lambda: flip(path, at))
        return True

    def disturb_network(self, fault, _subject, what):
        links = self.soak.proxy.some(fault.pick)
        for link in links:
            if what == "cut":
                link.cut()
            elif what == "stalled":
                link.held.clear()
                self.later(fault.seconds * 3, link.held.set)  # at times longer than a client waits for a sign of life
            else:
                link.delay_s = fault.pick * 0.1
                self.later(fault.seconds, lambda link=link: setattr(link, "delay_s", 0.0))
        return bool(links)

    def fill(self, fault, _subject, _what):
        """Fills the data folder's disk; if it has none of its own, limits the size of the server's files."""
        room = int(fault.pick * DISK_ROOM)
        self.full_until = time.monotonic() + fault.seconds
        if self.soak.mounted:
            disk = os.statvfs(self.soak.disk)
            filler = f"{self.soak.disk}/filler"
            with open(filler, "wb") as file:
                try:
                    os.posix_fallocate(file.fileno(), 0, max(disk.f_bavail * disk.f_frsize - room, 1))
                except OSError:  # somebody else took the space meanwhile
                    return False
            self.later(fault.seconds, lambda: os.path.exists(filler) and os.remove(filler))
            return True
        pid = self.soak.server.pid
        if not pid:
            return False
        free = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (room, free[1]))
        self.later(fault.seconds, lambda: self.soak.server.pid == pid and resource.prlimit(pid, resource.RLIMIT_FSIZE, free))
        return True
