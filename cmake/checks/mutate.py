#!/usr/bin/env python3
"""Tests the tests: makes one-line changes to product code and runs the tests beside each.

usage: mutate.py [options] BUILD_FOLDER

  --count N          how many changes, spread over the folders by their lines (100)
  --seed N           which ones: the same seed chooses the same changes of the same sources (1)
  --folder F         only this folder and those in it; may be repeated (default: see FOLDERS)
  --only FILE[:LINE] every possible change of this file or line; may be repeated
  --tests F          runs the tests of this folder, too; may be repeated
  --with TEXT        with one --only FILE:LINE: replaces the line by TEXT
  --list             prints the chosen changes and makes none
  --resume           leaves out what BUILD_FOLDER/mutate/results.jsonl has, and adds the rest
  --together N       builds up to N changes as one program, which makes the one that $DIOPI_CHANGE names, where that is
                     possible (24); 1: each is built alone, as it would be written
  --dirty            starts although the work tree differs from the commit
  --limit S          leaves out tests that take longer than S seconds on the unchanged tree (120)
  -j N               parallel build jobs (2)

Each change is written into the tree, what the tests of its folder need is built, and they run until one fails; then the file
gets its old content back, also after Ctrl-C. If this process is killed, the next start does it first. Until it ends, commit
nothing from the tree, and build nothing else in BUILD_FOLDER. Outcomes:

  noticed          a test failed (it is named) or crashed
  timed out        a test took four times as long as on the unchanged tree, plus 20 s; somebody would notice
  survived         all tests passed: either a test is missing, or the change makes no difference
  does not compile the compiler noticed
  not built        no test of the folder is built from the file

A folder's tests are those that its CMakeLists.txt defines, as ctest lists them; where it defines none, its parent's. They
run in namespaces of their own, with a read-only file system but for BUILD_FOLDER and an empty /tmp: changed code may kill
any process and remove any file. Exit status 0: nothing survived, 1: something did, 2: wrong usage, 130: stopped.
"""
import argparse
import collections
import fcntl
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

import mutations

FOLDERS = ['server/security', 'server/scheduler', 'server/store', 'client/judge', 'client/profile', 'reports/gate',
           'impl_loader/caller', 'impl_loader/worker', 'baselines/compare']
NO_PRODUCT = r'_(test|testing|bench|fuzz)\.(cc|h)$|(^|/)(testing\.h|fake_[^/]*|fuzz/.*|testdata/.*)$'
# Limits and comparisons first, as they are what tests forget.
WEIGHTS = {'limit': 4, 'time': 4, 'comparison': 3, 'dropped check': 3, 'bounds': 3, 'logic': 2}
MEMORY = 12 << 30  # a changed size must not take the machine's


class Failure(Exception):
    """What the user has to mend first."""


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', **options)


def product_files(root, under):
    listing = run(['git', '-C', root, 'ls-files', '--', under]).stdout.split()
    return [f for f in listing if re.search(r'\.(cc|h)$', f) and not re.search(NO_PRODUCT, f)]


def shares(sizes, count):
    """Splits the count by the sizes, at least one each."""
    total, result = sum(sizes.values()) or 1, {}
    for name, size in sizes.items():
        result[name] = max(1, round(count * size / total))
    return result


def choose(root, folders, count, seed):
    """The chosen (file, change) of each folder, at most one per line."""
    candidates = {folder: [(file, change) for file in product_files(root, folder)
                           for change in mutations.changes((root / file).read_text())] for folder in folders}
    chosen = []
    for folder, share in shares({f: len({(file, c.line) for file, c in all_}) for f, all_ in candidates.items()},
                                count).items():
        generator = random.Random(f'{seed} {folder}')
        keys = [generator.random() ** (1 / WEIGHTS.get(change.kind, 1)) for _, change in candidates[folder]]
        lines = {}
        for _, (file, change) in sorted(zip(keys, candidates[folder]), key=lambda pair: -pair[0]):
            if len(lines) < share:
                lines.setdefault((file, change.line), (file, change))
        chosen += sorted(lines.values(), key=lambda pair: (pair[0], pair[1].line))
    return chosen


