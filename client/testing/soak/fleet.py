"""The programs under test: a server (closed with TLS and tokens, with pages), standing agents, agents that start runs of their own, and clients that submit runs.
Each keeps itself going: it restarts what a fault has ended, and reports what ends by itself as a problem."""
import collections
import hashlib
import os
import re
import select
import shutil
import signal
import time

from programs import Program

Library = collections.namedtuple("Library", "path sha256 timeout_s selections")

# Small selections, because many runs matter here, not many cases.
SELECTIONS = [
    ["--suite", "smoke", "--fname", "relu", "--dtype", "float32"],
    ["--suite", "smoke", "--fname", "sum,cat", "--dtype", "float64"],
    ["--suite", "smoke", "--fname", "add", "--dtype", "float32,int64"],
    ["--suite", "smoke", "--fname", "layer_norm", "--dtype", "float16"],
    ["--suite", "core", "--fname", "add", "--dtype", "int8"],
    ["--suite", "core", "--fname", "softmax", "--dtype", "float16"],
    ["--suite", "core", "--fname", "randperm"],
]
OPERATORS = ["relu", "sum", "cat", "add", "layer_norm", "softmax", "randperm"]
ADD = [["--suite", "smoke", "--fname", "add", "--dtype", "float32"]]
A_FEW = [["--suite", "core", "--case", "add.float32.n*"]]
STRICT = ["--sandbox", "strict"]
WHOLE = [["--suite", "core"]]  # of a library that implements nothing: 98 thousand cases, of which none is called

REPEATS = ["2", "20", "100"]  # calls per case, for runs of a fraction of a second up to some seconds

RESTART_S = 2.0  # at most; chosen at random
PAUSE_S = 4.0  # at most, between two runs of one agent or client
PATIENCE_S = 300  # for operations that take seconds on an idle machine

EXIT_ENVIRONMENT = 4  # no server, a full disk
# If a worker is killed before it has loaded the library, the agent thinks that the library cannot be loaded.
EXIT_USAGE, KILLED_LOADING = 2, "cannot be loaded: SIGKILL"
EXIT_OURS = 3  # also of a run with a case that nobody could judge
RESULT = {0, 1}  # nothing failed, something failed


def libraries(build, core):
    """By name. Libraries that crash, hang or mean harm would fail a health check: only agents that start their own runs use
    them."""
    paths = {"good": "lib/libdiopi_cpu.so", "faulty": "lib/vendors/libdiopi_faulty.so"}
    selections = {"throws": ADD, "abort": ADD, "exit": ADD, "segfault": A_FEW, "hang": A_FEW, "hostile": ADD, "forks": A_FEW}
    if core:
        selections["null"] = WHOLE
    made = {}
    for name in ["good", "faulty", *selections]:
        path = f"{build}/" + paths.get(name, f"lib/vendors/vendor_{name}.so")
        with open(path, "rb") as file:
            sha256 = hashlib.sha256(file.read()).hexdigest()
        made[name] = Library(path, sha256, 0.5 if name == "hang" else 120, selections.get(name, SELECTIONS))
    return made


def run_in(text):
    """The id of the first run that a program names; empty: none."""
    found = re.search(r"(?:Run |--resume )(\d{8}-\d{6}-[0-9a-f]+)", text)
    return found.group(1) if found else ""


class Server:
    """Starts on another port each time: its clients use the proxy's."""

    def __init__(self, soak):
        self.soak = soak
        self.program = None
        self.restart_at = 0.0
        self.starts = 0
        self.http = None  # (host, port)

    def launch(self):
        """The lines by which it says that it serves; none: it does not."""
        read_end, write_end = os.pipe()
        self.program = Program(
            self.soak.folder, "server",
            [f"{self.soak.build}/bin/diopi-server", "--data", self.soak.data, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
             *self.soak.security.server_flags(), "--lease-s", "2", "--agent-lost-s", "4", "--grace-s", "2", "--log-level", "warn",
             "--ready-fd", str(write_end)],
            self.soak.clock, pass_fds=[write_end], restore_signals=self.soak.mounted)  # see faults.fill
        os.close(write_end)
        with open(read_end, encoding="utf-8") as ready:
            select.select([ready], [], [], PATIENCE_S)
            return ready.readlines()

    def start(self):
        lines = self.launch()
        if len(lines) == 2:
            self.starts += 1
            ports = [int(line.rsplit(":", 1)[1]) for line in lines]
            self.soak.proxy.target = ("127.0.0.1", ports[0])
            self.http = ("127.0.0.1", ports[1])

    def step(self):
        now = time.monotonic()
        if self.program is None:
            if now >= self.restart_at:
                self.start()
        elif self.program.ended() is not None:
            full = {EXIT_ENVIRONMENT} if self.soak.faults.disk_was_full() else set()
            stopped = {0} if signal.SIGTERM in self.program.signals else set()
            self.soak.problem(self.program.surprise(full | stopped))
            self.soak.left_behind(self.program)
            self.program = None
            self.restart_at = now + self.soak.random.random() * RESTART_S

    @property
    def pid(self):
        return self.program.pid if self.program is not None and self.program.ended() is None else 0


class Refusal:
    """A server that must refuse the damaged database of its data folder, and say what helps."""

    def __init__(self, soak, data):
        self.soak = soak
        self.data = data
        self.program = Program(soak.folder, os.path.basename(data),
                               [f"{soak.build}/bin/diopi-server", "--data", data, "--listen", "127.0.0.1:0"])

    def over(self):
        status = self.program.ended()
        if status is None:
            return False
        text = self.program.output()
        if status != EXIT_ENVIRONMENT or f"diopi-server check --data {self.data}" not in text:
            self.soak.problem(f"the server on a damaged database ended with {status}: {text[-500:]}")
        self.soak.left_behind(self.program)
        shutil.rmtree(self.data)
        return True


