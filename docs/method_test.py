#!/usr/bin/python3
"""Tests that docs/method.md agrees with the code: its constants with the sources, its worked examples with the programs.
Also tests that help texts and identifiers use the words of docs/glossary.md.

A block ```example``` of the page holds three kinds of lines. `$ COMMAND` runs a program of ours in a scratch folder.
`> TEXT` must be in its output; "..." stands for anything. `NAME = EXPRESSION = VALUE` is computed here and compared with
the page's digits; in `NAME = NUMBER`, or a list of numbers, each number must be in the output. `noise`, `total` and the
functions below follow section 3 of the page, with the k of the page's own table.

usage: method_test.py BUILD_FOLDER, in the repository's root
"""
import glob
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
PAGE = open("docs/method.md", encoding="utf-8").read()
SUPPORT = "baselines/ops/support/"
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def table(header):
    """The rows of the table whose first column is headed so, as lists of cells."""
    rows = PAGE.partition(f"| {header} |")[2].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows]


def without_space(text):
    return re.sub(r"\s+", "", text)


# Constants.


def page_qualities():
    """{primitive: k as the page writes it}"""
    return {name: row[1] for row in table("primitive") for name in re.findall(r"`([^`]+)`", row[0])}


def check_primitives():
    page = page_qualities()
    source, header = read(SUPPORT + "noise.cc"), read(SUPPORT + "noise.h")
    code = {name: k for name, k in re.findall(r"^DIOPI_NOISE_FUNCTION\((\w+), (.+?), ", source, re.M)}
    for name, function in (("pow", "PowOf"), ("atan2", "Atan2Of")):
        body = source.partition(f"Noise<V> {function}(")[2].partition("\n}\n")[0]
        code[name] = re.search(r"::Of\(.*, (\d+)\);", body)[1]
    for name, parameters in (("+", "a.v + b.v"), ("-", "a.v - b.v"), ("*", "a.v * b.v"), ("/", "q, a.s2"),
                             ("fma", "std::fma(")):
        code[name] = re.search(rf"Of\({re.escape(parameters)}.*?, (\d+)\);", header)[1]
    quality = re.search(r"double ExpQuality.*?return std::(.*?);", source, re.S)[1].replace("d", "x")
    code = {name: quality if k == "ExpQuality(x)" else k for name, k in code.items()}
    exact = re.findall(r"^Noise<V> (\w+)\(const Noise<V>& \w.*\{\n(?!.*Of\()", header, re.M)
    code.update({name: "0" for name in exact if name not in code})
    for name in sorted(set(page) | set(code)):
        check(page.get(name) == code.get(name),
              f"k of {name}: the page says {page.get(name)}, the code {code.get(name)}")


def check_table_functions():
    """K of the operators whose files give extra ulps; all others have 0."""
    page = {name: float(row[1]) for row in table("operator") for name in re.findall(r"`(\w+)`", row[0])}
    code = {}
    for path in glob.glob("cases/ops/**/*.textproto", recursive=True):
        given = {float(k) for k in re.findall(r"\bkf: ([\d.]+)", read(path))} - {0.0}
        if given:
            check(len(given) == 1, f"{path} gives several kf: {given}")
            code[re.search(r'operator: "(\w+)"', read(path))[1]] = given.pop()
    check(page == code, f"K: the page has {page}, the operators' files {code}")


def check_constants():
    rows = table("constant")
    check(len(rows) >= 16, "the table of constants was not found")
    for name, values, fragment, path in rows:
        fragment = fragment.strip("`")
        check(without_space(fragment) in without_space(read(path)), f"{name}: {path} does not have `{fragment}`")
        for value in re.findall(r"[\d.e-]+", values):
            numbers = re.findall(r"\d[\d.]*(?:e-\d+)?", fragment)
            check(value in numbers, f"{name}: {value} is not in `{fragment}`")