def named(root, only, text):
    """The (file, change) that --only and --with name."""
    result = []
    for name in only:
        file, _, line = name.partition(':')
        if not (root / file).is_file():
            raise Failure(f'{file}: no such file')
        lines = (root / file).read_text().split('\n')
        if text is not None:
            if not line.isdigit() or not 1 <= int(line) <= len(lines):
                raise Failure(f'--with needs --only FILE:LINE, not {name}')
            result.append((file, mutations.Change(int(line), 'given', lines[int(line) - 1], text)))
            continue
        result += [(file, change) for change in mutations.changes('\n'.join(lines)) if line in ('', str(change.line))]
    return result


class Saved:
    """The content of the files that are changed at the moment, in a folder that outlives this process."""

    def __init__(self, root, folder):
        self.root, self.kept = root, folder / 'changed_files'

    def change(self, texts):
        part = self.kept.with_suffix('.part')
        part.write_text(json.dumps({file: (self.root / file).read_text() for file in texts}))
        part.rename(self.kept)
        for file, text in texts.items():
            (self.root / file).write_text(text)

    def restore(self):
        """Gives the files their content back, with a new time, so that they are built again."""
        if not self.kept.is_file():
            return []
        contents = json.loads(self.kept.read_text())
        for file, text in contents.items():
            (self.root / file).write_text(text)
        self.kept.unlink()
        return list(contents)


