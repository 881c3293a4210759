"""Compares the references of random calls with PyTorch's results, and with the emulated NVIDIA reference's.

The calls are those of diopi-agent --explore (diopi-draw). PyTorch's results are compared as crosscheck.py compares those of
the suite; the emulated NVIDIA reference is judged as a device. A disagreement is a finding: a line here, and the operator file
of its call in the output folder, which `diopi-cli --cases` takes. explored_excused.toml names calls that PyTorch does not
answer, or answers otherwise, and why; they are counted, and are no findings.

usage: explored.py BUILD CALLS|TIME [--seed N] [--output FOLDER] [--torch-only] [--fname NAME ...]
A time (90s, 10m, 2h) is divided between the two.
"""
import argparse
import collections
import fnmatch
import pathlib
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures.process import BrokenProcessPool

import h5py
import torch

from calls import load_functions
from crosscheck import check_file, in_processes

HERE = pathlib.Path(__file__).resolve().parent
ROUND = 2048  # calls
UNITS = {"s": 1, "m": 60, "h": 3600}


def parse_amount(text):
    """(calls, seconds), one of them None."""
    try:
        if text[-1:] in UNITS:
            amount = (None, float(text[:-1]) * UNITS[text[-1]])
        else:
            amount = (int(text), None)
    except ValueError:
        amount = (0, None)
    if not (amount[0] or amount[1] or 0) > 0:
        raise argparse.ArgumentTypeError("expected a number of calls (5000) or a time (90s, 10m, 2h), found '%s'" % text)
    return amount


class Excuses:
    """The entries of a file: `cases`, globs; `error`, a part of the disagreement's text; `why`."""

    def __init__(self, path):
        self.entries = tomllib.loads(path.read_text()).get("excuse", [])

    def cover(self, case_id, text):
        return any(entry["error"] in text and any(fnmatch.fnmatchcase(case_id, glob) for glob in entry["cases"])
                   for entry in self.entries)


class Torch:
    """Rounds of calls, compared with PyTorch."""

    def __init__(self, build, output, excuses):
        self.build, self.output, self.excuses = build, output, excuses
        self.functions = load_functions(HERE.parent)
        self.counts = collections.Counter()

    def round(self, calls, seed, names):
        with tempfile.TemporaryDirectory() as data:
            draw = [f"{self.build}/bin/diopi-draw", data, str(calls), str(seed), *names]
            subprocess.run(draw, check=True, stdout=subprocess.DEVNULL)
            files = sorted(pathlib.Path(data, "baselines", "cpu").glob("*.h5"), key=lambda path: -path.stat().st_size)
            for row, report in self.check(files):
                self.counts["calls"] += row["cases"]
                self.counts["statistical"] += row["statistical"]
                for case_id in row["failed"]:
                    lines = [line for line in report if line.startswith(case_id + ":")]
                    self.take(case_id, lines, pathlib.Path(data, "cases", case_id + ".textproto"))

    def check(self, files):
        """Each file's row and report. A call that ends PyTorch's process is taken out of its file and has a row of its own."""
        try:
            return in_processes(lambda path: check_file(path, self.functions), files)
        except BrokenProcessPool:
            return [each for path in files for each in self.check_alone(path)]

    def check_alone(self, path):
        current = path.with_suffix(".current")  # the id of the case that PyTorch computes
        checked = []
        while True:
            try:
                return checked + in_processes(lambda path: check_file(path, self.functions, current.write_text), [path])
            except BrokenProcessPool:
                case_id = current.read_text()
            with h5py.File(path, "a") as store:
                del store[case_id]
            row = {"cases": 1, "statistical": 0, "failed": [case_id]}
            checked.append((row, ["%s: PyTorch ended the process" % case_id]))

    def take(self, case_id, lines, case):
        if self.excuses.cover(case_id, " ".join(lines)):
            self.counts["excused"] += 1
            return
        self.counts["findings"] += 1
        path = self.output / case.name
        self.output.mkdir(parents=True, exist_ok=True)
        path.write_text("".join("# %s\n" % line.replace("\n", " ") for line in lines) + case.read_text())
        print("  %s\n    %s" % ("\n  ".join(lines), path), flush=True)

    def run(self, calls, seconds, seed, names):
        end = None if seconds is None else time.monotonic() + seconds
        while (calls or 0) > 0 or (end is not None and time.monotonic() < end):
            size = ROUND if calls is None else min(ROUND, calls)
            self.round(size, seed, names)
            seed += 1
            calls = None if calls is None else calls - size
        print("PyTorch %s: %d calls compared, %d statistical, %d excused, %d findings" %
              (torch.__version__, self.counts["calls"], self.counts["statistical"], self.counts["excused"],
               self.counts["findings"]), flush=True)
        return 1 if self.counts["findings"] or not self.counts["calls"] else 0


def emulated(build, output, amount, seed, names):
    """The exit status of an exploration of the emulated NVIDIA reference, judged by the CPU reference."""
    command = [f"{build}/bin/diopi-agent", "--impl", f"{build}/lib/vendors/libdiopi_cuda_emulated.so", "--explore", amount,
               "--seed", str(seed), "--report-dir", str(output)]
    with tempfile.TemporaryDirectory() as data:
        return subprocess.run(command + ["--data", data] + (["--fname", *names] if names else []), check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("amount", type=parse_amount, help="calls, or a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("crosschecked"))
    parser.add_argument("--torch-only", action="store_true", help="leave the emulated NVIDIA reference out")
    parser.add_argument("--fname", nargs="+", default=[])
    options = parser.parse_args()
    torch.set_num_threads(1)
    calls, seconds = options.amount
    shared = None if seconds is None else seconds / (1 if options.torch_only else 2)
    compared = Torch(options.build, options.output, Excuses(HERE / "explored_excused.toml"))
    status = compared.run(calls, shared, options.seed, options.fname)
    if options.torch_only:
        return status
    amount = str(calls) if seconds is None else "%gs" % shared
    return max(status, emulated(options.build, options.output / "emulated", amount, options.seed, options.fname))


if __name__ == "__main__":
    sys.exit(main())
