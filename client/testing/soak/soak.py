#!/usr/bin/python3
"""Subjects a server, its agents and its clients to hours of random faults, after which everything must be right.

A diopi-server, standing agents and agents that start their own runs test libraries that are correct, faulty, crash or
hang or mean harm, while clients keep submitting runs. The server wants TLS and tokens; browsers read its pages, and strangers
attack it (visitors.py). A seed determines the faults (faults.py): killed, terminated and stopped processes, full disks, cut,
stalled and slow connections, jumps of the wall clock, clients that go away, damaged files, renewed certificates. Half an
hour or more has runs of all of core, too. In the end the faults stop and every run is brought to its end. Each must have one verdict per case, with the outcome of an undisturbed
run; the data folder must be sound; no process, temporary folder, socket, memory or descriptor may be left. With exit
status 1 the output says what is wrong, and where the logs and the database are.
"""
import argparse
import collections
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from checks import Results, Verdicts, check_backup, check_data, damageable_byte, sockets_of, was_never_begun
from faults import Fault, Faults, Proxy, schedule
from fleet import Clients, OPERATORS, OwnRuns, PATIENCE_S, REPEATS, Server, StandingAgent, libraries
from programs import Program, adopt_orphans, bury_orphans, descendants, memory_mib, open_descriptors, send
from security import Security
from visitors import Attacker, Reader, read_page

CORE_FROM_HOURS = 0.5
READERS = 3
STANDING_SHARE = 0.7
FAULTY_SHARE = 0.3  # of the standing agents
RESUMED_AT_ONCE = 4
MOST_TOLD = 50  # problems printed
# After this long without a change, nobody works on the open runs.
STILL_S = 15
# tmpfs takes memory only for what is stored in it: baselines, and about 2 KiB per verdict.
DISK_MIB, DISK_MIB_AN_HOUR = 512, 1536
# After the warm-up, memory has the catalog, open baselines and a connection per agent. Later come allocator arenas of
# threads that had never worked at the same time before, and 24 hours of lost agents.
MORE_MEMORY_MIB = 96
# For calls that have just ended, and the database's files while somebody reads it.
MORE_DESCRIPTORS = 16