class Tests:
    """The tests that a folder's CMakeLists.txt defines, and those of other folders."""

    def __init__(self, root, build, folder, others, jobs, limit):
        self.root, self.build, self.jobs = root, build, jobs
        while not self._defined([folder]):
            folder = os.path.dirname(folder)
            if not folder:
                raise Failure('no folder above has tests')
        self.folder, folders = folder, [folder, *others]
        tests = self._defined(folders)
        known = run(['ninja', '-C', build, '-t', 'targets', 'all']).stdout
        self.targets = [name for name in tests if re.search(rf'^{re.escape(name)}: ', known, re.MULTILINE)]
        built = self.make()
        if built != 'built':
            raise Failure(f'the targets of {folder} cannot be built unchanged:\n{built}')
        self.tests, self.times = self._defined(folders), {}  # again: ctest names no command before it is built
        for name in list(self.tests):
            start = time.monotonic()
            outcome = self._run(name, limit)
            if outcome == 'timed out':
                print(f'{name}: takes longer than {limit} s, left out', flush=True)
                del self.tests[name]
                continue
            if outcome:
                raise Failure(f'{name} fails on the unchanged tree: {outcome}')
            self.times[name] = time.monotonic() - start
        print(f'{folder}: ' + ', '.join(f'{name} {t:.1f} s' for name, t in self.times.items()), flush=True)

    def _defined(self, folders):
        """ctest's entries by name."""
        result = {}
        for folder in folders:
            if not (self.build / folder).is_dir():
                continue
            listed = json.loads(subprocess.run(['ctest', '--test-dir', self.build / folder, '--show-only=json-v1'],
                                               capture_output=True, text=True, check=True).stdout)
            graph = listed['backtraceGraph']
            for test in listed['tests']:
                node = graph['nodes'][test['backtrace']]
                while 'parent' in node:
                    node = graph['nodes'][node['parent']]
                if graph['files'][node['file']] == str(self.root / folder / 'CMakeLists.txt'):
                    result[test['name']] = test
        return result

    def make(self, environment=None):
        """'built', 'nothing to do' or the errors."""
        done = run(['ninja', '-C', self.build, f'-j{self.jobs}', *self.targets], env={**os.environ, **(environment or {})})
        if done.returncode != 0:
            return done.stdout
        return 'nothing to do' if self.targets and 'no work to do' in done.stdout and environment else 'built'

    def _run(self, name, limit, more=None):
        """What failed; empty: nothing."""
        test = self.tests[name]
        properties = {p['name']: p['value'] for p in test['properties']}
        environment = {**os.environ, 'GTEST_FAIL_FAST': '1', 'GTEST_COLOR': 'no', 'HOME': '/tmp', 'TMPDIR': '/tmp'}
        environment.update(line.split('=', 1) for line in properties.get('ENVIRONMENT', []))
        environment.update(more or {})
        # As process 1 of its namespace a test would miss signals; when the shell, which is, ends, all others are killed.
        script = ('mount --bind "$1" "$1" && mount -o remount,bind,ro / && mount -t tmpfs -o size=4g tmpfs /tmp && '
                  f'ulimit -d {MEMORY >> 10} && cd "$2" && shift 2 && "$@"; exit $?')
        command = ['unshare', *([] if os.geteuid() == 0 else ['--map-root-user']), '--mount', '--pid', '--fork',
                   '--mount-proc', '--kill-child=KILL', 'sh', '-c', script, 'sh', str(self.build),
                   properties.get('WORKING_DIRECTORY', str(self.build)), *test['command']]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                              errors='replace', env=environment, start_new_session=True) as process:
            try:
                output, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                return 'timed out'
            finally:
                process.kill()
        if process.returncode == 0:
            return ''
        failed = re.search(r'\[  FAILED  \] ([\w./]+)', output) or re.search(r'.*\[ RUN      \] ([\w./]+)', output, re.DOTALL)
        return failed[1] if failed else f'status {process.returncode}: {output[-300:]}'

    def judge(self, saved, file, change):
        """Makes the change and returns (outcome, which test noticed)."""
        lines = (self.root / file).read_text().split('\n')
        lines[change.line - 1] = change.after
        try:
            saved.change({file: '\n'.join(lines)})
            built = self.make({'CCACHE_READONLY': '1'})
            if built != 'built':
                return ('not built', '') if built == 'nothing to do' else ('does not compile', _error(built))
            return self._try({})
        finally:
            saved.restore()

    def judge_together(self, saved, changes):
        """Builds the changes as one program that can make each of them; yields ((file, change), outcome, which test noticed),
        for some."""
        numbered = dict(enumerate(changes, 1))
        try:
            while len(numbered) > 1:
                texts = {}
                for number, (file, change) in numbered.items():
                    lines = texts.setdefault(file, (self.root / file).read_text().split('\n'))
                    lines[change.line - 1] = mutations.switched(change, number)
                saved.change({file: mutations.SWITCH + '\n'.join(lines) for file, lines in texts.items()})
                built = self.make({'CCACHE_READONLY': '1'})
                if built == 'built':
                    break
                saved.restore()
                wrong = {(file, int(line) - mutations.SWITCH.count('\n'))
                         for file, line in re.findall(r'([\w/.]+):(\d+):\d+: error:', built.replace(f'{self.root}/', ''))}
                left = {n: (file, c) for n, (file, c) in numbered.items() if (file, c.line) not in wrong}
                numbered = left if len(left) < len(numbered) else {}
            if len(numbered) < 2 or self._try({})[0] != 'survived':
                return
            for number, each in numbered.items():
                yield each, *self._try({'DIOPI_CHANGE': str(number)})
        finally:
            saved.restore()

    def _try(self, environment):
        for name in sorted(self.times, key=self.times.get):
            failed = self._run(name, 20 + 4 * self.times[name], environment)
            if failed == 'timed out':
                return 'timed out', name
            if failed:
                return 'noticed', failed
        return 'survived', ''


def _error(output):
    found = re.search(r'error: (.*)', output)
    return found[1] if found else output[-200:]


def row(result):
    before, after = result['before'].strip(), result['after'].strip()
    return (f"{result['outcome']:16} {result['file']}:{result['line']}  {result['kind']}: {before}  =>  {after}"
            + (f"  [{result['by']}]" if result.get('by') else ''))


def summary(results):
    outcomes = ['noticed', 'timed out', 'survived', 'does not compile', 'not built']
    counts = collections.Counter((r['folder'], r['outcome']) for r in results)
    table = [['folder', 'changes', *outcomes]]
    for folder in dict.fromkeys(r['folder'] for r in results):
        table.append([folder, *(str(sum(1 for r in results if r['folder'] == folder)),),
                      *(str(counts[folder, o]) for o in outcomes)])
    table.append(['all', str(len(results)), *(str(sum(1 for r in results if r['outcome'] == o)) for o in outcomes)])
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    return '\n'.join('  '.join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths)))
                     for line in table)


