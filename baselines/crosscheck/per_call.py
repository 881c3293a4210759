#!/usr/bin/python3
"""Calls per second of a run of models' calls, beside the public harness's way of working on the same calls.

That way is: one Python process takes one call after another, loads its pickled inputs and outputs, makes the call, and
compares with numpy.allclose. PyTorch stands for the device, so that calls cost what they cost there; generating, and the
harness's own bookkeeping, are left out. Ours is the whole of diopi-agent on the CPU reference: server, workers, two calls of
each case with all checks, verdicts stored. Both start from files that are there. Calls that PyTorch does not make are left
out of its rate. Seconds are this machine's clock; CPU seconds are those of all processes.

usage: per_call.py BUILD_FOLDER [MODEL...], every model without a name
"""
import argparse
import os
import pathlib
import pickle
import resource
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import torch

from calls import TORCH, load_functions, namespace
from crosscheck import cases_of, read_tensor
from native import compute

SHORT = bool(os.environ.get("BENCH_SHORT"))
TOLERANCE = {torch.float16: 1e-2, torch.bfloat16: 1e-1}  # the harness's rtol and atol are of this order


def to_numpy(tensor):
    tensor = tensor.detach()
    return tensor.float().numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()


class Calls:
    """The calls of a data folder as the harness keeps them: a file each, with inputs and the outputs to compare with."""

    def __init__(self, data, folder, functions):
        self.files = []
        self.functions = functions
        self.left_out = 0
        for path in sorted(pathlib.Path(data).glob("baselines/cpu/*.h5")):
            with h5py.File(path, "r") as store:
                for _, group, case in cases_of(store):
                    self.keep(case, group, folder)

    def keep(self, case, group, folder):
        try:
            outputs = [(key, to_numpy(tensor)) for key, tensor in compute(case, group, self.functions[case["function"]])]
        except Exception:  # of any kind: PyTorch does not make this call
            outputs = []
        if not outputs:
            self.left_out += 1
            return
        inputs = {key: read_tensor(group["inputs"][key]) for key in group.get("inputs", {})}
        file = pathlib.Path(folder) / str(len(self.files))
        with file.open("wb") as pickled:
            pickle.dump((case, {key: (to_numpy(tensor), str(tensor.dtype)) for key, tensor in inputs.items()}, outputs), pickled)
        self.files.append(file)

    def run(self):
        """Makes every call once and compares; how many were close."""
        close = 0
        for file in self.files:
            with file.open("rb") as pickled:
                case, inputs, outputs = pickle.load(pickled)
            tensors = {key: torch.from_numpy(array).to(getattr(torch, dtype[6:])) for key, (array, dtype) in inputs.items()}
            dtype = TORCH[case.get("dtype", "int8")]
            results = self.functions[case["function"]](namespace(case, tensors, dtype))
            tolerance = TOLERANCE.get(dtype, 1e-5)
            same = True
            for key, expected in outputs:
                name, _, index = key.partition(".")
                value = results[name][int(index)] if index else results[name]
                actual = to_numpy(torch.as_tensor(value))
                same = same and np.allclose(actual, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
            close += same
        return close


class Timed:
    """Seconds and CPU seconds of a block, its child processes included."""

    def __enter__(self):
        self.start = time.monotonic()
        self.cpu = self.used()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.start
        self.cpu = self.used() - self.cpu

    @staticmethod
    def used():
        return sum(getattr(resource.getrusage(who), field) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
                   for field in ("ru_utime", "ru_stime"))


def row(name, calls, timed):
    print("%-28s %6d calls %8.2f s %8.2f CPU s %8.0f calls/s %8.0f calls/CPU s"
          % (name, calls, timed.seconds, timed.cpu, calls / timed.seconds, calls / timed.cpu), flush=True)
    return calls / timed.cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    selection = ["--model", ",".join(options.models) or ("crnn" if SHORT else "*"), "--max-bytes", "16K"]
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="per_call.") as work:
        data = work + "/data"
        subprocess.run([build / "bin/diopi-cli", "gen", "--data", data, *selection], check=True, stdout=subprocess.DEVNULL)
        agent = [build / "bin/diopi-agent", "--impl", build / "lib/libdiopi_cpu.so", "--data", data, "--quiet",
                 "--error-report", work + "/errors.csv", *selection]
        with Timed() as ours:
            subprocess.run(agent, check=True, stdout=subprocess.DEVNULL)
        count = subprocess.run([build / "bin/diopi-cli", "list", "--count", *selection], capture_output=True, text=True,
                               check=True)
        root = pathlib.Path(__file__).resolve().parent.parent
        os.mkdir(work + "/pickles")
        calls = Calls(data, work + "/pickles", load_functions(root, absent=[]))
        calls.run()  # once unmeasured: PyTorch prepares things in the first call of each function
        with Timed() as theirs:
            close = calls.run()
    ratio = row("diopi-agent", int(count.stdout.split()[0]), ours) / row("the harness's way", len(calls.files), theirs)
    print("%d of its calls close, %d not made by PyTorch; ours per CPU second: %.2f of it" % (close, calls.left_out, ratio))
    return 0


if __name__ == "__main__":
    sys.exit(main())
