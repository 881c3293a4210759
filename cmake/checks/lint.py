#!/usr/bin/env python3
"""Runs clang-tidy's bugprone and performance checks (.clang-tidy) over all our sources, or those given.

usage: lint.py BUILD_FOLDER [FILE ...]

A clean file is checked again only if it, a header of ours that it includes, or its command has changed: BUILD_FOLDER/lint
has a hash for each clean file. Exit status 1 if there are findings.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# gcc checks promotions to double and deprecated declarations. clang's flags of the same names also object to promotions
# to long double, which are intended, and to what std::stable_sort calls. Google Benchmark's macros use __COUNTER__.
TIDY = ['clang-tidy-22', '--quiet', '--extra-arg=-Wno-double-promotion', '--extra-arg=-Wno-deprecated-declarations',
        '--extra-arg=-Wno-c2y-extensions']


def sources(file):
    """The sources that a compiled file stands for: itself, or those that a file of a unity build includes."""
    if re.fullmatch(r'unity_\w+_cxx\.cxx', os.path.basename(file)):
        return re.findall(r'^#include "(.+)"$', pathlib.Path(file).read_text(), flags=re.MULTILINE)
    return [file]


def commands(build):
    """The build's commands by file, as clang understands them: without nvcc's, and without gcc's precompiled headers."""
    result = {}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        if 'nvcc' not in entry['command'].split()[0]:
            command = re.sub(r'-include \S*/cmake_pch\.hxx', '', entry['command'])
            output = re.search(r' -o (\S+)', command)[1]
            for file in sources(entry['file']):
                result.setdefault(file, {**entry, 'file': file, 'output': output,
                                         'command': command.replace(entry['file'], file)})
    return result


def headers(build, root):
    """Our own files that each object depends on, by object."""
    result, current = {}, None
    listing = subprocess.run(['ninja', '-C', build, '-t', 'deps'], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        if line.startswith('    '):
            path = (build / line.strip()).resolve()
            if path.is_relative_to(root) and path.suffix != '.gch':
                current.append(path)
        elif line:
            current = result[line.split(': #deps')[0]] = []
    return result


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which(TIDY[0]) is None:
        print(f'lint: {TIDY[0]} is not installed; docker/packages-lint.txt names its package', file=sys.stderr)
        return 2
    root = pathlib.Path.cwd()
    build = pathlib.Path(arguments[0]).resolve()
    names = arguments[1:] or subprocess.run(['git', 'ls-files', '--', '*.cc'], capture_output=True, text=True,
                                            check=True).stdout.split()
    known, depends = commands(build), headers(build, root)
    config = (root / '.clang-tidy').read_bytes()
    contents = {}

    def digest(entry):
        """A hash of everything that can cause a finding; empty if the object was not built."""
        if entry['output'] not in depends:
            return ''
        hasher = hashlib.sha256(config + ' '.join([*TIDY, entry['command']]).encode())
        for path in depends[entry['output']]:
            if path not in contents:
                contents[path] = hashlib.sha256(path.read_bytes()).digest()
            hasher.update(contents[path])
        return hasher.hexdigest()

    def check(name):
        entry = known.get(str(root / name))
        if entry is None:
            return name, 'left out', ''
        stamp, key = build / 'lint' / name.replace('/', '+'), digest(entry)
        if key and stamp.is_file() and stamp.read_text() == key:
            return name, 'unchanged', ''
        done = subprocess.run([*TIDY, '-p', database, name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        text = re.sub(r'^\d+ warnings? generated\.\n', '', done.stdout, flags=re.MULTILINE)
        if done.returncode != 0 or text.strip():
            return name, 'with findings', text
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(key)
        return name, 'clean', ''

    counts = {}
    with tempfile.TemporaryDirectory() as database, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        (pathlib.Path(database) / 'compile_commands.json').write_text(json.dumps(list(known.values())))
        for name, outcome, text in pool.map(check, names):
            counts[outcome] = counts.get(outcome, 0) + 1
            if text:
                print(text, end='', flush=True)
    print('lint: ' + ', '.join(f'{count} files {outcome}' for outcome, count in sorted(counts.items())))
    return 1 if 'with findings' in counts else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
