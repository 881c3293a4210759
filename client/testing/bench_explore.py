#!/usr/bin/python3
"""Measures which share of the injected bugs --explore finds, and how often it accuses correct libraries.

A function's calls do not depend on the other functions that are explored. So exploring only the functions of a bug shows the
same as exploring all of them; a minute over all functions on two cores is about a dozen calls of each.

--unseen takes the bugs that nothing here was made to find (baselines/unseen; --unseen=2: baselines/unseen2), and says which of
them suite core finds, too.

usage: bench_explore.py BUILD_FOLDER [--calls N] [--every N] [--only GLOB] [--variants] [--unseen[=2]]
BENCH_SHORT=1 explores three bugs and one correct variant with few calls; its figures mean nothing.
"""
import argparse
import collections
import ctypes
import fnmatch
import os
import re
import subprocess
import sys
import tempfile
import time

SHORT = bool(os.environ.get("BENCH_SHORT"))


def injected(build, library):
    """[(name, functions, contracts)] of a library of injected bugs or correct variants (client/proof/injected_library.h). A bug
    that a contract must not hide stands among the variants, with a number."""
    ctypes.CDLL(f"{build}/lib/libdiopirt.so", mode=ctypes.RTLD_GLOBAL)
    listing = ctypes.CDLL(library).diopiInjected
    listing.restype = ctypes.c_char_p
    fields = [line.split("\t") for line in listing().decode().splitlines()]
    wanted = [field for field in fields if "variants" not in library or field[1] == "0"]
    return [(field[0], field[2].replace(",", " ").split(), field[3]) for field in wanted]


class Agent:
    """Explores a library with one of its bugs or variants switched on."""

    def __init__(self, build, library, variable, folder):
        self.build, self.library, self.variable, self.folder = build, library, variable, folder

    def explore(self, name, functions, contracts, calls):
        """Calls judged, the seconds, and the failed cases with their reasons."""
        command = [f"{self.build}/bin/diopi-agent", "--impl", self.library, "--data", f"{self.folder}/data", "--report-dir",
                   self.folder, "--explore", str(calls), "--verbose", "--count-only"]
        if functions:
            command += ["--fname", *functions]
        if contracts:
            command += ["--contract", contracts]
        start = time.monotonic()
        done = subprocess.run(command, env={**os.environ, self.variable: name}, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=False)
        judged = re.search(r"^Explored +(\d+) calls?", done.stdout, re.M)
        if done.returncode > 1 or not judged:
            sys.exit(f"{name}: exit status {done.returncode}\n{done.stdout}")
        failed = re.findall(r"^  ([a-z0-9_.]+\.x1\S*): (?!left out)(.*)$", done.stdout, re.M)
        return int(judged[1]), time.monotonic() - start, failed


    def core(self, name, functions):
        """Whether suite core finds the bug."""
        command = [f"{self.build}/bin/diopi-agent", "--impl", self.library, "--data", f"{self.folder}/data", "--error-report",
                   f"{self.folder}/errors.csv", "--quiet", "--fname", *functions]
        done = subprocess.run(command, env={**os.environ, self.variable: name}, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode > 1:
            sys.exit(f"{name}: exit status {done.returncode}\n{done.stdout}")
        return done.returncode == 1


def bugs(agent, wanted, calls):
    """The names of those that were found."""
    steps = [step for step in (calls // 10, calls // 2, calls) if step > 0]
    found = collections.Counter()
    missed = []
    for name, functions, contracts in wanted:
        failed = agent.explore(name, functions, contracts, calls * len(functions))[2]
        first = min((int(case.rsplit("_", 1)[1]) for case, _ in failed), default=None)
        if first is None:
            missed.append(name)
        for step in steps:
            found[step] += first is not None and first < step
    for step in steps:
        print(f"found with {step:5d} calls of each function: {found[step]} of {len(wanted)}")
    print("not found:", " ".join(missed) or "none", flush=True)
    return {name for name, _, _ in wanted} - set(missed)


def beside_core(agent, wanted, found):
    core = {name for name, functions, _ in wanted if agent.core(name, functions)}
    print(f"found by core: {len(core)} of {len(wanted)}; by one of both: {len(core | found)}")
    print("not found by core:", " ".join(name for name, _, _ in wanted if name not in core) or "none")
    print("found by neither:", " ".join(name for name, _, _ in wanted if name not in core | found) or "none", flush=True)


def correct(agent, wanted, calls):
    judged, alarms, seconds = 0, 0, 0.0
    for name, functions, contracts in wanted:
        count, time_taken, failed = agent.explore(name, functions, contracts, calls * max(1, len(functions)))
        judged, alarms, seconds = judged + count, alarms + len(failed), seconds + time_taken
        for case, reason in failed:
            print(f"  {name or 'reference'}: {case}: {reason}")
    print(f"false alarms: {alarms} in {judged} calls of {len(wanted)} correct libraries, {judged / seconds:.1f} calls a second",
          flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--calls", type=int, default=6 if SHORT else 110, help="of each function")
    parser.add_argument("--every", type=int, default=1, help="only every Nth bug or variant")
    parser.add_argument("--only", default="*")
    parser.add_argument("--variants", action="store_true", help="only correct libraries")
    parser.add_argument("--unseen", type=int, choices=(1, 2), nargs="?", const=1,
                        help="only the bugs of baselines/unseen, or with 2 of baselines/unseen2, beside core")
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)

    def chosen(library):
        listed = [each for each in injected(build, library) if fnmatch.fnmatch(each[0], arguments.only)]
        return listed[::400] if SHORT else listed[::arguments.every]

    with tempfile.TemporaryDirectory() as folder:
        unseen = "unseen2" if arguments.unseen == 2 else "unseen"
        mutants, variants, unseen = (f"{build}/lib/vendors/libdiopi_{name}.so" for name in ("mutants", "variants", unseen))
        if arguments.unseen:
            agent, wanted = Agent(build, unseen, "DIOPI_MUTANT", folder), chosen(unseen)
            return beside_core(agent, wanted, bugs(agent, wanted, arguments.calls))
        if not arguments.variants:
            bugs(Agent(build, mutants, "DIOPI_MUTANT", folder), chosen(mutants), arguments.calls)
        correct(Agent(build, variants, "DIOPI_VARIANT", folder), chosen(variants), arguments.calls)
        cpu = Agent(build, f"{build}/lib/libdiopi_cpu.so", "DIOPI_VARIANT", folder)
        correct(cpu, [("", [], "")], arguments.calls * (10 if SHORT else 500))


if __name__ == "__main__":
    main()
