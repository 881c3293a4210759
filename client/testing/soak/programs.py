"""Processes: our programs with their logs and temporary folders, and all others as /proc shows them."""
import collections
import ctypes
import os
import shutil
import signal
import subprocess

Process = collections.namedtuple("Process", "pid parent name state")

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Makes orphaned processes our children, so that none is left behind unseen."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children_by_parent():
    table = collections.defaultdict(list)
    for entry in (name for name in os.listdir("/proc") if name.isdigit()):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        begin, end = text.index("("), text.rindex(")")
        state, parent = text[end + 2:].split()[:2]
        table[int(parent)].append(Process(int(entry), int(parent), text[begin + 1:end], state))
    return table


def descendants(root, table=None):
    """The descendants of the process `root`, in the order of their ids."""
    table = children_by_parent() if table is None else table
    found = []
    parents = [root]
    while parents:
        children = table.get(parents.pop(), [])
        found += children
        parents += [child.pid for child in children]
    return sorted(found)


def bury_orphans(ours):
    """Reaps adopted processes that have ended. `ours`: ids that their owners wait for."""
    for process in descendants(os.getpid()):
        if process.parent == os.getpid() and process.state == "Z" and process.pid not in ours:
            os.waitpid(process.pid, os.WNOHANG)


def send(pid, number):
    """False when the process is gone."""
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def memory_mib(pid, field="VmRSS"):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            for line in file:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


def open_descriptors(pid):
    """0 where we may not count them: our programs are not dumpable, so only root may."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


class Program:
    """A running program. Its output goes to logs/NAME.log; it has a TMPDIR of its own."""

    def __init__(self, folder, name, command, environment=None, **popen):
        self.name = name
        self.log = f"{folder}/logs/{name}.log"
        self.signals = set()  # those sent to it
        self.temporary = f"{folder}/tmp/{name}"
        os.makedirs(self.temporary, exist_ok=True)
        with open(self.log, "ab") as log:
            log.write(("$ " + " ".join(command) + "\n").encode())
            log.flush()
            self.begin = log.tell()
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=f"{folder}/work",
                env=dict(os.environ, TMPDIR=self.temporary, HOME=folder, **(environment or {})), **popen)

    @property
    def pid(self):
        return self.process.pid

    def ended(self):
        """Its exit status, or -SIGNAL if a signal ended it; None while it runs."""
        return self.process.poll()

    def signal(self, number):
        if self.ended() is not None:
            return False
        self.signals.add(number)
        return send(self.pid, number)

    def output(self):
        """Its output since its start."""
        with open(self.log, "rb") as log:
            log.seek(self.begin)
            return log.read().decode(errors="replace")

    def clean(self):
        """Call it once the program has ended. Removes its TMPDIR, and returns what was left there."""
        left = os.listdir(self.temporary)
        shutil.rmtree(self.temporary, ignore_errors=True)  # its children may still be ending there
        return left

    def surprise(self, allowed):
        """How it ended, if neither `allowed` nor a signal of ours explains that; otherwise empty."""
        status = self.ended()
        if status in allowed or -status in self.signals:
            return ""
        how = f"exit status {status}" if status >= 0 else signal.Signals(-status).name
        sent = ", ".join(sorted(signal.Signals(number).name for number in self.signals)) or "no signal"
        return f"{self.name} ended with {how} after {sent}; see {self.log}"
