#!/usr/bin/python3
"""Tests that documents agree with programs and sources: every subcommand and option that a document names is in the program's
help, every file that a README or a comment names exists, no document has turns that the glossary replaces, and every command in
the blocks of README.md and docs/en/commands.md runs.

usage: docs_test.py BUILD_FOLDER, in the repository's root
"""
import fnmatch
import functools
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

BUILD = os.path.abspath(sys.argv[1])
PROGRAMS = ("diopi-agent", "diopi-cli", "diopi-server")
LIBRARY = f"{BUILD}/lib/libdiopi_cpu.so"
# The pages whose commands are run here; pages_test.py runs those of the guides that show what is printed.
PAGES = ("README.md", "docs/en/commands.md")
# Their commands that are not run here, and who runs them.
ELSEWHERE = {
    "./run demo": "every release",
    "./run test": "CI",
    "./run build": "CI",
    "build/bin/diopi-agent --impl /path/to/libdiopi_impl.so": "cuda_e2e_test, all of core",
    "build/bin/diopi-cli repro CASE --impl ... --gdb": "debugger_e2e_test",
}
# Commands for all operators, which are run here for one, to be quick.
NARROWED = ("build/bin/diopi-cli gen --data DIR", "build/bin/diopi-agent --server 127.0.0.1:7410 --impl ...",
            "build/bin/diopi-agent --impl ... --cases DIR")
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


@functools.lru_cache(maxsize=None)
def help_of(*command):
    return subprocess.run([f"{BUILD}/bin/{command[0]}", *command[1:], "--help-all"], stdout=subprocess.PIPE,
                          text=True, check=True).stdout


def subcommands(text):
    """The subcommands in a help text, which lists them in groups, each in a line `  name  what it does`."""
    return set(re.findall(r"^  ([a-z][a-z-]*)  +\S", text.partition("\nExamples:\n")[0], re.M))


def options(text):
    """The options in a text; an underscore counts as a dash."""
    return {name.replace("_", "-") for name in re.findall(r"--[a-z][\w-]*", text)}


@functools.lru_cache(maxsize=None)
def all_options():
    """The options of every program, subcommand and script, which a document may name without the program."""
    found = set()

    def walk(*command):
        found.update(options(help_of(*command)))
        for name in subcommands(help_of(*command)):
            walk(*command, name)

    for program in PROGRAMS:
        walk(program)
    scripts = subprocess.run(["git", "ls-files", "run", "*.sh", "*.py", "*.yaml", "*.yml", "*main.cc", "*_bench.cc",
                              "*compiler.cc"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    for script in scripts:
        if script.endswith("_test.py"):
            continue
        with open(script, encoding="utf-8") as file:
            found.update(options(file.read()))
    return found


def spans(text):
    """The commands of a document: lines of blocks, and text between backticks."""
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S):
        yield from (line.split("  #")[0].strip() for line in block.replace("\\\n", " ").splitlines())
    rest = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.M | re.S)
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", rest))


def misnamed(text):
    """Subcommands and options that a document names and no program has."""
    for span in spans(text):
        words = span.split()
        program = os.path.basename(words[0]) if words else ""
        if program in PROGRAMS:
            command = [program]
            for word in words[1:]:
                if word not in subcommands(help_of(*command)):
                    break
                command.append(word)
            known = options(help_of(*command))
            if command[1:] == [] and program == "diopi-cli" and len(words) > 1 and words[1].islower():
                yield f"`{span}`: no subcommand {words[1]}"
        elif span.startswith("--"):
            known = all_options()
        else:
            continue
        for option in sorted(options(span) - known - {"--help", "--help-all"}):
            yield f"`{span}`: no option {option}"


def listed(*patterns):
    """The files of the repository, those included that are not committed yet."""
    found = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
                           stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return [path for path in found if os.path.exists(path)]


def documents():
    return [path for path in listed("*.md") if "testdata" not in path]


# Files that READMEs name and that are not in the repository: others' files, and what programs and the build write.
NOT_OURS = {"diopi_configs.py", "device_configs.py", "convert_config.yaml", "cudnn_ops.h", "diopi/diopirt.h",
            "summary.txt", "messages.ts", "entries.inc", "expectations/CHIP.txt"}