class Soak:
    def __init__(self, options, folder):
        self.build = os.path.abspath(options.build)
        self.options = options
        self.folder = folder
        self.disk = f"{folder}/disk"
        self.data = f"{self.disk}/data"
        self.clock_file = f"{folder}/clock"
        for name in ("disk", "logs", "tmp", "work"):
            os.mkdir(f"{folder}/{name}")
        self.mounted = options.mounts and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={int(DISK_MIB + DISK_MIB_AN_HOUR * options.hours)}m", "none", self.disk],
            check=False).returncode == 0
        self.clock = {"LD_PRELOAD": f"{self.build}/lib/vendors/wall_clock_shim.so",
                      "DIOPI_TEST_WALL_OFFSET": self.clock_file}
        self.random = random.Random(options.seed + 1)
        self.counts = collections.Counter()
        self.problems = []
        self.acknowledged = set()
        self.resumed = collections.Counter()
        self.closing = False
        self.bury_at = 0.0
        self.peak_mib = self.peak_descriptors = 0
        self.core = options.hours >= CORE_FROM_HOURS
        self.libraries = libraries(self.build, self.core)
        self.security = Security(f"{folder}/security", self.clock["LD_PRELOAD"])
        self.results = Results(self.build, self.data)
        self.proxy = Proxy()
        self.faults = Faults(self)
        self.server = Server(self)
        self.agents = []
        self.clients = Clients(self, ["good", "faulty"])
        self.refusals = []
        self.damageable = None  # (path, position)
        self.visitors = [Reader(self, options.seed + i) for i in range(READERS)] + [Attacker(self, options.seed)]

    def count(self, what):
        self.counts[what] += 1

    def problem(self, text):
        if text:
            self.problems.append(text)
            if len(self.problems) <= MOST_TOLD:
                print(f"soak: problem: {text}", flush=True)

    def left_behind(self, program):
        left = program.clean()
        if left and signal.SIGKILL not in program.signals:  # a killed program cannot clean up
            self.problem(f"{program.name} left in its temporary folder: {', '.join(left)}")

    def some_cases(self, library):
        return [*self.random.choice(self.libraries[library].selections), "--repeat", self.random.choice(REPEATS)]

    def say(self, text):
        print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)

    # Phases.

    def warm_up(self):
        """Generates baselines, and makes an undisturbed run of each library and selection through the server."""
        gen = Program(self.folder, "gen", [f"{self.build}/bin/diopi-cli", "gen", "--data", self.data, "--quiet", "--fname",
                                           *OPERATORS])
        if gen.process.wait(PATIENCE_S) != 0:
            raise RuntimeError(f"diopi-cli gen failed: {gen.output()}")
        gen.clean()
        baseline = f"{self.data}/baselines/cpu/add.h5"
        self.damageable = (baseline, damageable_byte(self.build, baseline, self.folder))
        if self.core:
            self.borrow_core()
        for name, role in (("lab", "run"), ("admin", "admin"), ("reader", "read")):
            self.security.add_token(self.build, self.data, name, role)
        self.server.start()
        for name, library in self.libraries.items():
            for selection in library.selections:
                agent = OwnRuns(self, "undisturbed", [name], own_server=False)
                agent.start(name, selection)
                agent.program.process.wait(PATIENCE_S * 10)
                if agent.finish() not in (0, 1):
                    raise RuntimeError(f"the undisturbed run of {name} failed; see {self.folder}/logs/undisturbed.log")
        self.acknowledged = set()
        self.verdicts = Verdicts(self.results)

    def start_agents(self):
        standing = max(2, int(self.options.agents * STANDING_SHARE))
        faulty = max(1, int(standing * FAULTY_SHARE))
        for i in range(standing):
            self.agents.append(StandingAgent(self, f"agent-{i}", "faulty" if i < faulty else "good"))
        names = list(self.libraries)
        for i in range(self.options.agents - standing):
            turns = names[i % len(names):] + names[:i % len(names)]
            self.agents.append(OwnRuns(self, f"agent-{standing + i}", turns, own_server=i % 3 == 1))
        self.standing = self.agents[:standing]
        for agent in self.standing:
            agent.step()
        self.wait_for("every standing agent to be ready", lambda: all(
            "waiting for runs" in agent.program.output() for agent in self.standing))
        self.idle = self.measure()

    def borrow_core(self):
        """Links the baselines of core, which the tests of whole libraries keep in the build folder."""
        shared = f"{self.build}/Testing/core"
        os.makedirs(shared, exist_ok=True)
        subprocess.run(["flock", f"{shared}/test.lock", f"{self.build}/bin/diopi-cli", "gen", "--data", shared, "--quiet"],
                       check=True)
        for name in os.listdir(f"{shared}/baselines/cpu"):
            if not os.path.exists(f"{self.data}/baselines/cpu/{name}"):
                os.symlink(f"{shared}/baselines/cpu/{name}", f"{self.data}/baselines/cpu/{name}")

    def return_core(self):
        for name in os.listdir(f"{self.data}/baselines/cpu"):
            if os.path.islink(f"{self.data}/baselines/cpu/{name}"):
                os.remove(f"{self.data}/baselines/cpu/{name}")

    def measure(self):
        pid = self.server.pid
        return memory_mib(pid), open_descriptors(pid)

    def disturb(self):
        seconds = self.options.hours * 3600
        faults = collections.deque(schedule(self.options.seed, seconds))
        begin = time.monotonic()
        for visitor in self.visitors:
            visitor.start()
        next_line = begin + 60
        while (now := time.monotonic()) < begin + seconds:
            while faults and faults[0].at <= now - begin:
                self.faults.inject(faults.popleft())
            self.step()
            if now >= next_line:
                next_line += 60
                self.progress(now - begin)

    def step(self):
        self.faults.step()
        self.server.step()
        for agent in self.agents:
            agent.step()
        self.clients.step()
        self.refusals = [refusal for refusal in self.refusals if not refusal.over()]
        if time.monotonic() >= self.bury_at:
            self.bury_at = time.monotonic() + 1
            bury_orphans(self.our_pids())
        memory, descriptors = self.measure()
        self.peak_mib = max(self.peak_mib, memory)
        self.peak_descriptors = max(self.peak_descriptors, descriptors)
        time.sleep(0.05)  # how often we look; nothing waits for it

    def our_pids(self):
        programs = [agent.program for agent in self.agents] + [self.server.program, *self.clients.programs]
        programs += [refusal.program for refusal in self.refusals]
        return {program.pid for program in programs if program is not None}

    def progress(self, seconds):
        self.say(f"{seconds / 60:.0f} min: {sum(self.faults.counts.values())} faults, "
                 f"{self.counts['runs submitted'] + self.counts['runs started by agents']} runs, "
                 f"{self.server.starts} server starts, {self.counts['agent restarts']} agent restarts, "
                 f"server {self.measure()[0]:.0f} MiB, {self.measure()[1]} descriptors, {len(self.problems)} problems")

    def wait_for(self, what, reached):
        """Steps until `reached`. False, with a problem, if no run gets on for PATIENCE_S before that."""
        changed_at, before = time.monotonic(), None
        while not reached():
            if before != (before := self.results.progress()):
                changed_at = time.monotonic()
            if time.monotonic() - changed_at > PATIENCE_S:
                self.problem(f"timed out after {PATIENCE_S} s waiting for {what}")
                return False
            for _ in range(20):
                if reached():
                    break
                self.step()
        return True

    def calm_down(self):
        """Stops faults and new runs; every run comes to its end, by itself or resumed."""
        self.closing = True
        self.faults.stop()
        own = [agent for agent in self.agents if isinstance(agent, OwnRuns)]
        for visitor in self.visitors:
            visitor.stop()
        self.wait_for("the server to start", lambda: self.server.pid)
        self.wait_for("damaged databases to be refused", lambda: not self.refusals)
        self.wait_for("agents to end their runs", lambda: all(agent.program is None for agent in own))
        self.agents = list(self.standing)
        self.bring_runs_to_their_end()
        self.wait_for("agents that resumed to end", lambda: all(agent.program is None for agent in self.agents
                                                                if isinstance(agent, OwnRuns)))
        self.wait_for("clients to end", lambda: not self.clients.programs)
        self.readiness()

    def readiness(self):
        """A full disk is not ready, and one that has room again is."""
        self.wait_for("the server to be ready", lambda: self.reads("/readyz", 200, "ready"))
        if self.mounted:
            self.faults.inject(Fault(0, "disk full", 0.0, PATIENCE_S))
            self.wait_for("the server not to be ready", lambda: self.reads("/readyz", 503, "disk: "))
            self.faults.stop()
            self.wait_for("the server to be ready again", lambda: self.reads("/readyz", 200, "ready"))

    def reads(self, path, status, text):
        try:
            found, body = read_page(self, path)
        except OSError:
            return False
        return found == status and text in body.decode()

    def bring_runs_to_their_end(self):
        changed_at, before = time.monotonic(), None
        while open_runs := [run for run in self.results.runs() if run.state != "finished" and not was_never_begun(run)]:
            if before != (before := self.results.progress()):
                changed_at = time.monotonic()
            still_s = time.monotonic() - changed_at
            if still_s > PATIENCE_S:
                self.problem("runs do not end: " + ", ".join(f"{run.id} ({run.state})" for run in open_runs))
                return
            for run in open_runs:
                if run.state in ("stalled", "aborted") or still_s > STILL_S:
                    self.resume(run)
            for _ in range(20):
                self.step()

    def resume(self, run):
        """Resumes a run that no agent works on, as a user would."""
        own = [agent for agent in self.agents if isinstance(agent, OwnRuns)]
        busy = [agent.name for agent in own if agent.program is not None]
        name = f"resume-{run.id}"
        if name in busy or len(busy) >= RESUMED_AT_ONCE or self.resumed[run.id] == 3:
            return
        self.resumed[run.id] += 1
        library = next((name for name, one in self.libraries.items() if run.library.endswith(one.sha256[:12])), run.chip)
        agent = OwnRuns(self, name, [library], own_server=False)
        agent.start(library, ["--resume", run.id], run.chip)
        self.agents = [one for one in self.agents if one.name != name] + [agent]

    def stop_all(self):
        """Ends everything as a user would, and checks that nothing remains."""
        left = self.standing[1:] if self.options.sabotage == "process" else self.standing
        for program in [agent.program for agent in left] + [self.server.program]:
            program.signal(signal.SIGTERM)
            try:
                program.process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                pass
            self.problem(program.surprise({0}))
            self.left_behind(program)
        end = time.monotonic() + 10
        while (left := descendants(os.getpid())) and time.monotonic() < end:
            bury_orphans(set())
            time.sleep(0.1)
        for process in left:
            self.problem(f"process {process.pid} is left: {process.name}")
        for path in sockets_of(self.folder):
            self.problem(f"socket {path} is left")

    def check(self):
        if self.options.sabotage == "verdict":
            lose_verdicts(f"{self.data}/results.db")
        if self.core:
            self.return_core()
        for problem in self.verdicts.problems(self.results, self.acknowledged, self.faults.counts["worker killed"],
                                              self.faults.counts["baseline damaged"]):
            self.problem(problem)
        for problem in check_data(self.build, self.data):
            self.problem(problem)
        for problem in check_backup(self.build, self.data, f"{self.folder}/backup"):
            self.problem(problem)
        if not sum(visitor.counts["pages read"] for visitor in self.visitors):
            self.problem("nobody could read a page")
        (memory, descriptors), (idle_memory, idle_descriptors) = self.end, self.idle
        if memory > idle_memory + MORE_MEMORY_MIB:
            self.problem(f"the server uses {memory:.0f} MiB; after the warm-up it used {idle_memory:.0f} MiB")
        if descriptors > idle_descriptors + MORE_DESCRIPTORS:
            self.problem(f"the server has {descriptors} open descriptors; after the warm-up it had {idle_descriptors}")

    def table(self, seconds):
        rows = [("duration", f"{seconds / 60:.1f} min, {self.options.hours * 60:.1f} min of them with faults"),
                ("seed", self.options.seed), ("agents", self.options.agents),
                ("disk", "a small tmpfs" if self.mounted else "limited file sizes (not root, or no mounts)")]
        rows += [(f"fault: {kind}", times) for kind, times in sorted(self.faults.counts.items())]
        rows += sorted(sum((visitor.counts for visitor in self.visitors), collections.Counter()).items())
        rows += [("runs", f"{len(self.results.runs())}, {self.verdicts.never_begun} aborted before they began, "
                          f"{sum(self.resumed.values())} resumptions at the end"),
                 ("verdicts", f"{self.verdicts.total}, {self.verdicts.in_flight} of them of killed workers, "
                              f"{self.verdicts.damaged} of damaged baselines"),
                 ("server starts", self.server.starts), ("agent restarts", self.counts["agent restarts"]),
                 ("server memory", f"{self.idle[0]:.0f} MiB warmed up, {self.end[0]:.0f} MiB at the end, "
                                   f"peak {self.peak_mib:.0f}"),
                 ("server descriptors", f"{self.idle[1]} warmed up, {self.end[1]} at the end, peak {self.peak_descriptors}"),
                 ("problems", len(self.problems))]
        for name, value in rows:
            print(f"{name:<40}{value}")

    def run(self):
        begin = time.monotonic()
        self.say(f"warming up in {self.folder}")
        self.warm_up()
        self.start_agents()
        self.say(f"{self.options.hours * 60:.1f} min of faults, seed {self.options.seed}")
        self.disturb()
        self.say("no more faults; waiting for every run to end")
        self.calm_down()
        self.end = self.measure()
        self.stop_all()
        self.check()
        self.table(time.monotonic() - begin)


