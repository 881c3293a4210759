#!/usr/bin/python3
"""Runs suites of models at their true sizes on the CPU reference, each in a process of its own and with a time limit, and writes
a table: calls, outcomes, scaled calls, seconds of the baselines, of the library's own calls and of everything else, the most
memory that all processes held together, and what the baselines take on disk.

A suite that does not finish in its time is stopped; its row counts what was done and says so. Memory is the sum of the
processes' proportional shares (PSS), twice a second, in two phases: making the baselines, and the run. Other users of the
machine make times longer, not memory; the load is the mean of the machine's while the suite ran.

With --output, each row is appended to a file as soon as it is measured, and models that have a row there are skipped, so that
an interrupted measurement goes on. With --data, baselines are kept: a case that models share is made once, for the first.

usage: bench_models.py BUILD_FOLDER [--seconds N] [--max-bytes SIZE] [--impl LIBRARY] [--output FILE] [--data FOLDER] [MODEL...],
all models without a name
"""
import argparse
import csv
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

SHORT = bool(os.environ.get("BENCH_SHORT"))
MIB = 1 << 20


def family(root):
    """The pids of a process and its descendants."""
    parents = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            with open(f"{entry.path}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(entry.name)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    pids = [root]
    for pid in pids:
        pids.extend(child for child, parent in parents.items() if parent == pid)
    return pids


def shares(pid):
    """The bytes of memory that a process answers for."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except OSError:
        return 0


class Watched:
    """A command, the most memory that it and its children held, and how it ended."""

    def __init__(self, command, limit):
        self.peak = 0
        self.loads = [os.getloadavg()[0]]
        start = time.monotonic()
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            sampler = threading.Thread(target=self.sample, args=(process,))
            sampler.start()
            try:
                process.wait(limit)
                self.finished = True
            except subprocess.TimeoutExpired:
                self.finished = False
                process.send_signal(signal.SIGINT)  # the cases in flight are finished and counted
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            self.seconds = time.monotonic() - start
            sampler.join()
            output.seek(0)
            self.text = output.read()
        self.code = process.returncode

    def sample(self, process):
        while process.poll() is None:
            self.peak = max(self.peak, sum(shares(pid) for pid in family(process.pid)))
            self.loads.append(os.getloadavg()[0])
            time.sleep(0.5)


def disk(folder):
    return sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(folder) for name in names)


def verdicts(build, data):
    """What a run's verdicts say: {column: value} each, by the JSON report."""
    report = subprocess.run([f"{build}/bin/diopi-cli", "report", "--run", "latest", "--data", data, "--format", "csv"],
                            capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(report.stdout)))


def scaled(build, model, bound):
    text = subprocess.run([f"{build}/bin/diopi-cli", "list", "models", "--model", model, "--max-bytes", bound],
                          capture_output=True, text=True).stdout
    for line in text.splitlines():
        if line.split()[:1] == [model.split("@")[0]]:
            words = line.replace(",", "").split()
            return int(words[words.index("scaled") - 1]) if "scaled" in words else 0
    return 0


def measure(build, model, options):
    with tempfile.TemporaryDirectory(prefix="bench_models.") as own:
        data = options.data or own
        selection = ["--model", model, "--max-bytes", options.max_bytes]
        before = disk(f"{data}/baselines")
        gen = Watched([f"{build}/bin/diopi-cli", "gen", "--data", data, "--jobs", "1", *selection], options.seconds)
        if not gen.finished or gen.code != 0:
            last = gen.text.strip().splitlines()[-1:] or [""]
            return f"| {model} | baselines not finished in {gen.seconds:.0f} s: {last[0][:80]} |||||||||"
        baselines = disk(f"{data}/baselines") - before
        run = Watched([f"{build}/bin/diopi-agent", "--impl", options.impl or f"{build}/lib/libdiopi_cpu.so", "--data", data,
                       "--error-report", f"{own}/errors.csv", "--quiet", "--timeout-s", "600", *selection], options.seconds)
        rows = verdicts(build, data)
    passed = sum(row["outcome"] == "pass" for row in rows)
    called = sum(float(row["call_us"] or 0) * 2 for row in rows) / 1e6
    loads = gen.loads + run.loads
    words = [f"{len(rows)}", f"{passed}", f"{scaled(build, model, options.max_bytes)}", f"{gen.seconds:.0f}", f"{called:.0f}",
             f"{run.seconds - called:.0f}", f"{gen.peak / MIB:.0f}", f"{run.peak / MIB:.0f}", f"{baselines / MIB:.1f}",
             f"{sum(loads) / len(loads):.0f}"]
    note = "" if run.finished else " (stopped)"
    return f"| {model}{note} | " + " | ".join(words) + " |"


def measured(path):
    """The models that have a row in the file."""
    if not path or not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as file:
        return {line.split("|")[1].split()[0] for line in file if line.startswith("| ")}


def tell(line, path):
    print(line, flush=True)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--seconds", type=float, default=1800, help="for the baselines, and for the run, of a suite")
    parser.add_argument("--max-bytes", default="4G")
    parser.add_argument("--impl")
    parser.add_argument("--output", help="a table, to which rows are appended; its models are skipped")
    parser.add_argument("--data", help="keeps the baselines in this folder")
    options = parser.parse_intermixed_args()
    build = os.path.abspath(options.build)
    models = options.models
    if not models:
        models = subprocess.run([f"{build}/bin/diopi-agent", "--get-model-list"], capture_output=True, text=True,
                                check=True).stdout.split()
    if SHORT:
        models, options.max_bytes = models[:1], "16K"
    done = measured(options.output)
    if not done:
        tell("| model | cases | pass | scaled | gen s | library s | rest s | gen MiB | run MiB | baselines MiB | load |\n"
             "|---|---|---|---|---|---|---|---|---|---|---|", options.output)
    for model in models:
        if model not in done:
            tell(measure(build, model, options), options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
