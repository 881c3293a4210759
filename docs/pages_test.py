#!/usr/bin/python3
"""Runs every command of the pages in docs/en, each page in a folder of its own, and compares what it prints with what the page
says. Also tests that the Chinese pages and README have the same commands, headings, paragraphs, list items and tables, that links
lead somewhere, and that the sections exist to which the dashboards link.

A block ```console``` holds commands, `$ COMMAND`, each followed by lines that its output must have, in this order; "..." in
a line stands for anything. `# exit N` after a command is the expected exit status (0 without it). A command that ends with
`&` is a server, which listens on free ports in place of the page's. A block ```c [NAME]``` is written to the file NAME.

usage: pages_test.py BUILD_FOLDER [--times] [PAGE...], in the repository's root; --times prints how long each command takes
"""
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
TIMES = "--times" in sys.argv
# The tutorial promises ten minutes: its commands may take half of them, the rest is for reading.
LIMITS_S = {"docs/en/tutorial.md": 300}
ROOT = os.getcwd()
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """[(language, name, lines)] of the fenced blocks."""
    return [(language, name, body.splitlines())
            for language, name, body in re.findall(r"^```(\w*)(?: \[([^\]]*)\])?\n(.*?)^```", text, re.M | re.S)]


def expression(line):
    """A line of a page as a regular expression: spaces count as any space, "..." as anything."""
    return r".*".join(r"\s+".join(re.escape(word) for word in part.split()) for part in line.split("..."))


