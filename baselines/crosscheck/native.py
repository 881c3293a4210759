"""Judges PyTorch's own CPU kernels by our rule like a vendor's: every case in its own dtype.

PyTorch computes the stored inputs in the case's dtypes and layouts; `diopi-judge` judges what it returns. Each
verdict that is not a pass must be explained in native_explained.toml, and each explanation there must apply.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import warnings

import h5py
import torch

from calls import TORCH, load_functions, namespace
from crosscheck import cases_of, in_processes, output_dtype, read_tensor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "timing"))
from torch_time import laid_out, tensor_specs  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
NAMES = {dtype: name for name, dtype in TORCH.items()}
NO_KERNEL = "not implemented for '"  # PyTorch's words for a dtype that it does not have


def compute(case, group, function):
    """What PyTorch returns for the case: (output key, tensor) of each output that our rule judges."""
    specs = tensor_specs(case)
    inputs = {key: laid_out(read_tensor(group["inputs"][key]), specs.get(key, {})) for key in group.get("inputs", {})}
    dtype = TORCH[case.get("dtype", "int8")]
    # oneDNN's kernels for bfloat16 differ between processors or do not exist; some corrupt memory (`without_onednn`).
    onednn = dtype != torch.bfloat16 and not hasattr(function, "without_onednn")
    with torch.backends.mkldnn.flags(enabled=onednn):
        results = function(namespace(case, inputs, dtype))
    for judge in case.get("judges", []):
        name = judge["output"]
        if judge.get("kind", "UNSET") == "NOT_JUDGED" or name not in results:
            continue
        # The ABI chooses the type in which an output is stored.
        declared = TORCH[output_dtype(case, name)]
        if isinstance(results[name], (list, tuple)):
            yield from (("%s.%d" % (name, i), torch.as_tensor(item).to(declared))
                        for i, item in enumerate(results[name]))
        else:
            yield name, torch.as_tensor(results[name]).to(declared)


class Outputs:
    """The two files that `diopi-judge` reads."""

    def __init__(self, folder):
        self.lines = (folder / "outputs.tsv").open("w")
        self.bytes = (folder / "outputs.bin").open("wb")

    def add(self, case_id, key, tensor):
        tensor = tensor.detach().contiguous()
        offset = self.bytes.tell()
        self.lines.write("\t".join([case_id, key, NAMES[tensor.dtype], ",".join(map(str, tensor.shape)), str(offset)])
                         + "\n")
        if tensor.dtype == torch.bfloat16:
            tensor = tensor.view(torch.int16)
        self.bytes.write(tensor.numpy().tobytes())

    def close(self):
        self.lines.close()
        self.bytes.close()


def why_not(error):
    """The first line of an exception, the part that is the same for all cases of an operator."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]


def compute_file(path, functions, outputs):
    """Computes every case of an operator's file. Returns ([case id], {case id: why PyTorch did not compute it})."""
    cases, missing = [], {}
    with h5py.File(path, "r") as store:
        for case_id, group, case in cases_of(store):
            cases.append(case_id)
            if getattr(functions.get(case["function"]), "no_kernel", False):
                missing[case_id] = NO_KERNEL + "any dtype'"
                continue
            try:
                results = list(compute(case, group, functions[case["function"]]))
            except Exception as error:  # of any kind: it is what PyTorch says of the case
                missing[case_id] = why_not(error)
                continue
            for key, tensor in results:
                outputs.add(case_id, key, tensor)
    return cases, missing


