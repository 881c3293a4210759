#!/usr/bin/python3
"""A minute of the soak passes; the soak notices a missing verdict and a process that was left behind.

usage: soak_test.py BUILD_FOLDER
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

SOAK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "soak.py")
A_MINUTE, A_FEW_SECONDS = 1 / 60, 6 / 3600
AGENTS = 8


def soak(hours, *more):
    """(exit status, output). Removes its folder, even if the soak kept it."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, SOAK, sys.argv[1], str(hours), f"--agents={AGENTS}", "--seed=20", *more],
                              env=dict(os.environ, TMPDIR=folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        if done.returncode == 0 and os.listdir(folder):
            sys.exit(f"a soak that passed left {os.listdir(folder)} behind")
    print(done.stdout, flush=True)
    return done.returncode, done.stdout


def check(hours, more, expected, text):
    """What is wrong with such a soak; empty: nothing."""
    status, output = soak(hours, *more)
    right = status == expected and re.search(text, output)
    return "" if right else f"soak {more}: exit status {status}, expected {expected} and a line like: {text}"


def main():
    wrong = [check(A_MINUTE, [], 0, r"problems +0\n")]
    with concurrent.futures.ThreadPoolExecutor() as both:
        wrong += both.map(lambda row: check(*row), [
            (A_FEW_SECONDS, ["--sabotage=verdict"], 1, r"run \S+: \d+ verdicts of \d+ cases"),
            (A_FEW_SECONDS, ["--sabotage=process"], 1, r"process \d+ is left: diopi-agent"),
        ])
    sys.exit("\n".join(filter(None, wrong)) or 0)


main()