def lose_verdicts(database):
    """Deletes one run's verdicts, which the soak must notice."""
    with sqlite3.connect(database) as connection:
        table, = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' "
                                    "AND name IN ('verdicts', 'results')").fetchone()
        connection.execute(f"DELETE FROM {table} WHERE run = (SELECT max(run) FROM {table})")


def parse():
    parser = argparse.ArgumentParser(prog="soak", description=__doc__.split("\n\n")[0])
    parser.add_argument("build", metavar="BUILD", help="build folder")
    parser.add_argument("hours", metavar="HOURS", type=float, help="duration of the faults, such as 24 or 0.03")
    parser.add_argument("--seed", type=int, default=int(time.time()),
                        help="seed of the schedule of faults (default: the time)")
    parser.add_argument("--real-clock", action="store_true",
                        help="also set the machine's own clock, a minute ahead or back for seconds (root; nobody else may need it)")
    parser.add_argument("--agents", type=int, default=20, help="agents (default: 20)")
    # For soak_test.py, which checks that it is noticed.
    parser.add_argument("--sabotage", choices=["verdict", "process"], help=argparse.SUPPRESS)
    parser.add_argument("--mounts", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.hours <= 0 or options.agents < 3:
        parser.error("HOURS must be positive and --agents at least 3")
    return options


def main():
    options = parse()
    namespace = ["unshare", "--mount", "--propagation", "private"]
    if not options.mounts and os.geteuid() == 0 and subprocess.run([*namespace, "true"], check=False).returncode == 0:
        os.execvp(namespace[0], [*namespace, sys.executable, *sys.argv, "--mounts", f"--seed={options.seed}"])
    adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = tempfile.mkdtemp(prefix="diopi-soak-")
    soak = Soak(options, folder)
    try:
        soak.run()
    except BaseException as error:
        soak.problems.append(repr(error))
        raise
    finally:
        for process in descendants(os.getpid()):
            send(process.pid, signal.SIGKILL)
        if soak.problems:
            shutil.copytree(soak.data, f"{folder}/kept-data", ignore_dangling_symlinks=True)
            print(f"soak: {len(soak.problems)} problems; seed {options.seed}; logs and data: {folder}", file=sys.stderr)
        if soak.mounted:
            subprocess.run(["umount", "--lazy", soak.disk], check=False)
        if not soak.problems:
            shutil.rmtree(folder)
    return 1 if soak.problems else 0


if __name__ == "__main__":
    sys.exit(main())
