#!/usr/bin/python3
"""Tests mutate.py: which changes it makes, and that a tree is as it was whatever happens to a run."""
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import mutations

HERE = pathlib.Path(__file__).resolve().parent

LIMIT = '''\
#include "small/limit.h"

constexpr int kMost = 8;  // kMost = 9 < 10
bool Fits(int n) {
  if (n < 0) return false;
  return n <= kMost;
}
int Halves(int n) { return n == 1000 ? 0 : 1; }
'''
LIMIT_TEST = '''\
#include "small/limit.h"
int main() { return Fits(8) && !Fits(9) && Fits(0) && !Fits(-1) ? 0 : 1; }
'''


class Mutations(unittest.TestCase):
    def made(self, *lines):
        return {(c.kind, c.after.strip()) for c in mutations.changes('\n'.join(lines))}

    def test_changes(self):
        self.assertEqual(self.made('  if (a < 3) return;'), {
            ('comparison', 'if (a <= 3) return;'), ('dropped check', 'if (false && (a < 3)) return;'),
            *(('number', f'if (a < {n}) return;') for n in (4, 2, 6, 1))})
        self.assertEqual(self.made('  } else if (auto x = F(); x && y) {'), {
            ('logic', '} else if (auto x = F(); x || y) {'),
            ('condition false', '} else if (auto x = F(); false && (x && y)) {'),
            ('condition true', '} else if (auto x = F(); true || (x && y)) {')})
        self.assertEqual(self.made('  Call(x);'), {('dropped statement', '{}')})
        self.assertEqual(self.made('constexpr auto kWait = absl::Seconds(30);'), {
            ('time', 'constexpr auto kWait = absl::Seconds(60);'), ('time', 'constexpr auto kWait = absl::Seconds(15);')})
        self.assertEqual(self.made('  if (x) {', '    return;', '  }', '  x = 1;'), {
            ('condition false', 'if (false && (x)) {'), ('condition true', 'if (true || (x)) {'), ('dropped return', '{}'),
            ('number', 'x = 0;'), ('number', 'x = 2;'), ('dropped statement', '{}')})
        self.assertIn(('bounds', 'int a = std::max(b, c);'), self.made('  int a = std::min(b, c);'))

    def test_leaves_alone(self):
        for line in ['// a < 3', '  Foo bar(x);', '  const char* text = "a < 3 && b";', 'static_assert(kA < 3);', '#if A < 3',
                     '  list.reserve(3);', 'template <int n>', '  LOG(INFO) << 3;',
                     '  std::vector<int>&& a;', 'enum Kind { kOne = 1 };', '  std::array<int, 3> a;']:
            self.assertEqual(self.made(line), set(), line)
        self.assertEqual(self.made('  const auto sql = R"(a < 3', '  b = 4;', ')";'), set())
        self.assertEqual(self.made('  for (int i = 0; i < n && j; ++i) {'),
                         {('number', 'for (int i = 1; i < n && j; ++i) {')})
        self.assertEqual(self.made('  a = b && (c || d) && e;') & {('logic', 'a = b || (c || d) && e;')}, set())


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir='.')  # not in /tmp, which is empty for the tests of changed code
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / 'cmake/checks').mkdir(parents=True)
        (self.root / 'small').mkdir()
        for name in ['mutate.py', 'mutations.py']:
            shutil.copy(HERE / name, self.root / 'cmake/checks')
        for name, text in {
                'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES CXX)\nenable_testing()\n'
                                  'include_directories(${CMAKE_SOURCE_DIR})\nadd_subdirectory(small)\n',
                'small/CMakeLists.txt': 'add_executable(limit_test limit.cc limit_test.cc)\n'
                                        'add_test(NAME limit_test COMMAND limit_test)\n',
                'small/limit.h': 'bool Fits(int n);\nint Halves(int n);\n', 'small/limit.cc': LIMIT,
                'small/limit_test.cc': LIMIT_TEST, '.gitignore': '/build/\n__pycache__/\n'}.items():
            (self.root / name).write_text(text)
        git = ['git', '-C', str(self.root), '-c', 'user.name=x', '-c', 'user.email=x']
        for command in ([*git, 'init', '-q'], [*git, 'add', '.'], [*git, 'commit', '-qm', 'x'],
                        ['cmake', '-G', 'Ninja', '-S', str(self.root), '-B', str(self.root / 'build')]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def command(self, *arguments):
        return [sys.executable, str(self.root / 'cmake/checks/mutate.py'), *arguments, str(self.root / 'build')]

    def mutate(self, *arguments):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True)
        self.assertEqual((self.root / 'small/limit.cc').read_text(), LIMIT)
        return done.returncode, done.stdout + done.stderr

    def wait_for(self, text, process):
        """Waits until the file is changed."""
        while text not in (self.root / 'small/limit.cc').read_text():
            self.assertIsNone(process.poll(), 'it ended before')
            time.sleep(0.001)

    def test_outcomes(self):
        status, output = self.mutate('--only', 'small/limit.cc')
        self.assertEqual(status, 1, output)
        for row in ['noticed          small/limit.cc:3  limit: constexpr int kMost = 8;',
                    'noticed          small/limit.cc:5  dropped check',
                    'survived         small/limit.cc:8  number: int Halves(int n) { return n == 1000 ? 0 : 1; }']:
            self.assertIn(row, output)
        self.assertEqual(self.mutate('--only', 'small/limit.cc:3')[0], 0)
        status, output = self.mutate('--only', 'small/limit.cc:6', '--with', '  return n <= kMost')
        self.assertEqual(status, 0)
        self.assertIn('does not compile small/limit.cc:6', output)
        output = self.mutate('--only', 'small/limit.cc:6', '--with', '  while (n == 0) {} return n <= kMost;')[1]
        self.assertIn('timed out        small/limit.cc:6', output)
        listed = self.mutate('--folder', 'small', '--count', '3', '--list')
        self.assertEqual(listed, self.mutate('--folder', 'small', '--count', '3', '--list'))
        self.assertEqual(len(listed[1].splitlines()), 3)

    def test_the_tree_is_as_it_was(self):
        (self.root / 'small/limit_test.cc').write_text(LIMIT_TEST + '\n')
        status, output = self.mutate('--only', 'small/limit.cc:3')
        self.assertEqual(status, 2)
        self.assertIn('--dirty', output)
        hangs = ['--dirty', '--only', 'small/limit.cc:6', '--with', '  while (n == 0) {} return n <= kMost;']
        for number, expected in [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]:
            with subprocess.Popen(self.command(*hangs), stdout=subprocess.DEVNULL) as process:
                self.wait_for('while (n == 0)', process)
                other = subprocess.run(self.command('--dirty', '--list'), capture_output=True, text=True)
                self.assertIn('another run changes this tree', other.stderr)
                process.send_signal(number)
                self.assertEqual(process.wait(), expected)
            if number != signal.SIGKILL:
                self.assertEqual((self.root / 'small/limit.cc').read_text(), LIMIT)
        self.assertIn('restored', self.mutate('--list', '--folder', 'small')[1])


if __name__ == '__main__':
    if subprocess.run(['unshare', '--mount', '--pid', '--fork', '--mount-proc', 'true'], stderr=subprocess.DEVNULL).returncode:
        sys.exit(77)
    unittest.main()
