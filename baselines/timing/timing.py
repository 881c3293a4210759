"""Compares the times of a library's functions with PyTorch's on the same device, as a table in Markdown.

Measures for each function the largest case in float32 and in float16, of core and of points.py: the library by
`diopi-cli time`, PyTorch by the calls of baselines/crosscheck, on the same inputs in the same dtype (torch_time.py).
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "crosscheck"))

try:
    import torch
except ImportError:
    print("timing: %s has no PyTorch (module torch); set DIOPI_PYTHON to one that has" % sys.executable, file=sys.stderr)
    sys.exit(2)

import torch_time
from calls import load_functions
from points import write_cases

BATCH = 12  # operators
LEGEND = """Each figure is microseconds per call: the median of the samples, and in brackets their quartiles; a sample
is up to %(calls)d calls in a row.
%(clock)s
Inputs, attributes and dtype are the same on both sides. PyTorch's calls are those of `baselines/ops/*_crosscheck.py`, out
of place; gradients are timed without the forward that led to them.

Notes: **h** the device waited for the host in some samples, ours or PyTorch's: the figure contains more than the kernels ·
**v** PyTorch returns a view, copied here as the ABI has none · **c** the case is core's, a small one."""
CLOCK = {
    "cuda": "The clock is the device's (CUDA events around the sample, whose calls are queued while the device is busy).",
    "cpu": "The clock is the host's, around the sample; one thread on both sides.",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prefix", type=pathlib.Path, help="folder with bin/diopi-cli: a build, a bundle")
    parser.add_argument("--impl", type=pathlib.Path, help="the library to measure")
    parser.add_argument("--merge", nargs="+", default=[], metavar="TABLE.md.json", type=pathlib.Path,
                        help="measure nothing, and make one table of several runs on the same device; each row is taken from "
                             "the last file that has it")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda", help="PyTorch's device (default: cuda)")
    parser.add_argument("--output", required=True, type=pathlib.Path, help="the table; OUTPUT.json gets all samples")
    parser.add_argument("--fname", nargs="+", default=[], help="only these operators")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--calls", type=int, default=50, help="the most calls per sample (default: 50)")
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="about, for the samples of a case (default: 2)")
    parser.add_argument("--limit-s", type=float, default=1e9, help="begin no further operator after this many seconds")
    parser.add_argument("--core", action="store_true", help="only cases of core, no larger points")
    options = parser.parse_args()
    if not options.merge and not (options.prefix and options.impl):
        parser.error("expected --prefix and --impl, or --merge")
    return options


def run_cli(options, words):
    environment = dict(os.environ)
    if options.device == "cpu":
        environment["OPENBLAS_NUM_THREADS"] = "1"
    return subprocess.run([str(options.prefix / "bin" / "diopi-cli")] + words, capture_output=True, text=True,
                          env=environment)


def operators(options):
    listed = run_cli(options, ["list", "operators", "--dtype", "float32,float16"] +
                     (["--fname", ",".join(options.fname)] if options.fname else []))
    if listed.returncode:
        raise SystemExit("timing: " + listed.stderr.strip())
    return [line.split()[0] for line in listed.stdout.splitlines() if line.split()[0] != "library"]


def our_times(options, names, cases, folder):
    """The lines of `diopi-cli time` for some operators: (of the library, of their cases). `cases` may not exist."""
    output = folder / "ours.jsonl"
    words = ["time", "--impl", str(options.impl), "--fname", ",".join(names), "--dtype", "float32,float16", "--largest", "1",
             "--inputs", str(folder / "inputs"), "--output", str(output), "--samples", str(options.samples),
             "--calls", str(options.calls), "--warmup", str(options.warmup), "--seconds", str(options.seconds)]
    done = run_cli(options, words + (["--cases", str(cases)] if cases.exists() else []))
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or "diopi-cli time ended with %d" % done.returncode)
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    return lines[0], lines[1:]


def batches(names, pointed):
    """Operators that are measured by one process, which takes a second to find the device: those with points of
    their own (`pointed`) apart from the others."""
    for chosen in (pointed.intersection(names), set(names) - pointed):
        for i in range(0, len(chosen), BATCH):
            yield sorted(chosen)[i:i + BATCH]