def named_files(text):
    """What looks like a file or folder of ours between backticks: has a suffix of a source, or ends with a slash."""
    for span in re.findall(r"`([^`\s]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        stem = span.removesuffix(".h/.cc")
        for name in (span,) if stem == span else (f"{stem}.h", f"{stem}.cc"):
            if re.fullmatch(r"[\w*<>-][\w./*<>-]*(\.(h|cc?|cu|py|sh|proto|textproto|md|tsx?|txt|cmake|tsv|ya?ml|css|po|mjs|awk|inc)|/)",
                            name) and not name.startswith("build/") and not re.search(r"\bNAME\b|\bDIR\b", name):
                yield name


def exists(name, document, paths):
    """Whether a file or folder of that name is beside or below the document, in the folder above, in the root or in proto.
    <word> stands for anything."""
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    folder = os.path.dirname(document)
    places = [os.path.normpath(os.path.join(place, pattern)) for place in (folder, f"{folder}/..", ".", "proto")]
    if "/" not in name:
        places.append(f"{folder}/*/{pattern}")
    return any(fnmatch.filter(paths, place) for place in places)


def check_files():
    files = listed()
    paths = set(files)
    for path in files:
        while path := os.path.dirname(path):
            paths.add(path)
    check(exists("catalog.h", "cases/README.md", paths) and not exists("no.h", "cases/README.md", paths), "files are found")
    seen = set()
    for path in documents():
        if os.path.basename(path) not in ("README.md", "README.zh.md", "CONTRIBUTING.md", "GUIDE.md", "architecture.md",
                                          "results.md"):
            continue
        with open(path, encoding="utf-8") as file:
            names = set(named_files(file.read()))
        seen |= names
        for name in sorted(names - NOT_OURS):
            check(exists(name, path, paths), f"{path} names `{name}`, which does not exist")
    check(len(seen) > 300 and NOT_OURS <= seen, f"{len(seen)} names were found; not any more: {NOT_OURS - seen}")


# Files that comments name and that are not in the repository: others' files, examples, and what programs and the build write.
NOT_OURS_IN_COMMENTS = {
    "Documentation/admin-guide/devices.txt", "a.proto", "a/b.cc", "ast.py", "c/d.h", "case.txt", "chip.textproto", "cudnn_graph.h",
    "device_configs.py", "diopi/*.h", "diopi/diopi_device.h", "diopi/diopirt.h", "diopi/functions.h", "diopi_configs.py",
    "diopi_device.h", "diopirt.h", "elf.h", "entries.inc", "findings.txt", "google/rpc/code.proto",
    "gperftools/malloc_extension_c.h", "kernels.h", "messages.ts", "outputs.tsv", "packages/core/src/command.ts",
    "proto/abi/kernels.h", "src/cpp/server/server_cc.cc"}
FILE_NAME = re.compile(r"(?<![\w/.>*-])(?:[\w*-]+/)*[\w*-][\w.*-]*\.(?:h|cc|cuh?|py|sh|proto|textproto|md|tsx?|txt|cmake|tsv|css|"
                       r"mjs|awk|inc|calls|layers)(?!\w|/\w|\.\w)")
# Words in capitals, such as NAME, stand for any name.
PLACEHOLDER = re.compile(r"(?:^|[/_])(?!(?:README|GUIDE|CHANGELOG|CONTRIBUTING)\b)[A-Z]{2,}(?![a-z])")


def named_in_comments(text, sign):
    """The files that a source's comments name, each with its line. Comments begin with `sign`."""
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.search(rf"(?:^|[\s;{{}}),]){sign}[\s{sign[0]}](.*)", line)
        for name in FILE_NAME.findall(comment[1]) if comment else ():
            if not PLACEHOLDER.search(name):
                yield number, name


def check_comments():
    """Every file that a comment names exists, under that name in any folder."""
    known = {path[at:] for path in listed() for at in [0] + [slash.end() for slash in re.finditer("/", path)]}
    wrong = list(named_in_comments("int a;  // As in core/no.h.\n// catalog.h, NAME.cc", "//"))
    check(wrong == [(1, "core/no.h"), (2, "catalog.h")] and "core/no.h" not in known and "catalog.h" in known,
          "a file that a comment names and that does not exist is found")
    seen = set()
    for sign, patterns in (("//", ("*.h", "*.cc", "*.cu", "*.cuh", "*.proto")),
                           ("#", ("*.py", "*.sh", "*.cmake", "*CMakeLists.txt", "run"))):
        for path in listed(*patterns):
            with open(path, encoding="utf-8") as file:
                for number, name in named_in_comments(file.read(), sign):
                    seen.add(name)
                    found = name in NOT_OURS_IN_COMMENTS or name in known or ("*" in name and fnmatch.filter(known, name))
                    check(found, f"{path}:{number}: the comment names {name}, which does not exist")
    check(len(seen) > 200 and NOT_OURS_IN_COMMENTS <= seen,
          f"{len(seen)} names were found; not any more: {NOT_OURS_IN_COMMENTS - seen}")


# Turns that docs/glossary.md, "Style", replaces by the usual words.
UNUSUAL = re.compile(r"\b(whoever|whomever|(is|are|was|were) told|to be had|but for|goes by|mend(s|ed|ing)?|(comes?|came) about|as ever|"
                     r"what is more)\b", re.I)


def check_style():
    check(UNUSUAL.search("Whoever is told") and not UNUSUAL.search("amends"), "unusual turns are found")
    for path in documents():
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if path != "docs/glossary.md" and (found := UNUSUAL.search(line)):
                    check(False, f"{path}:{number}: '{found[0]}': see the style in docs/glossary.md")


def check_names():
    for wrong in ("`diopi-cli gen --nonsense 3`", "`diopi-cli nonsense`", "```\nbuild/bin/diopi-agent --nonsense\n```",
                  "`--nonsense`"):
        check(list(misnamed(wrong)), f"a document with {wrong!r} is found")
    for path in documents():
        with open(path, encoding="utf-8") as file:
            for what in misnamed(file.read()):
                check(False, f"{path}: {what}")


def check_readme():
    """README.md and its translation link to each other, say the ABI's number of functions, and show a result that the tutorial has,
    too. README.md is short."""
    with open("README.md", encoding="utf-8") as english, open("README.zh.md", encoding="utf-8") as chinese:
        pages = english.read(), chinese.read()
    check("(README.zh.md)" in pages[0] and "(README.md)" in pages[1], "README.md and README.zh.md link to each other")
    with open("docs/en/tutorial.md", encoding="utf-8") as file:
        tutorial = file.read()
    pictures = re.findall(r"^```console\n.*?^```", pages[0], re.M | re.S)
    check(pictures and all(picture in tutorial for picture in pictures), "README.md shows what the tutorial's commands print")
    functions = 0
    for path in glob.glob("proto/abi/functions/*.textproto"):
        with open(path, encoding="utf-8") as file:
            functions += len(re.findall(r"^function \{", file.read(), re.M))
    check(f" {functions} operator functions" in pages[0] and f" {functions} 个算子函数" in pages[1],
          f"README.md and README.zh.md say that there are {functions} operator functions")
    check(len(pages[0].split()) <= 520, f"README.md has {len(pages[0].split())} words, more than 520")


class Readme:
    """Runs the commands of PAGES in a folder of its own, where `build` is the build folder."""

    def __init__(self, folder, text):
        self.folder = folder
        self.text = text
        os.symlink(BUILD, f"{folder}/build")
        os.makedirs(f"{folder}/cases")
        with open(f"{folder}/cases/add.textproto", "w") as file:
            file.write('operator: "add" family: "elementwise"\n'
                       'function { name: "diopiAdd" arg { name: "out" like: "input" } judge { kind: MATH } }\n'
                       'grid { dtypes: [float32] point { label: "mine" reveals: "our size"\n'
                       '  in { name: "input" shape: [11] } in { name: "other" shape: [11] }\n'
                       '  attr { name: "alpha" f: 1 } } }\n')
        with open(f"{folder}/diopi_configs.py", "w") as file:
            file.write("diopi_configs = {'sin': dict(name=['sin'], dtype=[np.float32],\n"
                       "    tensor_para=dict(args=[{'ins': ['input'], 'shape': ((2, 3),)}]))}\n")
        self.environment = {"PATH": f"{BUILD}/bin:/usr/bin:/bin", "HOME": folder, "DIOPI_DATA": f"{folder}/data"}
        self.address = ""
        self.server = self.agent = None

    def commands(self):
        for language, block in re.findall(r"^```(\w*)\n(.*?)^```", self.text, re.M | re.S):
            if not language:
                yield from block.splitlines()

    def filled(self, command):
        """The command's words, with values in place of its placeholders."""
        words = {"/path/to/libdiopi_impl.so": LIBRARY, "build/libdiopi_impl.so": LIBRARY, "...": LIBRARY,
                 "CASE": "add.float32.n17", "DIR": "cases", "NAME": "mine", "diopiX": "diopiSyncBnMeanMmcv",
                 "ADDR": self.address,
                 "127.0.0.1:7410": self.address, "PATH": LIBRARY, "[--impl-upload]": "--impl-upload"}
        if "import-cases" in command:
            words["DIR"] = "imported"
        if "--data DIR" in command:
            words["DIR"] = "served"
        return [words.get(word, word) for word in shlex.split(command)]

    def start(self, command, **more):
        return subprocess.Popen(self.filled(command), cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, **more)

    def run(self, command, expect=0):
        done = subprocess.run(self.filled(command), cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=250)
        check(done.returncode == expect, f"{command}: exit {done.returncode}, not {expect}\n{done.stdout[-2000:]}")
        return done.stdout

    def wait_for(self, process, text, command):
        """Reads until a line has the text; kills a process that does not print it in time."""
        late = threading.Timer(120, process.kill)
        late.start()
        seen = ""
        for line in process.stdout:
            seen += line
            if text in line:
                late.cancel()
                return
        check(False, f"{command}: ended without {text!r}:\n{seen[-2000:]}")

    def stop(self, process, command, expect):
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[0]
        check(process.returncode in expect, f"{command}: exit {process.returncode}\n{rest[-2000:]}")

    def serve(self, command):
        self.address = "127.0.0.1:0"
        read, write = os.pipe()
        server = subprocess.Popen(self.filled(command) + ["--ready-fd", str(write), "--log-level", "error"],
                                  cwd=self.folder, env=self.environment, pass_fds=(write,))
        os.close(write)
        with os.fdopen(read) as ready:
            self.address = ready.readline().split()[1]
        return server

    def run_line(self, command):
        if "diopi-server" in command:
            self.server = self.serve(command)
        elif command in NARROWED:
            self.run(command + " --fname add")
        elif "--watch" in command:
            watching = self.start(command)
            self.wait_for(watching, "atching", command)
            self.stop(watching, command, (0, 130))
        elif "--serve " in command:
            self.agent = self.start(command)
            self.wait_for(self.agent, "waiting for runs", command)
        elif "shrink" in command:
            check("nothing to shrink" in self.run(command, expect=2), f"{command}: a case that passes cannot be shrunk")
        else:
            self.run(command)

    def run_all(self):
        skipped = set()
        ran = 0
        for line in self.commands():
            command = line.split("  #")[0].strip()
            if command in ELSEWHERE:
                skipped.add(command)
                continue
            self.run_line(command)
            ran += 1
        check(ran > 12, f"{PAGES}: only {ran} commands were found")
        check(skipped == set(ELSEWHERE), f"{PAGES}: no longer have {set(ELSEWHERE) - skipped}")
        self.stop(self.agent, "diopi-agent --serve", (0, 130))
        self.server.send_signal(signal.SIGTERM)
        check(self.server.wait(timeout=60) == 0, "diopi-server: exit status after SIGTERM")


def main():
    check_names()
    check_style()
    check_files()
    check_comments()
    check_readme()
    folder = tempfile.mkdtemp(prefix="diopi-docs-")
    try:
        texts = []
        for path in PAGES:
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
        Readme(folder, "\n".join(texts)).run_all()
        check(glob.glob(f"{folder}/imported/*.textproto"), "import-cases wrote files")
    finally:
        shutil.rmtree(folder)
    return 1 if failures else 0


sys.exit(main())
