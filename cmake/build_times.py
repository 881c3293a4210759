#!/usr/bin/env python3
"""How long each kind of step of a build took, from ninja's log: the newest time of every output.

usage: build_times.py BUILD_FOLDER

Times are wall-clock times, summed over steps that ran in parallel; a step that hit the compiler cache counts with the time
it took.
"""
import collections
import pathlib
import re
import sys

KINDS = [
    ('tests', r'(_tests?|_corpus_test)\.dir/.*\.o$|diopi_test_headers'),
    ('emulated CUDA', r'cuda_emulated\.dir/.*\.o$|support/cuda/emulated/.*\.o$'),
    ('CUDA', r'\.cu\.o$'),
    ('injected bugs and variants', r'(libdiopi_(mutants|variants|faulty)|diopi_native16)\.dir/.*\.o$'),
    ('CPU kernels', r'^baselines/ops/.*\.o$'),
    ('messages', r'generated/.*\.(pb\.cc|pb\.h)$|\.pb\.cc\.o$'),
    ('our programs', r'\.o$'),
    ('linking', r'^(bin|lib|tests|tools)/'),
    ('dashboard page', r'^web/'),
]


def kind_of(output):
    return next((kind for kind, pattern in KINDS if re.search(pattern, output)), 'other')


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    log = pathlib.Path(arguments[0]) / '.ninja_log'
    if not log.is_file():
        print(f'build_times: no {log}: build first', file=sys.stderr)
        return 2
    steps = {}
    for line in log.read_text(encoding='utf-8').splitlines()[1:]:
        begin, end, _, output, command = line.split('\t')
        steps[output] = (int(end) - int(begin), begin, end, command)
    totals = collections.defaultdict(lambda: [0, 0.0])
    seen = set()  # a step may have several outputs
    for output, (took, *step) in sorted(steps.items()):
        if tuple(step) in seen:
            continue
        seen.add(tuple(step))
        total = totals[kind_of(output)]
        total[0] += 1
        total[1] += took / 60000
    print(f'{"":28}{"steps":>7}{"minutes":>9}')
    for kind, (count, minutes) in sorted(totals.items(), key=lambda item: -item[1][1]):
        print(f'{kind:28}{count:7}{minutes:9.1f}')
    print(f'{"all":28}{sum(t[0] for t in totals.values()):7}{sum(t[1] for t in totals.values()):9.1f}')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