class StandingAgent:
    def __init__(self, soak, name, library):
        self.soak = soak
        self.name = name
        self.library = library
        self.program = None
        self.restart_at = 0.0

    def step(self):
        now = time.monotonic()
        if self.program is not None and self.program.ended() is not None:
            self.soak.problem(self.program.surprise({0} if signal.SIGTERM in self.program.signals else set()))
            self.soak.left_behind(self.program)
            self.program = None
            self.restart_at = now + self.soak.random.random() * RESTART_S
            self.soak.count("agent restarts")
        if self.program is None and now >= self.restart_at:
            library = self.soak.libraries[self.library]
            self.program = Program(
                self.soak.folder, self.name,
                [f"{self.soak.build}/bin/diopi-agent", "--serve", "--server", self.soak.proxy.address,
                 *self.soak.security.client_flags("lab"), "--chip", self.library, "--impl", library.path, "--impl-upload",
                 "--health-every-s", "10", "--timeout-s", str(library.timeout_s)],
                self.soak.clock)


class OwnRuns:
    """An agent that starts one run after another, and resumes those that a fault has interrupted."""

    def __init__(self, soak, name, libraries_in_turn, own_server):
        self.soak = soak
        self.name = name
        self.libraries = libraries_in_turn
        self.own_server = own_server
        self.program = None
        self.next_at = 0.0
        self.turn = 0
        self.interrupted = None  # (library, run)

    def command(self, library, more, chip):
        chosen = self.soak.libraries[library]
        where = ["--data", self.soak.data]
        if not self.own_server:  # only admin may resume everybody's runs
            token = "admin" if "--resume" in more else "lab"
            where = ["--server", self.soak.proxy.address, *self.soak.security.client_flags(token)]
        if library == "hostile":
            more = [*STRICT, *more]
        return [f"{self.soak.build}/bin/diopi-agent", *where, "--chip", chip or library, "--impl", chosen.path,
                "--timeout-s", str(chosen.timeout_s), "--error-report", f"{self.soak.folder}/work/{self.name}.csv", *more]

    def start(self, library, more, chip=""):
        """`more`: a selection, or --resume RUN. `chip`: empty for the library's name; uploaded libraries need one."""
        self.library = library
        self.program = Program(self.soak.folder, self.name, self.command(library, more, chip), self.soak.clock)

    def finish(self):
        """Call it once the program has ended. Returns its exit status."""
        status = self.program.ended()
        allowed = RESULT | {EXIT_ENVIRONMENT} | {128 + number for number in self.program.signals}
        if KILLED_LOADING in self.program.output():
            allowed.add(EXIT_USAGE)
        if self.soak.faults.counts["baseline damaged"]:  # a case that nobody could judge
            allowed.add(EXIT_OURS)
        self.soak.problem(self.program.surprise(allowed))
        run = run_in(self.program.output())
        if run and status in RESULT | {EXIT_OURS}:
            self.soak.acknowledged.add(run)
        self.interrupted = (self.library, run) if run and status not in RESULT | {EXIT_OURS} else None
        self.soak.left_behind(self.program)
        self.program = None
        return status

    def step(self):
        if self.program is not None:
            if self.program.ended() is None:
                return
            self.finish()
            self.next_at = time.monotonic() + self.soak.random.random() * PAUSE_S
        if time.monotonic() < self.next_at or self.soak.closing:
            return
        if self.interrupted is not None:
            self.start(self.interrupted[0], ["--resume", self.interrupted[1]])
        else:
            library = self.libraries[self.turn % len(self.libraries)]
            self.turn += 1
            self.start(library, self.soak.some_cases(library))
            self.soak.count("runs started by agents")


class Clients:
    """Submit runs to the standing agents. Some wait for the end, some watch later, some are killed meanwhile."""
    MOST = 6  # at once

    def __init__(self, soak, chips):
        self.soak = soak
        self.chips = chips
        self.programs = []
        self.next_at = 0.0
        self.last_run = ""

    def start(self, arguments):
        name = next(name for name in (f"client-{i}" for i in range(self.MOST))
                    if name not in (program.name for program in self.programs))
        token = "admin" if "--impl" in arguments else "lab"  # uploading takes admin
        command = [f"{self.soak.build}/bin/diopi-cli", "submit", "--server", self.soak.proxy.address,
                   *self.soak.security.client_flags(token), *arguments]
        self.programs.append(Program(self.soak.folder, name, command))

    def step(self):
        for program in [one for one in self.programs if one.ended() is not None]:
            self.programs.remove(program)
            # 3 is the status of a run whose agents were killed repeatedly, 130 that of a stopped run.
            self.soak.problem(program.surprise(RESULT | {EXIT_ENVIRONMENT, EXIT_OURS, 130}))
            run = run_in(program.output())
            if run:
                self.soak.acknowledged.add(run)
                self.last_run = run
            self.soak.left_behind(program)
        now = time.monotonic()
        if now < self.next_at or self.soak.closing or len(self.programs) >= self.MOST:
            return
        random = self.soak.random
        self.next_at = now + random.random() * PAUSE_S
        if self.last_run and random.random() < 0.2:
            return self.start(["--watch", self.last_run])
        chip = random.choice(self.chips)
        upload = random.random() < 0.15
        library = random.choice(["throws", "abort"]) if upload else chip
        arguments = ["--chip", chip, *self.soak.some_cases(library)]
        if upload:
            arguments += ["--impl", self.soak.libraries[library].path]
        if random.random() < 0.5:
            arguments.append("--wait")
        self.soak.count("runs submitted")
        self.start(arguments)