def their_time(options, function, line):
    """PyTorch's side of a line: measure()'s result, or {"error": why}."""
    if function is None:
        return {"error": "no call of PyTorch's is known for it"}
    if hasattr(function, "not_timed"):
        return {"error": function.not_timed}
    if "definition" not in line:
        return {"error": "no inputs"}
    try:
        inputs = torch_time.read_inputs(line["inputs"], line["definition"], options.device)
        call, marks = torch_time.timed_call(function, line["definition"], inputs)
        return dict(torch_time.measure(call, options.device, options), marks=marks)
    except Exception as error:  # one row without a time does not hide the others
        return {"error": str(error).strip().splitlines()[0][:120] if str(error).strip() else type(error).__name__}


def shapes(definition, roles=("ROLE_INPUT", "ROLE_INOUT")):
    """The shapes of the inputs, or of the outputs where there are none."""
    texts = []
    for arg in definition.get("args", []):
        if arg.get("role") not in roles:
            continue
        for spec in [arg["tensor"]] if "tensor" in arg else arg.get("tensors", {}).get("tensors", []):
            texts.append("×".join(spec.get("shape", [])) or "0-d")
    if not texts and "ROLE_OUTPUT" not in roles:
        return shapes(definition, ("ROLE_OUTPUT",))
    return ", ".join(texts[:3]) + (", …" if len(texts) > 3 else "")


def number(microseconds):
    return "%.0f" % microseconds if microseconds >= 1000 else "%.3g" % microseconds


def figure(result):
    if "microseconds" not in result:
        return "—"
    samples = result["microseconds"]
    low, _, high = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else (samples[0],) * 3
    return "%s (%s–%s)" % (number(statistics.median(samples)), number(low), number(high))


def ratio(row):
    if "microseconds" not in row["ours"] or "microseconds" not in row["torch"]:
        return None
    return statistics.median(row["ours"]["microseconds"]) / statistics.median(row["torch"]["microseconds"])


def notes(row):
    marks = row["torch"].get("marks", "")
    if row["ours"].get("late") or row["torch"].get("late"):
        marks += "h"
    if ".model_" not in row["case"]:
        marks += "c"
    words = [row[side]["error"].replace("|", "/") for side in ("ours", "torch") if "error" in row[side]]
    return "; ".join(filter(None, [" ".join(marks)] + words))


def device_text(options):
    if options.device == "cuda":
        return torch.cuda.get_device_name(0)
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.processor()


def about(options, library):
    """Where and with what a run measured."""
    versions = "PyTorch %s" % torch.__version__
    if options.device == "cuda":
        versions += ", CUDA %s, cuDNN %s" % (torch.version.cuda, torch.backends.cudnn.version())
        versions += "; TF32 off"
    return {"library": library, "device": device_text(options), "versions": versions, "calls": options.calls,
            "clock": CLOCK[options.device],
            "measured": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}


def in_order(rows):
    return sorted(rows, key=lambda row: (row["case"].split(".")[0], row["case"]))


def merged(paths):
    """The runs, and their rows: of those for one case, the last run's."""
    runs, rows = [json.loads(path.read_text()) for path in paths], {}
    for number, run in enumerate(runs):
        for row in run["rows"]:
            rows[row["case"]] = dict(row, run=number)
    for name in ("device", "versions", "calls", "clock"):
        if len({run[name] for run in runs}) > 1:
            raise SystemExit("timing: the files differ in %r: %s" % (name, ", ".join(sorted({str(run[name]) for run in runs}))))
    return runs, in_order(rows.values())


