"""Compares every stored CPU reference with PyTorch's own result on the stored inputs.

PyTorch is an independent implementation: nothing here calls our code. The calls are those of calls.py, on floating
tensors widened to float64.

A floating output agrees when |torch - r| <= 128 * (ulp64(r) + sigma * 2^-29): both were computed in float64.
For one sum of 131,072 squares the difference is 75 times the bracket, because r adds them one by one. Sigma is the noise of
a float32 evaluation, 2^29 times that of a float64 one, and is stored as a float32, so it is known to 2^-149. For float64
cases r comes from 80-bit arithmetic and sigma is that of float64 itself: 16 * (ulp64(r) + sigma).
Exact outputs agree bit for bit after PyTorch's value is rounded to the case's dtype.
"""
import argparse
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import sys

import h5py
import numpy as np
import torch

from calls import load_functions, namespace

FLOATING = {"float16", "bfloat16", "float32", "float64"}
# Precision (implicit bit included) and smallest normal exponent.
FORMAT = {"float16": (11, -14), "bfloat16": (8, -126), "float32": (24, -126), "float64": (53, -1022)}
# The smallest step of a stored sigma, a float32: the sigma of a result near 1e-40 is only a few of these steps, or none.
SIGMA_STEP = 2.0 ** -149
STATISTICAL = {"RANDOM", "NOT_JUDGED"}


def read_tensor(dataset):
    """A stored dataset as a torch tensor in its own dtype."""
    dtype = dataset.attrs["dtype"]
    dtype = dtype.decode() if isinstance(dtype, bytes) else str(dtype)
    array = dataset[()]
    if dtype == "bfloat16":
        bits = np.asarray(array).view(np.uint16) if array.dtype.itemsize == 2 and array.dtype.kind != "f" else None
        if bits is None:
            return torch.from_numpy(np.asarray(array, dtype=np.float32)).to(torch.bfloat16)
        widened = (bits.astype(np.uint32) << 16).view(np.float32)
        return torch.from_numpy(np.asarray(widened)).to(torch.bfloat16)
    if dtype == "bool":
        return torch.from_numpy(np.asarray(array, dtype=np.uint8)).to(torch.bool)
    return torch.from_numpy(np.array(array))


def cases_of(store):
    """(id, group, definition) of every case in an operator's file."""
    for case_id, group in store.items():
        if isinstance(group, h5py.Group) and "case" in group.attrs:
            text = group.attrs["case"]
            yield case_id, group, json.loads(text if isinstance(text, str) else bytes(text).decode())


def widen(tensor):
    return tensor.double() if tensor.is_floating_point() else tensor


def arguments(case, group):
    inputs = {key: widen(read_tensor(group["inputs"][key])) for key in group.get("inputs", {})}
    return namespace(case, inputs)


def ulp(r, dtype):
    precision, low = FORMAT[dtype]
    _, exponent = np.frexp(np.abs(r))
    exponent = np.maximum(np.where(r == 0, low, exponent - 1), low)
    return np.ldexp(1.0, exponent - precision + 1)


def compare_exact(expected, actual):
    """(largest difference, elements that disagree): bit for bit, NaN equal to NaN."""
    if tuple(expected.shape) != tuple(actual.shape):
        return float("inf"), max(expected.numel(), 1)
    if not expected.is_floating_point():
        wrong = int((expected != actual.to(expected.dtype)).sum())
        return float(wrong > 0), wrong
    rounded = actual.to(expected.dtype)
    same = (rounded == expected) & (torch.signbit(rounded) == torch.signbit(expected))
    same |= torch.isnan(rounded) & torch.isnan(expected)
    wrong = int((~same).sum())
    return float(wrong > 0), wrong


def compare_float(r, low, sigma, actual, dtype):
    """The same for an output that is stored as r, sigma (and r's low part): the difference in ulps of `dtype`."""
    if r.shape != tuple(actual.shape):
        return float("inf"), max(r.size, 1)
    t = actual.detach().double().numpy()
    if dtype == "float64":
        bound = 16 * (ulp(r, "float64") + sigma)
    else:
        bound = 128 * (ulp(r, "float64") + (sigma + SIGMA_STEP) * 2.0 ** -29)
    with np.errstate(invalid="ignore", over="ignore"):
        difference = np.abs((t - r) - low)
        finite = np.isfinite(r) & np.isfinite(t)
        wrong = np.where(finite, difference > bound, ~((r == t) | (np.isnan(r) & np.isnan(t))))
        # Beyond the dtype's range both round to infinity.
        in_ulps = np.where(finite, difference / ulp(r, dtype), 0.0)
    return float(in_ulps.max(initial=0.0)), int(wrong.sum())


def compare_output(group, key, actual, dtype):
    outputs = group["outputs"]
    stored = outputs[key]
    if key + ".sigma" not in outputs:
        return compare_exact(read_tensor(stored), torch.as_tensor(actual))
    r = np.asarray(stored[()], dtype=np.float64)
    low = np.asarray(outputs[key + ".low"][()]) if key + ".low" in outputs else np.zeros_like(r)
    sigma = np.asarray(outputs[key + ".sigma"][()], dtype=np.float64)
    actual = torch.as_tensor(actual)
    if actual.is_complex():
        actual, dtype = torch.view_as_real(actual), {"complex64": "float32", "complex128": "float64"}[dtype]
    if key + ".spread_nan" in outputs and tuple(actual.shape) == r.shape:  # NaN is right there too
        spread = torch.from_numpy(np.array(outputs[key + ".spread_nan"][()]) != 0) & torch.isnan(actual)
        actual = torch.where(spread, torch.from_numpy(r), actual)
    return compare_float(r, low, sigma, actual, dtype)