class Page:
    """One page's folder, in which `build` is the build folder, and its servers."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.addresses = {}
        self.servers = []
        self.seconds = 0
        for name in ("build", "client", "docs"):
            os.symlink(BUILD if name == "build" else f"{ROOT}/{name}", f"{folder}/{name}")
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "DIOPI_DATA": f"{folder}/data"}

    def filled(self, command):
        for address, actual in self.addresses.items():
            command = command.replace(address, actual)
        return command

    def serve(self, command):
        wanted = re.findall(r"127\.0\.0\.1:\d+", command)
        for address in wanted:
            command = command.replace(address, "127.0.0.1:0")
        ready, write = os.pipe()
        server = subprocess.Popen(f"exec {command} --log-level error --ready-fd {write}", shell=True, cwd=self.folder,
                                  env=self.environment, pass_fds=(write,))
        self.servers.append(server)
        os.close(write)
        with os.fdopen(ready) as lines:
            self.addresses.update(zip(wanted, [line.split()[1] for line in lines]))
        check(len(self.addresses) >= len(wanted), f"{self.path}: {command}: the server is not ready")

    def run_timed(self, command, status, lines):
        begin = time.monotonic()
        self.run(command, status, lines)
        took = time.monotonic() - begin
        self.seconds += took
        if TIMES:
            print(f"{took:7.1f} s  {command}")

    def run(self, command, status, lines):
        if command.endswith("&"):
            return self.serve(command[:-1].strip())
        done = subprocess.run(self.filled(command), shell=True, cwd=self.folder, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=250)
        where = f"{self.path}: $ {command}"
        check(done.returncode == status, f"{where}: exit {done.returncode}, not {status}\n{done.stdout[-3000:]}")
        at = 0
        for line in lines:
            found = re.compile(expression(line)).search(done.stdout, at)
            check(found, f"{where}: the output lacks {line!r}\n{done.stdout[:6000]}")
            at = found.end() if found else at
        return None

    def run_all(self):
        ran = 0
        for language, name, lines in blocks(read(self.path)):
            if name:
                with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
            if language != "console":
                continue
            starts = [i for i, line in enumerate(lines) if line.startswith("$ ")] + [len(lines)]
            check(starts[0] == 0, f"{self.path}: a block does not begin with a command: {lines[0]}")
            for start, end in zip(starts, starts[1:]):
                command, _, comment = lines[start][2:].partition("  # ")
                status = re.match(r"exit (\d+)", comment)
                self.run_timed(command.strip(), int(status[1]) if status else 0, lines[start + 1:end])
                ran += 1
        return ran

    def stop(self):
        for server in self.servers:
            server.send_signal(signal.SIGTERM)
            check(server.wait(timeout=60) == 0, f"{self.path}: a server's exit status after SIGTERM")


def run_page(path):
    with tempfile.TemporaryDirectory(prefix="diopi-pages-") as folder:
        page = Page(path, folder)
        try:
            ran = page.run_all()
            if TIMES:
                print(f"{page.seconds:7.1f} s  in all: {path}")
            limit = LIMITS_S.get(path, page.seconds)
            check(page.seconds <= limit, f"{path}: its commands took {page.seconds:.0f} s, more than {limit} s")
            return ran
        finally:
            page.stop()


def skeleton(text):
    """Headings by level, paragraphs, list items and rows of tables, in order: what a translation has, too."""
    kinds = []
    for block in re.split(r"\n\s*\n", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        marks = re.findall(r"^(#+(?= )|-(?= )|\d+\.(?= )|\|)", block, re.M)
        kinds += marks or (["text"] if block.strip() else [])
    return kinds


def check_translation(english, chinese):
    check(os.path.exists(chinese), f"{chinese} is missing")
    if not os.path.exists(chinese):
        return
    a, b = read(english), read(chinese)
    without_comments = lambda text: [(language, name, [re.sub(r"/\*.*?\*/|\s+# (?!exit ).*", "", line) for line in lines])
                                     for language, name, lines in blocks(text)]
    check(without_comments(a) == without_comments(b), f"{english} and {chinese} have other blocks")
    check(skeleton(a) == skeleton(b), f"{english} and {chinese} have other headings, paragraphs, list items or rows of tables")


def check_links(path):
    """Links to files exist in the repository, or are pages that the site makes (docs/reference)."""
    made = re.findall(r"'([\w-]+\.md)'", read("docs/site/reference.mjs"))
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", read(path)):
        full = os.path.normpath(os.path.join(os.path.dirname(path), target))
        check(os.path.exists(full) or os.path.dirname(full) == "docs/reference" and os.path.basename(full) in made,
              f"{path}: the link to {target} leads nowhere")


def check_sections():
    """The sections that the dashboards link to are in both languages."""
    wanted = set(re.findall(r"^  '[\w.]+': '([\w-]+)',$", read("reports/web/src/lib/docs.ts"), re.M))
    wanted |= {name.replace("_", "-") for name in re.findall(r"^  (\w+): \{ label", read("reports/web/src/lib/outcomes.ts"), re.M)}
    check(len(wanted) > 20, f"the sections that the dashboards link to were not found: {wanted}")
    for language in ("en", "zh"):
        headings = re.findall(r"^##+ (.*)$", read(f"docs/{language}/outcomes.md"), re.M)
        missing = wanted - {re.sub(r"[ _]", "-", heading.lower()) for heading in headings}
        check(not missing, f"docs/{language}/outcomes.md lacks the sections {missing}")


def main():
    check_sections()
    given = [path for path in sys.argv[2:] if path != "--times"]
    check(skeleton("# a\n\nb\n\n- c\n") == ["#", "text", "-"] != skeleton("# a\n\n- c\n"), "a missing paragraph is found")
    pages = sorted(given or glob.glob("docs/en/*.md"))
    for path in ["README.md", *pages]:
        translation = path.replace("/en/", "/zh/").replace("README.md", "README.zh.md")
        check_translation(path, translation)
        check_links(path)
        check_links(translation)
    with tempfile.TemporaryDirectory() as folder:
        drawn = subprocess.run(["docs/figures/error_distribution.py", BUILD, f"{folder}/drawn.svg"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        check(drawn.returncode == 0, f"docs/figures/error_distribution.py: {drawn.stdout[-2000:]}")
    ran = sum(run_page(path) for path in pages)
    check(ran > 20 or given, f"only {ran} commands were found")
    print(f"{ran} commands of {len(pages)} pages ran")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