def table(runs, rows, absent):
    ratios = [value for value in map(ratio, rows) if value is not None]
    lines = ["# Time of %s beside PyTorch" % runs[0]["library"]["vendor"], "", "- Device: %s" % runs[0]["device"]]
    for number, run in enumerate(runs):
        count = "" if len(runs) == 1 else "%d rows by " % sum(row["run"] == number for row in rows)
        lines.append("- Ours: %s%s %s, SHA-256 %s" % (count, run["library"]["vendor"], run["library"]["version"],
                                                      run["library"]["sha256"]))
    lines += ["- %s" % runs[0]["versions"],
              "- Measured %s by `baselines/timing/timing.py`" % ", ".join(sorted({run["measured"] for run in runs})),
              "- %d rows, %d with both times%s" % (len(rows), len(ratios), "" if not ratios else
                                                   "; ours / PyTorch: geometric mean %.2f, median %.2f, ours is the faster in %d"
                                                   % (statistics.geometric_mean(ratios), statistics.median(ratios),
                                                      sum(value < 1 for value in ratios))), "",
              LEGEND % {"calls": runs[0]["calls"], "clock": runs[0]["clock"]}, "",
              "| Function | dtype | Shapes | Ours | PyTorch | Ours / PyTorch | Notes |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        value = ratio(row)
        lines.append("| %s | %s | %s | %s | %s | %s | %s |" %
                     (row["function"][5:], row["dtype"], row["shapes"], figure(row["ours"]), figure(row["torch"]),
                      "—" if value is None else "%.2f" % value, notes(row)))
    if absent:
        lines += ["", "Not measured: " + "; ".join("%s (%s)" % pair for pair in absent)]
    return "\n".join(lines) + "\n"


def write_whole(path, text):
    beside = path.with_name(path.name + ".tmp")
    beside.write_text(text)
    os.replace(beside, path)


def measure(options, names, cases, functions):
    """(the library's line, the rows of some operators)."""
    with tempfile.TemporaryDirectory(dir=cases.parent) as folder:
        library, lines = our_times(options, names, cases, pathlib.Path(folder))
        rows = []
        for line in lines:
            definition = line.pop("definition", {})
            torch_line = dict(line, definition=definition) if definition else line
            function = definition.get("function", "diopi?")
            rows.append({"case": line["case"], "function": function, "dtype": definition.get("dtype", ""),
                         "shapes": shapes(definition), "ours": line,
                         "torch": their_time(options, functions.get(function), torch_line)})
            line.pop("inputs", None)
    print("timing: %s" % " ".join(names), flush=True)
    return library, rows


def measure_all(options):
    """(the library's line, rows, [(operator, why it is absent)])."""
    missing = []
    functions = load_functions(HERE.parent, missing)
    for text in missing:
        print("timing: left out: %s" % text, file=sys.stderr)
    start, library, rows, absent = time.monotonic(), None, [], []
    with tempfile.TemporaryDirectory() as work:
        points = pathlib.Path(work) / "points"
        points.mkdir()
        pointed = set() if options.core else set(write_cases(points))
        for number, names in enumerate(batches(operators(options), pointed)):
            if time.monotonic() - start > options.limit_s:
                absent += [(name, "no time left") for name in names]
                continue
            cases = pathlib.Path(work) / str(number)
            if pointed.issuperset(names):
                cases.mkdir()
                for name in names:
                    shutil.copy(points / name / (name + ".textproto"), cases)
            try:
                library, measured = measure(options, names, cases, functions)
                rows += measured
            except RuntimeError:  # one of them; which?
                for name in names:
                    try:
                        library, measured = measure(options, [name], cases, functions)
                        rows += measured
                    except RuntimeError as error:
                        absent.append((name, str(error).splitlines()[0]))
    return library, in_order(rows), sorted(absent)


def main():
    options = arguments()
    if options.merge:
        runs, rows = merged(options.merge)
        write_whole(options.output, table(runs, rows, []))
        print("timing: %s: %d rows of %d runs" % (options.output, len(rows), len(runs)))
        return 0
    if options.device == "cuda" and not torch.cuda.is_available():
        print("timing: PyTorch %s sees no CUDA device" % torch.__version__, file=sys.stderr)
        return 2
    if options.device == "cpu":
        torch.set_num_threads(1)
    else:
        torch.set_default_device("cuda")  # what the calls allocate themselves
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    library, rows, absent = measure_all(options)
    if library is None:
        print("timing: nothing was measured: %s" % (absent[0][1] if absent else "no operators"), file=sys.stderr)
        return 2
    run = about(options, library)
    write_whole(options.output, table([run], rows, absent))
    write_whole(options.output.with_name(options.output.name + ".json"), json.dumps(dict(run, rows=rows)))
    both = sum(ratio(row) is not None for row in rows)
    print("timing: %s: %d rows, %d with both times, %d operators not measured" % (options.output, len(rows), both, len(absent)))
    return 0 if both and not absent else 1


if __name__ == "__main__":
    sys.exit(main())
