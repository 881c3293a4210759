"""Checks after the faults: verdicts, the database, and that nothing is left. Reads runs with diopi-cli."""
import collections
import csv
import io
import os
import shutil
import subprocess

from faults import flip

Run = collections.namedtuple("Run", "id state chip done cases library selection")
Verdict = collections.namedtuple("Verdict", "case outcome signal reason")
# The reason when a worker was killed before it had loaded the library, at its first start or when it was started again.
KILLED_LOADING = ("the worker was lost: SIGKILL", "the worker was lost: the worker could not be started again: SIGKILL")


# The reason when a tensor of a baseline is damaged: found by the server, or by the agent if the byte was flipped in between.
DAMAGED = ("does not match its checksum", "the announced one is")


def say(command, timeout_s=600):
    """(exit status, what it printed)"""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=timeout_s, check=False)
    return done.returncode, done.stdout


class Results:
    """The contents of the data folder, with or without a running server."""

    def __init__(self, build, data):
        self.cli = f"{build}/bin/diopi-cli"
        self.data = data

    def rows(self, *command):
        status, text = say([self.cli, *command, "--data", self.data, "--format", "csv"])
        if status != 0:
            raise RuntimeError(f"diopi-cli {' '.join(command)}: exit status {status}: {text}")
        return csv.DictReader(io.StringIO(text))

    def runs(self):
        """Newest first."""
        return [Run(row["run"], row["state"], row["chip"], int(row["done"]), int(row["cases"]), row["library"],
                    row["partial"]) for row in self.rows("runs")]

    def progress(self):
        """What changes as long as any run gets on."""
        return [(run.id, run.done, run.state) for run in self.runs()]

    def verdicts(self, run):
        return [Verdict(row["case"], row["outcome"], row["signal"], row["reason"]) for row in self.rows("report", "--run", run.id)]


class Verdicts:
    """Compares runs with undisturbed ones of the same library and selection."""

    def __init__(self, results):
        runs = results.runs()
        self.before = {run.id for run in runs}
        self.undisturbed = {(run.library, run.selection): {one.case: one.outcome for one in results.verdicts(run)}
                            for run in runs}
        self.total = 0
        self.damage_expected = False
        self.in_flight = 0  # cases of killed workers
        self.damaged = 0  # cases whose baseline was damaged meanwhile
        self.never_begun = 0  # aborted with a reason before an agent could begin

    def problems(self, results, acknowledged, workers_killed, damage_expected):
        self.damage_expected = damage_expected
        runs = [run for run in results.runs() if run.id not in self.before]
        for run in runs:
            yield from self.problems_of(run, results)
        lost = acknowledged - {run.id for run in runs}
        if lost:
            yield f"the database lacks runs whose ids clients and agents received: {', '.join(sorted(lost))}"
        if self.in_flight > workers_killed:
            yield f"{self.in_flight} cases were lost with killed workers, but only {workers_killed} were killed"

    def problems_of(self, run, results):
        if was_never_begun(run):
            self.never_begun += 1
            return
        if run.state != "finished":
            yield f"run {run.id} is {run.state}"
            return
        found = results.verdicts(run)
        self.total += len(found)
        expected = self.undisturbed.get((run.library, run.selection))
        if expected is None:
            yield f"run {run.id}: there is no undisturbed run of {run.library} and {run.selection}"
            return
        if sorted(verdict.case for verdict in found) != sorted(expected) or run.cases != len(expected):
            yield f"run {run.id}: {len(found)} verdicts of {len(expected)} cases"
        for case, outcome, signal, reason in found:
            if outcome == expected.get(case):
                continue
            if outcome == "harness_error" and any(text in reason for text in DAMAGED) and self.damage_expected:
                self.damaged += 1
            elif (outcome, signal) == ("crash", "SIGKILL") or reason.startswith(KILLED_LOADING):
                self.in_flight += 1
            else:
                yield f"run {run.id}: {case} has outcome {outcome}, {expected.get(case)} in an undisturbed run"


def was_never_begun(run):
    return run.state == "aborted" and run.library == "-" and run.done == 0


def check_data(build, data):
    """The problems that `diopi-server check` reports."""
    status, text = say([f"{build}/bin/diopi-server", "check", "--data", data], timeout_s=3600)
    if status != 0:
        yield f"diopi-server check: exit status {status}: {text[-2000:]}"
    uploads = f"{data}/uploads"
    if os.path.isdir(uploads) and os.listdir(uploads):
        yield f"uploaded libraries are left: {os.listdir(uploads)}"


def check_backup(build, data, copy):
    """The problems of a backup, which verifies what it wrote, and of the copy itself."""
    status, text = say([f"{build}/bin/diopi-server", "backup", "--data", data, "--to", copy], timeout_s=3600)
    if status != 0 or "verified: " not in text:
        yield f"diopi-server backup: exit status {status}: {text[-2000:]}"
        return
    yield from check_data(build, copy)


def damageable_byte(build, baseline, folder):
    """Where a flipped byte damages a tensor of this baseline, and nothing else."""
    for part in range(1, 20):
        at = os.path.getsize(baseline) * part // 20
        copy = f"{folder}/flipped/baselines/cpu/{os.path.basename(baseline)}"
        os.makedirs(os.path.dirname(copy))
        shutil.copy(baseline, copy)
        flip(copy, at)
        status, text = say([f"{build}/bin/diopi-server", "check", "--data", f"{folder}/flipped"])
        shutil.rmtree(f"{folder}/flipped")
        if status == 1 and text.count("does not match its checksum") == 1 and ", tensor " in text:
            return at
    raise RuntimeError(f"no byte of {baseline} belongs to one tensor alone")


def sockets_of(folder):
    """Unix sockets in the folder that somebody still listens on or has open."""
    with open("/proc/net/unix", encoding="utf-8") as file:
        return sorted({line.split()[-1] for line in file if folder in line})