def check_citations():
    """Sources cite only sections that the page has, and only documents that are in the repository."""
    sections = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\.? ", PAGE, re.M))
    files = subprocess.run(["git", "ls-files", "-z"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\0")
    cited = 0
    for path in files:
        if not re.search(r"\.(h|cc|cu|proto|md|txt|py|cmake|textproto|ts)$", path) or not os.path.isfile(path) \
                or path.startswith("docs/method"):
            continue
        text = re.sub(r"\s*\n\s*(?://|#)?\s*", " ", read(path))
        check(not re.search(r"\bverdict section|\bdesign\.md\b", text, re.I), f"{path} cites what is not in the repository")
        for section in re.findall(r"docs/method\.md, section (\d+(?:\.\d+)?)", text):
            cited += 1
            check(section in sections, f"{path} cites section {section} of docs/method.md, which has none")
    check(cited > 0, "nothing cites docs/method.md")


# Words that the glossary replaces: without another meaning in a help text or an identifier; in identifiers alone.
REPLACED = set("card cards peer lean leans soft plant planted mutant mutants spoil spoilt golden".split())
UNCLEAR = {"tell", "tells", "told", "say", "handed"}
# Identifiers of product code that keep such a word, by pattern, each with its reason.
KEPT = {
    r"(\w+_)?peer(_\w*)?|SSL_\w*|PeerKey": "the other end of a connection, as gRPC and TLS call it",
    r"set_soft": "OutputStats.soft: a key of the JSON report and a column of the database",
}
PROGRAMS = ("diopi-agent", "diopi-cli", "diopi-proof", "diopi-server")


def help_texts(*command):
    """The help texts of a program and its subcommands."""
    text = subprocess.run([f"{BUILD}/bin/{command[0]}", *command[1:], "--help-all"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    yield " ".join(command), text
    for name in re.findall(r"^  ([a-z][a-z-]*)  +\S", text.partition("\nExamples:\n")[0], re.M):
        yield from help_texts(*command, name)


def check_words():
    glossary = read("docs/glossary.md").partition("\n## In Chinese\n")[0]  # whose table has the same words again
    rows = [row.strip("| ").split(" | ") for row in glossary.splitlines() if row.startswith("| ")]
    words = [row[0] for row in rows if row[0] != "word"]
    check(len(words) == len(set(words)), f"the glossary explains a word twice: {sorted(words)}")
    replaced = " ".join(row[2] for row in rows if len(row) == 3)
    for word in ("card", "peer", "lean", "soft", "plant", "planted", "mutant", "spoil", "golden"):
        check(re.search(rf"\b{word}\b", replaced), f"the glossary replaces '{word}'")
    seen = 0
    for program in PROGRAMS:
        for command, text in help_texts(program):
            seen += 1
            prose = re.sub(r"--[a-z][\w-]*( [A-Z-]+)?|\S+\.\w+", "", text)
            for word in REPLACED:
                check(not re.search(rf"\b{word}\b", prose, re.I), f"{command} --help says '{word}'")
    check(seen > 30, f"only {seen} help texts")


def replaced_identifiers(code):
    """The identifiers of C++ code that have a word that the glossary replaces."""
    code = re.sub(r'//[^\n]*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', '""', code, flags=re.S)
    for name in set(re.findall(r"[A-Za-z_]\w*", code)):
        words = {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
        if words & (REPLACED | UNCLEAR) and not any(re.fullmatch(kept, name) for kept in KEPT):
            yield name


def check_identifiers():
    found = set(replaced_identifiers('int kMutantCount, soft_limit; void TellAll(); // peer\n Softmax("told", grpc_peer);'))
    check(found == {"kMutantCount", "soft_limit", "TellAll"}, f"replaced words were found in {found}")
    for path in subprocess.run(["git", "ls-files", "*.cc", "*.h", "*.cu", "*.cuh"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.split():
        if os.path.isfile(path) and not re.search(r"_(test|fuzz|testing)\.|/(testing|testdata|fuzz)/", path):
            found = sorted(replaced_identifiers(read(path)))
            check(not found, f"{path}: {found}: see docs/glossary.md")


# Section 3.1 in numbers.

UNIT = 2.0**-24
QUALITY = page_qualities()


class Noise:
    """A value and the variance of its rounding noise."""

    def __init__(self, v, s2=0.0, k=None):
        self.v = v
        self.s2 = s2 + (0 if k is None else (k * UNIT * v)**2 / 3)

    def __add__(self, other):
        return Noise(self.v + other.v, self.s2 + other.s2, int(QUALITY["+"]))

    def __sub__(self, other):
        return Noise(self.v - other.v, self.s2 + other.s2, int(QUALITY["-"]))

    def __mul__(self, other):
        return Noise(self.v * other.v, other.v**2 * self.s2 + self.v**2 * other.s2, int(QUALITY["*"]))

    def __truediv__(self, other):
        q = self.v / other.v
        return Noise(q, self.s2 / other.v**2 + q**2 * other.s2 / other.v**2, int(QUALITY["/"]))


def noise(x):
    return Noise(x, (UNIT * x)**2 / 3)


def exp(x):
    if not isinstance(x, Noise):
        return math.exp(x)
    v = math.exp(x.v)
    return Noise(v, v**2 * x.s2, eval(QUALITY["exp"], {"sqrt": math.sqrt, "x": x.v}))


def total(terms):
    r, q2 = sum(a.v for a in terms), sum(a.v**2 for a in terms)
    of_terms = sum(a.s2 for a in terms) + UNIT**2 / 3 * (len(terms) - 1) * (q2 / 2 + r**2 / 3)
    in_turn = Noise(0.0)
    for a in terms:
        in_turn = in_turn + a
    return Noise(r, max(of_terms, in_turn.s2))


NAMES = {"u": UNIT, "noise": noise, "total": total, "exp": exp, "sigma": lambda n: math.sqrt(n.s2),
         "value": lambda n: n.v, "sqrt": math.sqrt, "log": math.log, "log2": math.log2, "erfc": math.erfc,
         "floor": math.floor, "sum": sum, "max": max, "abs": abs}


# Worked examples.


def run(command, folder):
    """The output of one of our programs; it may exit with 1, as most examples show a failed case."""
    words = shlex.split(command)
    environment = dict(os.environ, DIOPI_DATA=f"{folder}/data")
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    words[0] = f"{BUILD}/bin/{words[0]}"
    for i, word in enumerate(words):
        if word.endswith(".so"):
            words[i] = next(path for path in (f"{BUILD}/lib/{word}", f"{BUILD}/lib/vendors/{word}")
                            if os.path.exists(path))
    done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=120, check=False)
    check(done.returncode in (0, 1), f"`{command}` ended with {done.returncode}: {done.stdout[-500:]}")
    return done.stdout


def printed(text, output):
    """Whether `text`, in which "..." stands for anything, is in a line of the output; spaces do not matter."""
    pattern = ".*".join(re.escape(without_space(part)) for part in text.split("..."))
    return any(re.search(pattern, without_space(line)) for line in output.splitlines())


def agrees(shown, value):
    """Whether a number rounds to the digits that are shown."""
    if shown in ("True", "False"):
        return str(value) == shown
    mantissa, _, exponent = shown.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    step = 10.0**(int(exponent or 0) - decimals)
    return abs(value - float(shown)) <= 0.5000001 * step


def is_numbers(text):
    return re.fullmatch(r"\(?(-?[\d.]+(e[-+]?\d+)?(, )?)+\)?", text) is not None


def check_example(block, folder):
    names, output, quoted, computed = dict(NAMES), "", 0, 0
    for line in block.splitlines():
        if line.startswith("$ "):
            output = run(line[2:], folder)
        elif line.startswith("> "):
            quoted += 1
            check(printed(line[2:], output), f"the programs do not print: {line[2:]}")
        else:
            name, expression, *shown = [part.strip() for part in line.split(" = ")]
            if not shown and is_numbers(expression):
                for number in re.findall(r"-?[\d.]+(?:e[-+]?\d+)?", expression):
                    check(printed(number, output), f"the programs do not print {number} of `{line}`")
            names[name] = eval(expression, names)
            if shown:
                computed += 1
                check(agrees(shown[0], names[name]), f"`{line}`: it is {names[name]}")
    check(quoted > 0 and computed > 0, f"an example shows nothing: {block[:100]}")


def check_examples():
    examples = re.findall(r"^```example\n(.*?)^```", PAGE, re.M | re.S)
    check(len(examples) >= 7, f"only {len(examples)} examples")
    with tempfile.TemporaryDirectory() as folder:
        for block in examples:
            check_example(block, folder)


def main():
    check_primitives()
    check_table_functions()
    check_constants()
    check_citations()
    check_words()
    check_identifiers()
    check_examples()
    sys.exit(1 if failures else 0)


main()
