#!/usr/bin/python3
"""Measures and draws the errors of three runs, for docs/en/tolerance.md: a correct exp, an exp with an injected bug, and a
correct softmax. Each bar is the number of elements whose error lies in one octave of ulps.

usage: error_distribution.py BUILD_FOLDER OUTPUT.svg
"""
import json
import os
import subprocess
import sys
import tempfile

REFERENCE, BUGS = "lib/libdiopi_cpu.so", "lib/vendors/libdiopi_mutants.so"
# Title in English and Chinese, case, library, injected bug.
RUNS = (("exp, correct", "exp.float32.moderate", REFERENCE, ""),
        ("exp, injected bug", "exp.float32.moderate", BUGS, "exp_one_step_reduction"),
        ("softmax, correct", "softmax.float32.n512_r4_last", REFERENCE, ""))
# The bins of baselines/compare/tally.cc that the pictures show: below 1/4 ulp, then an octave each.
LABELS = ("&lt;¼", "¼", "½", "1", "2", "4", "8", "16", "32", "64")
FIRST = 1
BLUE, ORANGE, GREY = "#2f86a6", "#d9580f", "#7a8794"


def measure(build, folder, case, library, bug):
    """The output's statistics of one run of one case."""
    environment = {**os.environ, "DIOPI_DATA": folder, "DIOPI_MUTANT": bug}
    command = [f"{build}/bin/diopi-agent", "--impl", f"{build}/{library}", "--case", case, "--quiet"]
    done = subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode > 1:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    report = subprocess.run([f"{build}/bin/diopi-cli", "report", "--run", "latest", "--format", "json"], env=environment,
                            check=True, stdout=subprocess.PIPE, text=True)
    verdict, = json.loads(report.stdout)["results"]
    return {**verdict["outputs"][0], "outcome": verdict["outcome"]}


def panel(left, title, stats):
    """One bar chart, 220 wide."""
    counts = stats["ulp_histogram"][FIRST:FIRST + len(LABELS)]
    colour = BLUE if stats["outcome"] == "pass" else ORANGE
    parts = [f'<g transform="translate({left},0)"><text x="0" y="16" font-weight="600">{title}</text>'
             f'<text x="0" y="34" fill="{GREY}">{stats["outcome"]} · max z {stats["max_z"]:.3g} · {stats["elements"]} elements</text>']
    for i, count in enumerate(counts):
        height = 130 * count / max(counts)
        parts.append(f'<rect x="{22 * i}" y="{184 - height:.1f}" width="18" height="{height:.1f}" rx="2" fill="{colour}"/>')
        parts.append(f'<text x="{22 * i + 9}" y="200" text-anchor="middle" fill="{GREY}" font-size="10">{LABELS[i]}</text>')
        if count:
            parts.append(f'<text x="{22 * i + 9}" y="{179 - height:.1f}" text-anchor="middle" fill="{GREY}" font-size="9">{count}</text>')
    return "\n".join(parts) + "</g>"


def main(build, output):
    with tempfile.TemporaryDirectory() as folder:
        stats = [measure(os.path.abspath(build), folder, *run[1:]) for run in RUNS]
    # What the page says of the picture.
    assert [one["outcome"] for one in stats] == ["pass", "fail", "pass"], stats
    assert stats[1]["public_pass"] and stats[0]["max_ulp"] < 3.5 < stats[1]["max_ulp"] < stats[2]["max_ulp"], stats
    panels = "\n".join(panel(16 + 250 * i, run[0], one) for i, (run, one) in enumerate(zip(RUNS, stats)))
    with open(output, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 770 222" font-family="sans-serif" font-size="13" '
                   f'fill="{GREY}" role="img"><title>Elements by error, in ulps</title>\n{panels}\n'
                   f'<text x="385" y="218" text-anchor="middle" fill="{GREY}" font-size="11">error in ulps</text></svg>\n')


main(*sys.argv[1:])