def campaign(options, root, build, chosen):
    folder = build / 'mutate'
    saved, log = Saved(root, folder), folder / 'results.jsonl'
    results = [json.loads(line) for line in log.read_text().splitlines()] if options.resume and log.is_file() else []
    done = {(r['file'], r['line'], r['after']) for r in results}
    tests = {}
    with open(log, 'a' if options.resume else 'w') as out:
        def record(file, change, outcome, by):
            results.append({'folder': tests[os.path.dirname(file)].folder, 'file': file, 'line': change.line,
                            'kind': change.kind, 'before': change.before, 'after': change.after, 'outcome': outcome, 'by': by})
            done.add((file, change.line, change.after))
            out.write(json.dumps(results[-1]) + '\n')
            out.flush()
            print(row(results[-1]), flush=True)

        def left(of):
            return [(f, c) for f, c in chosen if os.path.dirname(f) == of and (f, c.line, c.after) not in done]

        try:
            for place in dict.fromkeys(os.path.dirname(file) for file, _ in chosen):
                if not left(place):
                    continue
                tests[place] = Tests(root, build, place, options.tests or [], options.jobs, options.limit)
                for batch in batches(left(place), options.together):
                    for (file, change), outcome, by in tests[place].judge_together(saved, batch):
                        record(file, change, outcome, by)
                for file, change in left(place):
                    record(file, change, *tests[place].judge(saved, file, change))
        finally:
            for one in {t.folder: t for t in tests.values()}.values():
                one.make()  # the objects of the unchanged files
    print()
    for result in sorted(results, key=lambda r: r['outcome']):
        print(row(result))
    print('\n' + summary(results))
    return 1 if any(r['outcome'] == 'survived' for r in results) else 0


def batches(changes, size):
    """The changes that can be built together, at most `size` at once and one per line; sources may be compiled alone."""
    waiting = [(file, change) for file, change in changes if size > 1 and mutations.switched(change, 1) is not None]
    while waiting:
        lines = {}
        for file, change in waiting:
            lines.setdefault((file, change.line), (file, change))
        batch = list(lines.values())[:size]
        yield batch
        waiting = [each for each in waiting if each not in batch]


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n')[0], add_help=False)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--folder', action='append')
    parser.add_argument('--only', action='append')
    parser.add_argument('--tests', action='append')
    parser.add_argument('--with', dest='text')
    parser.add_argument('--limit', type=float, default=120)
    parser.add_argument('--together', type=int, default=24)
    parser.add_argument('-j', dest='jobs', type=int, default=2)
    for flag in ['--list', '--resume', '--dirty']:
        parser.add_argument(flag, action='store_true')
    if not arguments or '--help' in arguments:
        print(__doc__)
        return 2 if not arguments else 0
    options = parser.parse_args(arguments)
    root, build = pathlib.Path(__file__).resolve().parents[2], options.build.resolve()
    if not (build / 'build.ninja').is_file():
        raise Failure(f'{build}: no build folder of ninja')
    if build.is_relative_to('/tmp'):
        raise Failure('a build folder in /tmp, which is empty for the tests, cannot be used')
    (build / 'mutate').mkdir(exist_ok=True)
    with open(build / 'mutate' / 'lock', 'w') as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(f'another run changes this tree ({lock.name})') from None
        for file in Saved(root, build / 'mutate').restore():
            print(f'{file}: restored after a run that was killed', flush=True)
        if not options.list and not options.dirty and run(['git', '-C', root, 'status', '--porcelain']).stdout:
            raise Failure('the work tree differs from the commit; commit first, or use --dirty')
        if options.only:
            chosen = named(root, options.only, options.text)
        else:
            chosen = choose(root, options.folder or FOLDERS, options.count, options.seed)
        if options.list:
            for file, change in chosen:
                print(f'{file}:{change.line}  {change.kind}: {change.before.strip()}  =>  {change.after.strip()}')
            return 0
        return campaign(options, root, build, chosen)


if __name__ == '__main__':
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        print(f'mutate: {failure}', file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print('mutate: stopped; the tree is as it was', file=sys.stderr)
        sys.exit(130)
