#!/usr/bin/env python3
"""How many lines an operator costs: its own, and its share of what its family shares.

usage: cmake/operator_lines.py [--all] [OPERATOR ...]

Counts lines that are not blank, by part. A file of the family that belongs to no single operator counts in equal shares
for each function of the family; a file of injected bugs or variants for each function that it overrides. Timing points
count as tests. Sets that all families may use (cases/sets) belong to no operator; the last line has their size.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPS = ROOT / "baselines" / "ops"
PARTS = ("cases", "kernels", "family's share", "check, tests", "bugs, variants")


def lines(path):
    return sum(1 for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def operators():
    """{operator: (family, functions)}; functions of a set have the operator's name in place of "$"."""
    result = {}
    function = re.compile(r'^\s*function\s*\{\s*name: "(diopi[\w$]+)"', re.M)
    sets = {path.stem: function.findall(path.read_text()) for path in (ROOT / "cases/sets").glob("*.textproto")}
    for path in sorted((ROOT / "cases/ops").glob("*/*.textproto")):
        text = path.read_text(encoding="utf-8")
        names = set(function.findall(text))
        for taken, name in re.findall(r'^functions \{ set: "(\w+)" name: "(\w+)"', text, re.M):
            names.update(each.replace("$", name) for each in sets[taken])
        result[path.stem] = (path.parent.name, names)
    return result


def owner(stem, family_operators):
    """The operator with the longest name that the file's name starts with; None for the family's files."""
    fitting = [op for op in family_operators if stem == op or stem.startswith(op + "_")]
    return max(fitting, key=len) if fitting else None


def overridden(text):
    return re.findall(r"DIOPI_OVERRIDE\w*\((diopi\w+)", text)


def measure():
    known = operators()
    families = {}
    operator_of = {}
    for op, (family, functions) in known.items():
        families.setdefault(family, []).append(op)
        operator_of.update(dict.fromkeys(functions, op))
    cost = {op: dict.fromkeys(PARTS, 0.0) for op in known}

    def add(op, part, count):
        cost[op][part] += count

    def share(family, part, count):
        members = families.get(family, [])
        total = sum(len(known[op][1]) for op in members)
        for op in members:
            add(op, part, count * len(known[op][1]) / total)

    for path in sorted((ROOT / "cases/ops").glob("*/*")):
        family = path.parent.name
        if path.suffix == ".textproto":
            add(path.stem, "cases", lines(path))
        elif path.suffix == ".cc":
            share(family, "cases", lines(path))
    for path in sorted(OPS.glob("*/*")):
        family = path.parent.name
        if family not in families or path.suffix not in (".cc", ".cu", ".h", ".py", ".textproto"):
            continue
        if path.stem.endswith(("_bugs", "_variants")):
            continue
        op = owner(path.stem, families[family])
        part = "check, tests" if path.stem.endswith(("_crosscheck", "_test", "_timing")) else "kernels"
        if op:
            add(op, part, lines(path))
        else:
            share(family, "family's share" if part == "kernels" else part, lines(path))
    for path in sorted((ROOT / "baselines").glob("**/*_*s.cc")):
        functions = overridden(path.read_text(encoding="utf-8")) if path.stem.endswith(("_bugs", "_variants")) else []
        for function in functions:
            if function in operator_of:
                add(operator_of[function], "bugs, variants", lines(path) / len(functions))
    return known, cost


def main(arguments):
    known, cost = measure()
    wanted = [a for a in arguments if a != "--all"] or ["add", "layer_norm", "sort", "conv2d", "sin", "cos", "expm1"]
    if "--all" in arguments:
        wanted = list(known)
    for op in wanted:
        if op not in known:
            sys.exit(f"operator_lines: no operator '{op}' in cases/ops")
    print(f"{'operator':24}{'functions':>10}" + "".join(f"{part:>16}" for part in PARTS) + f"{'per function':>14}")
    for op in wanted:
        functions = len(known[op][1])
        row = [cost[op][part] for part in PARTS]
        print(f"{op:24}{functions:>10}" + "".join(f"{count:>16.0f}" for count in row) + f"{sum(row) / functions:>14.0f}")
    functions = sum(len(names) for _, names in known.values())
    total = [sum(cost[op][part] for op in known) for part in PARTS]
    print(f"{'all ' + str(len(known)):24}{functions:>10}" + "".join(f"{count:>16.0f}" for count in total)
          + f"{sum(total) / functions:>14.0f}")
    sets = sum(lines(path) for path in (ROOT / "cases/sets").glob("*.textproto"))
    print(f"shared sets: {sets} lines, {sets / functions:.0f} a function")


if __name__ == "__main__":
    main(sys.argv[1:])