def output_dtype(case, name):
    for arg in case.get("args", []):
        if arg["name"] == name:
            if "tensor" in arg:
                return arg["tensor"].get("dtype", "int8")
            if "tensors" in arg:
                return arg["tensors"]["tensors"][0].get("dtype", "int8")
            if "host_output" in arg or "hostOutput" in arg:
                return (arg.get("host_output") or arg.get("hostOutput")).get("dtype", "int8")
    return case["dtype"]


def check_index_of(case, judge, group, arguments_):
    """Ties may be broken either way: the stored picks must pick the stored values."""
    dim_name = judge.get("dim", "")
    x = getattr(arguments_, judge["input"])
    index = read_tensor(group["outputs"][judge["output"]]).long()
    dim = getattr(arguments_, dim_name, None) if dim_name else None
    values_key = judge.get("values", "")
    if not values_key:
        return 0.0, 0
    values = widen(read_tensor(group["outputs"][values_key]))
    if dim is None:
        picked = x.flatten()[index]
    elif index.dim() == x.dim():
        picked = torch.gather(x, dim, index) if x.dim() else x
    else:
        picked = torch.gather(x, dim, index.unsqueeze(dim)).squeeze(dim)
    same = (picked == values) | (torch.isnan(picked) & torch.isnan(values)) if picked.is_floating_point() else picked == values
    wrong = int((~same).sum())
    return float(wrong > 0), wrong


def check_case(case, group, function):
    """Yields (output key, difference in ulps, disagreeing elements) for each judged output."""
    a = arguments(case, group)
    results = function(a)
    for judge in case.get("judges", []):
        name = judge["output"]
        kind = judge.get("kind", "UNSET")
        if kind in STATISTICAL:
            continue
        if kind == "INDEX_OF":
            yield (name, *check_index_of(case, judge, group, a))
            continue
        if name not in results:
            raise KeyError("the crosscheck function returned no '%s'" % name)
        value = results[name]
        stored = [key for key in group["outputs"] if key == name or
                  (key.startswith(name + ".") and key[len(name) + 1:].isdigit())]
        for key in stored:
            actual = value[int(key.rsplit(".", 1)[1])] if key != name else value
            yield (key, *compare_output(group, key, actual, output_dtype(case, name)))


def in_processes(function, parts):
    """[function(part) for part in parts], as many at a time as there are processors, each in a process of its own. The
    function may be a closure: the processes are forks."""
    global _forked
    _forked = function
    # Not multiprocessing.Pool, which waits for ever for a process that died.
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0)), multiprocessing.get_context("fork")) as pool:
        return list(pool.map(_call_forked, parts))


def _call_forked(part):
    return _forked(part)


def check_file(path, functions, begin=None):
    """One operator's baselines: its row of the table, and a line for each disagreement. `begin` gets the id of each case
    before PyTorch is called."""
    report = []
    row = {"operator": path.stem, "cases": 0, "statistical": 0, "ulps": 0.0, "bad": 0, "failed": []}
    with h5py.File(path, "r") as store:
        for case_id, group, case in cases_of(store):
            if begin:
                begin(case_id)
            kinds = {judge.get("kind", "UNSET") for judge in case.get("judges", [])}
            if kinds <= STATISTICAL:
                row["statistical"] += 1
                continue
            row["cases"] += 1
            function = functions.get(case["function"])
            if function is None:
                report.append("%s: no crosscheck function for %s" % (case_id, case["function"]))
                row["bad"] += 1
                row["failed"].append(case_id)
                continue
            try:
                rows = list(check_case(case, group, function))
            except Exception as error:  # the table must be complete: one bad case does not hide the others
                report.append("%s: %s: %s" % (case_id, type(error).__name__, error))
                row["bad"] += 1
                row["failed"].append(case_id)
                continue
            wrong = [(key, bad, ulps) for key, ulps, bad in rows if bad]
            row["ulps"] = max([row["ulps"]] + [ulps for _, ulps, bad in rows])
            row["bad"] += bool(wrong)
            row["failed"] += [case_id] * bool(wrong)
            for key, bad, ulps in wrong:
                report.append("%s: %s: %d elements differ, by up to %.3g ulp" % (case_id, key, bad, ulps))
    return row, report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, type=pathlib.Path, help="data folder of diopi-cli gen")
    options = parser.parse_args()
    torch.set_num_threads(1)
    functions = load_functions(pathlib.Path(__file__).resolve().parent.parent)
    # The largest first: the processes then end at the same time.
    files = sorted((options.data / "baselines" / "cpu").glob("*.h5"), key=lambda path: -path.stat().st_size)
    if not files:
        print("crosscheck: no baselines under %s" % options.data, file=sys.stderr)
        return 3
    checked = sorted(in_processes(lambda path: check_file(path, functions), files), key=lambda each: each[0]["operator"])
    rows = [row for row, _ in checked]
    report = [line for _, lines in checked for line in lines]
    print("%-24s %8s %12s %18s %14s" % ("operator", "cases", "statistical", "largest diff (ulp)", "disagreements"))
    for row in rows:
        print("%(operator)-24s %(cases)8d %(statistical)12d %(ulps)18.3g %(bad)14d" % row)
    for line in report[:200]:
        print("  " + line)
    if len(report) > 200:
        print("  and %d more" % (len(report) - 200))
    cases, bad = sum(row["cases"] for row in rows), sum(row["bad"] for row in rows)
    print("crosscheck with PyTorch %s: %d operators, %d cases compared, %d statistical, %d disagreements" %
          (torch.__version__, len(rows), cases, sum(row["statistical"] for row in rows), bad))
    print("%d passed, %d failed" % (cases - bad, bad))
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
