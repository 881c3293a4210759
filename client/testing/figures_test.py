#!/usr/bin/python3
"""One run, one set of figures: figures_test.py BUILD.

Tests a correct and a faulty library, shows the faulty one's run in every form, and compares each figure that several
forms have. Reports that are published name no folder of this machine.
"""

import collections
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request
import xml.etree.ElementTree as ElementTree

BUILD = pathlib.Path(sys.argv[1]).resolve()
SELECTION = ["--suite", "smoke", "--fname", "add,exp,gelu,masked_fill,relu,softmax,sub,tanh"]
FAILED = {"fail", "error", "crash", "timeout", "memory", "nondeterministic"}
CALLED = FAILED | {"pass", "waived"}


def run(*words, allowed=(0,)):
    done = subprocess.run([BUILD / "bin" / words[0], *words[1:]], capture_output=True, text=True, timeout=240)
    if done.returncode not in allowed:
        raise SystemExit(f"{words}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def numbers(pattern, text, *names):
    """The figures that a pattern finds in a text, by name; percentages stay texts."""
    found = re.search(pattern, text)
    if not found:
        raise SystemExit(f"no '{pattern}' in:\n{text[:3000]}")
    return {name: value if name.startswith("percent") else int(value) for name, value in zip(names, found.groups())}


def outcomes(counts):
    return {"outcome " + name: int(count) for name, count in counts.items() if int(count) > 0}


def in_words(text):
    """The figures of a text for people, whatever its markup."""
    found = numbers(r"(\d+) of 538 functions pass \(([\d.]+) %\)", text, "passing", "percent passing")
    found |= numbers(r"(\d+) exported, (\d+) tested of (\d+) with cases, (\d+) passing", text, "exported", "tested",
                     "with cases", "passing")
    found |= numbers(r"(\d+) of (\d+) cases \(([\d.]+) %\)", text, "called", "asked", "percent called")
    found |= numbers(r"(\d+) of (\d+) called cases pass(?: \(([\d.]+) %\))?", text, "passed", "called")
    return found | numbers(r"(\d+) cases in (\d+) groups", text, "failed", "groups")


def in_tiles(text):
    """The figures of the tiles of documents in Markdown."""
    text = text.replace("\\", "")
    found = numbers(r"Functions that pass: (\d+) of 538\*\* ([\d.]+) %", text, "passing", "percent passing")
    found |= numbers(r"Tested functions: (\d+) of (\d+)\*\* that have cases; (\d+) exported", text, "tested",
                     "with cases", "exported")
    found |= numbers(r"Called cases: (\d+) of (\d+)\*\* ([\d.]+) %", text, "called", "asked", "percent called")
    found |= numbers(r"Correctness: ([\d.]+) %\*\* (\d+) of (\d+) called", text, "percent correct", "passed", "called")
    return found | numbers(r"Failures: (\d+)\*\* cases in (\d+) groups", text, "failed", "groups")


def of_message(page):
    """The figures of an answer, or of a report in JSON."""
    found = {"cases": page["cases"], "passing": page["coverage"]["passing"], "tested": page["coverage"]["tested"],
             "exported": page["coverage"]["implemented"], "with cases": page["coverage"]["with_cases"]}
    correctness = page["correctness"]
    return found | {name: correctness[name] for name in ("called", "passed", "asked")}


def of_verdicts(names):
    """The figures that a list with a line per case has."""
    counts = collections.Counter(names)
    found = {"cases": sum(counts.values()), "passed": counts["pass"], "failed": sum(counts[name] for name in FAILED),
             "called": sum(counts[name] for name in CALLED)}
    return found | outcomes(counts)


def of_operators(rows):
    found = {"operators": len(rows), "cases": sum(row["cases"] for row in rows)}
    return found | {name: sum(row[name] for row in rows) for name in ("passed", "failed")}


def of_junit(text):
    suites = ElementTree.fromstring(text)
    count = lambda tag: sum(len(list(suites.iter(name))) for name in tag)
    found = in_words(" ".join(prop.get("value") for prop in suites[0].iter("property")))
    return found | {"cases": count(["testcase"]), "failed": count(["failure", "error"]), "operators": len(suites)}


def of_cdash(text):
    tests = [test for test in ElementTree.fromstring(text).iter("Test") if test.get("Status")]
    status = collections.Counter(test.get("Status") for test in tests)
    return {"cases": len(tests), "passed": status["passed"], "failed": status["failed"]}


def of_evaluation(text):
    plain = text.replace("\\", "")
    found = in_tiles(text) | {"groups": len(re.findall(r"^\*\*`?[^*]*\*\* - \*\*", plain, re.M)) or None}
    found |= numbers(r"exports (\d+) of them; (\d+) were tested, and (\d+) gave", plain, "exported", "tested", "passing")
    found |= numbers(r"(\d+) of (\d+) called cases gave correct results \(([\d.]+) %\)", plain, "passed", "called",
                     "percent correct")
    found |= numbers(r"The others have (\d+) causes", plain, "groups")
    found |= numbers(r"Cases called, of those asked \| (\d+) of (\d+) \(([\d.]+) %\)", plain, "called", "asked",
                     "percent called")
    section = plain.split("Operators\n", 1)[1]
    table = re.findall(r"^\| `(\w+)` \| [\w-]+ \| (\d+) \| (\d+) \| (\d+) \| \**(\d+)\** \|", section, re.M)
    sums = [sum(int(row[i]) for row in table) for i in range(1, 5)]
    issues = plain.split("Known issues\n", 1)[1].split("Waivers in force", 1)[0]
    rows = re.findall(r"^\| .* \| \*\*\w+\*\* \| .* \| (\d+) \| ", issues, re.M)
    assert (len(rows), sum(map(int, rows))) == (found["groups"], found["failed"]), (rows, found)
    found |= dict(zip(["cases", "called", "passed", "failed"], sums)) | {"operators": len(table)}
    return found


def of_metrics(text, chip):
    counts = {name: float(n) for of, name, n in
              re.findall(r'diopi_verdicts_total\{chip="(\w+)",outcome="(\w+)"\} (\S+)', text) if of == chip}
    return outcomes(counts) | {"cases": int(sum(counts.values()))}


class Server:
    def __init__(self, data):
        command = [BUILD / "bin/diopi-server", "--data", data, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                   "--ready-fd", "1", "--log-level", "error"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        said = dict(self.process.stdout.readline().split(" ", 1) for _ in range(2))
        self.address, self.http = said["ready"].strip(), said["http"].strip()

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.http.removeprefix('http://')}{path}", timeout=60) as answer:
            return answer.read().decode()

    def test(self, library, chip):
        return run("diopi-agent", "--server", self.address, "--impl", library, "--chip", chip, *SELECTION,
                   "--timeout-s", "5", "--error-report", "", allowed=(0, 1))


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        data, library = f"{folder}/data", f"{folder}/vendor/libdiopi_impl.so"
        os.makedirs(os.path.dirname(library))
        os.symlink(BUILD / "lib/vendors/libdiopi_faulty.so", library)
        run("diopi-cli", "gen", "--quiet", "--data", data, *SELECTION)
        server = Server(data)
        try:
            server.test(BUILD / "lib/libdiopi_cpu.so", "good")
            forms, texts = {}, {}
            forms["terminal, at the run's end"] = in_words(server.test(library, "faulty"))
            page = json.loads(server.get("/api/v1/runs/latest"))
            failures = json.loads(server.get("/api/v1/runs/latest/failures"))
            faulty, good = [one["run_id"] for one in json.loads(server.get("/api/v1/runs"))["runs"]]
            assert faulty == page["run_id"] == failures["run_id"]
            forms["page: run"] = of_message(page) | outcomes(page["outcomes"]) | {"failed": page["failed"]}
            forms["page: operators"] = of_operators(page["operators"])
            forms["page: failures"] = {"failed": failures["cases"], "groups": len(failures["groups"])}
            cases = json.loads(server.get("/api/v1/runs/latest/cases"))
            column = cases["columns"].index("outcome")
            forms["page: cases"] = of_verdicts(row[column] for row in cases["rows"])
            compare = json.loads(server.get(f"/api/v1/compare?a={good}&b={faulty}"))
            forms["page: comparison"] = of_message(compare["b"])
            forms["metrics"] = of_metrics(server.get("/metrics"), "faulty")

            for name in ("text", "markdown", "html", "csv", "json", "junit", "cdash", "error_report"):
                texts[name] = run("diopi-cli", "report", "--data", data, "--run", faulty, "--format", name)
            forms["report: text"] = in_words(texts["text"])
            forms["report: Markdown"] = in_tiles(texts["markdown"])
            forms["report: CSV"] = of_verdicts(row["outcome"] for row in csv.DictReader(io.StringIO(texts["csv"])))
            report = json.loads(texts["json"])
            forms["report: JSON"] = of_message(report) | outcomes(report["outcomes"]) | {"groups": len(report["failures"])}
            forms["report: JUnit"] = of_junit(texts["junit"])
            forms["report: CDash"] = of_cdash(texts["cdash"])
            texts["evaluation"] = run("diopi-cli", "evaluate", "--data", data, "--run", faulty, "--format", "markdown")
            forms["evaluation"] = of_evaluation(texts["evaluation"])
            for language in ("en", "zh"):
                texts[f"evaluation, {language}"] = run("diopi-cli", "evaluate", "--data", data, "--run", faulty, "--lang",
                                                       language)

            gate = ["diopi-cli", "gate", "--data", data, "--run", faulty, "--against", good, "--partial", "--format"]
            for name in ("markdown", "junit", "github", "json"):
                texts["gate, " + name] = run(*gate, name, allowed=(1,))
            forms["gate: text"] = in_words(run(*gate, "text", allowed=(1,)))
            forms["gate: Markdown"] = in_words(texts["gate, markdown"])
            judged = json.loads(texts["gate, json"])
            forms["gate: JSON"] = of_message(judged) | {"groups": judged["failure_groups"]}
            shown = re.findall(r"^\| \w[\w ]* \| (?:(\d+) cases of .*|[a-z0-9_.]+) \| (\w+)[,:]", texts["gate, markdown"], re.M)
            lines = [(int(cases or 1), outcome) for cases, outcome in shown if outcome in FAILED]
            forms["gate: findings"] = {"groups": len(lines), "failed": sum(cases for cases, _ in lines)}
            [row] = [row for row in csv.DictReader(io.StringIO(run("diopi-cli", "runs", "--data", data, "--format", "csv")))
                     if row["run"] == faulty]
            forms["list of runs"] = {name: int(row[name]) for name in ("cases", "passed", "called", "passing")}
            texts["diff"] = run("diopi-cli", "diff", "--data", data, good, faulty, "--format", "markdown", allowed=(1,))
        finally:
            server.process.terminate()
            server.process.wait()

        wanted = forms["page: run"] | forms["page: failures"] | forms["page: operators"]
        for form, figures in forms.items():
            for name, value in figures.items():
                if name in wanted and wanted[name] != value:
                    problems.append(f"{form}: {name} is {value}; elsewhere {wanted[name]}")
                wanted.setdefault(name, value)
        lost = compare["counts"]["newly_failing"]
        if not 0 < lost <= wanted["failed"]:
            problems.append(f"{lost} cases are newly failing, and {wanted['failed']} fail")
        if compare["counts"]["newly_refused"] == 0 or wanted["groups"] < 5 or wanted["called"] == wanted["cases"]:
            problems.append(f"the run shows too little: {wanted}")
        for name, text in texts.items():
            for line in text.splitlines() if name != "text" else ():
                for path in (folder, str(BUILD)):
                    if path in line:
                        problems.append(f"{name} has a folder of this machine: {line.strip()[:300]}")
    for problem in problems[:40]:
        print(problem)
    if not problems:
        print(f"{len(wanted)} figures are the same in {len(forms)} forms: {wanted}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