def judge(program, data, folder):
    """{case id: verdict as JSON}"""
    done = subprocess.run([str(program), str(data), str(folder)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("crosscheck: " + done.stderr.strip())
    return {verdict["caseId"]: verdict for verdict in map(json.loads, done.stdout.splitlines())}


def load_explanations(path):
    """The entries of native_explained.toml, each with `cases` (a glob), and `missing` or `why` and `where`."""
    with path.open("rb") as file:
        return tomllib.load(file)["explained"]


class Tally:
    """The result of every case, and what is left to explain."""

    def __init__(self, explanations):
        self.explanations = explanations
        self.used = [0] * len(explanations)
        self.rows = collections.defaultdict(collections.Counter)  # by operator
        self.findings = []

    def explain(self, case_id, gates):
        """Whether an explanation covers the verdict; `gates` is None where PyTorch did not compute the case. All of
        them are about arithmetic: a wrong shape or distribution has none."""
        if gates is not None and not gates <= {"P", "R", "B", "X"}:
            return False
        for i, entry in enumerate(self.explanations):
            of_missing = "missing" in entry
            if of_missing == (gates is None) and any(fnmatch.fnmatchcase(case_id, glob) for glob in entry["cases"]):
                self.used[i] += 1
                return True
        return False

    def add(self, case_id, verdict, error):
        row = self.rows[case_id.split(".")[0]]
        row["cases"] += 1
        if verdict is None and error is None:
            error = "the call in *_crosscheck.py returns none of the judged outputs"
        if error is not None:
            no_kernel = NO_KERNEL in error
            row["no kernel" if no_kernel else "not computed"] += 1
            if not no_kernel and not self.explain(case_id, None):
                self.findings.append("%s: not computed: %s" % (case_id, error))
        elif verdict["outcome"] == "OUTCOME_PASS":
            row["another reading" if verdict.get("readings") else "passed"] += 1
        else:
            gates = {gate for output in verdict["outputs"] for gate in output.get("gates", "").split(",") if gate}
            explained = self.explain(case_id, gates)
            row["explained" if explained else "unexplained"] += 1
            if not explained:
                self.findings.append("%s: %s" % (case_id, verdict["reason"]))

    def unused(self):
        return ["%s: no case needs this explanation any more" % ", ".join(entry["cases"])
                for entry, count in zip(self.explanations, self.used) if not count]


COLUMNS = ["cases", "passed", "another reading", "explained", "unexplained", "no kernel", "not computed"]


def no_kernel_text(missing):
    """How many cases PyTorch has no kernel for, by PyTorch's name of the type."""
    types = collections.Counter(error.split("not implemented for '")[1].split("'")[0] for error in missing.values()
                                if "not implemented for '" in error)
    return ", ".join("%d of %s" % (count, name) for name, count in types.most_common()) or "none"


def print_report(tally, missing, shown=100):
    print("%-24s" % "operator" + "".join("%17s" % name for name in COLUMNS))
    total = collections.Counter()
    for name, row in sorted(tally.rows.items()):
        print("%-24s" % name + "".join("%17d" % row[column] for column in COLUMNS))
        total.update(row)
    print("%-24s" % "all" + "".join("%17d" % total[column] for column in COLUMNS))
    print("cases without a kernel of PyTorch's: %s\nexplained:" % no_kernel_text(missing))
    for entry, count in zip(tally.explanations, tally.used):
        if count:
            print("%4d  %s: %s" % (count, ", ".join(entry["cases"]), entry.get("missing") or entry["why"]))
    for line in tally.findings[:shown]:
        print("  " + line)
    if len(tally.findings) > shown:
        print("  and %d more" % (len(tally.findings) - shown))


def run(data, program, functions, explanations):
    """(Tally, {"verdicts": ..., "missing": ...}) of all that is stored in `data`."""
    def judge_file(path):
        with tempfile.TemporaryDirectory() as name:
            outputs = Outputs(pathlib.Path(name))
            cases, missing = compute_file(path, functions, outputs)
            outputs.close()
            return cases, missing, judge(program, data, name)

    paths = sorted((data / "baselines" / "cpu").glob("*.h5"), key=lambda path: -path.stat().st_size)
    tally, verdicts, missing = Tally(explanations), {}, {}
    for cases, why_missing, judged in in_processes(judge_file, paths):
        verdicts |= judged
        missing |= why_missing
        for case_id in cases:
            tally.add(case_id, judged.get(case_id), why_missing.get(case_id))
    return tally, {"verdicts": verdicts, "missing": missing}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, type=pathlib.Path, help="data folder of diopi-cli gen")
    parser.add_argument("--judge", required=True, type=pathlib.Path, help="the program diopi-judge")
    parser.add_argument("--explained", type=pathlib.Path, default=HERE / "native_explained.toml")
    parser.add_argument("--partial", action="store_true", help="not all of core: explanations may be unused")
    parser.add_argument("--keep", type=pathlib.Path, help="file for all verdicts, as JSON")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    tally, found = run(options.data, options.judge, load_functions(HERE.parent), load_explanations(options.explained))
    if options.keep:
        options.keep.write_text(json.dumps(found))
    if not options.partial:
        tally.findings += tally.unused()
    print_report(tally, found["missing"])
    cases = sum(row["cases"] for row in tally.rows.values())
    print("crosscheck --native: PyTorch %s, %d cases, %d findings" % (torch.__version__, cases, len(tally.findings)))
    return 1 if tally.findings or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
