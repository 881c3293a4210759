#!/usr/bin/python3
"""Checks Dockerfiles by the main rules of hadolint, under its numbers, and by ours (DIOPI...).

usage: lint_dockerfiles.py DOCKERFILE...    exit status: 0 clean, 1 findings, 2 usage

DL3000 WORKDIR is absolute            DL3002 the last USER is not root        DL3003 WORKDIR instead of cd
DL3004 no sudo                        DL3006 base images have a tag           DL3007 ... and it is not latest
DL3009 no apt index is left           DL3011 ports are 0 to 65535             DL3012 at most one HEALTHCHECK
DL3020 COPY, not ADD                  DL3022 COPY --from names a stage        DL3023 ... and an earlier one
DL3024 stages' names are unique       DL3025 CMD, ENTRYPOINT in exec form     DL3027 apt-get, not apt
DL3045 no relative COPY before WORKDIR                                        DL3057 a HEALTHCHECK, or NONE
DL3061 FROM or ARG comes first        DL4000 no MAINTAINER                    DL4003 at most one CMD
DL4004 at most one ENTRYPOINT         DL4006 no pipe without pipefail
DIOPI1 RUN starts one of our scripts, in exec form: what an image does is what a laptop does
DIOPI2 no secret in ENV, ARG or COPY
DIOPI3 USER is a number: Kubernetes' runAsNonRoot can check no name
"""
import pathlib
import re
import sys

import dockerfile

OUR_SCRIPTS = re.compile(r'(^\./run$|/install-packages\.sh$)')
SECRET_NAME = re.compile(r'token|passw|secret|private|credential|_key$', re.I)
SECRET_FILE = re.compile(r'\.(pem|key|token)$|id_rsa|\.netrc', re.I)


def check_from(stage, names):
    if stage.base in names or stage.base == 'scratch':
        return
    tag = stage.base.rpartition('/')[2].partition(':')[2]
    if not tag and '@' not in stage.base:
        yield stage.line, 'DL3006', f'{stage.base}: give the base image a tag'
    if tag == 'latest':
        yield stage.line, 'DL3007', f'{stage.base}: latest changes under you'


def check_run(i):
    words = i.exec_form()
    if words is None or not words or not OUR_SCRIPTS.search(words[0]):
        yield i.line, 'DIOPI1', 'RUN starts something else than ./run or install-packages.sh, or not in exec form'
    elif words[0].endswith('install-packages.sh') and '--clean' not in words:
        yield i.line, 'DL3009', 'the package index stays in the layer: --clean'
    shell = i.rest() if words is None else ''
    if re.search(r'(^|[;&|]\s*)cd\s', shell):
        yield i.line, 'DL3003', 'cd: use WORKDIR'
    if re.search(r'\bsudo\b', i.text):
        yield i.line, 'DL3004', 'sudo'
    if re.search(r'\bapt-get\b.*\binstall\b', shell) and '/var/lib/apt/lists' not in shell:
        yield i.line, 'DL3009', 'the package index stays in the layer'
    if re.search(r'\bapt\s+(install|update)\b', shell):
        yield i.line, 'DL3027', 'apt is for people: apt-get'
    if re.search(r'[^|]\|[^|]', shell) and 'pipefail' not in shell:
        yield i.line, 'DL4006', 'a pipe without pipefail hides failures'


def check_copy(i, stage, earlier, has_workdir):
    source = i.flags().get('from')
    if source == stage.name:
        yield i.line, 'DL3023', f'--from={source} is this stage'
    elif source is not None and source not in earlier and ':' not in source:
        yield i.line, 'DL3022', f'--from={source}: no earlier stage has this name'
    words = i.exec_form() or i.rest().split()
    if words and not words[-1].startswith('/') and not has_workdir:
        yield i.line, 'DL3045', f'{words[-1]} is relative to no WORKDIR'
    for word in words[:-1]:
        if SECRET_FILE.search(word):
            yield i.line, 'DIOPI2', f'{word} looks like a secret'


def check_assignments(i):
    for name, _ in i.assignments():
        if SECRET_NAME.search(name):
            yield i.line, 'DIOPI2', f'{name}: whoever has the image can read it'


def check_plain(i):
    """What can be said of an instruction alone."""
    if i.word == 'MAINTAINER':
        yield i.line, 'DL4000', 'MAINTAINER is deprecated: LABEL'
    if i.word == 'ADD':
        yield i.line, 'DL3020', 'ADD: use COPY'
    if i.word == 'WORKDIR' and not i.text.startswith('/'):
        yield i.line, 'DL3000', f'WORKDIR {i.text} is not absolute'
    if i.word in ('CMD', 'ENTRYPOINT') and i.exec_form() is None:
        yield i.line, 'DL3025', f'{i.word} is not in exec form'
    if i.word == 'USER' and not re.fullmatch(r'\d+(:\d+)?', i.text):
        yield i.line, 'DIOPI3', f'USER {i.text} is not a number'
    if i.word == 'EXPOSE':
        for port in i.text.split():
            number = port.partition('/')[0]
            if not number.isdigit() or int(number) > 65535:
                yield i.line, 'DL3011', f'EXPOSE {port}'


def check_counts(stage, inherited):
    once = {'HEALTHCHECK': 'DL3012', 'CMD': 'DL4003', 'ENTRYPOINT': 'DL4004'}
    for word, rule in once.items():
        found = [i for i in stage.instructions if i.word == word]
        if len(found) > 1:
            yield found[1].line, rule, f'a second {word}'
    users = [i.text for i in stage.instructions if i.word == 'USER'] or inherited['user']
    if not users or users[-1].partition(':')[0] in ('root', '0'):
        yield stage.line, 'DL3002', f'stage {stage.name} runs as root'
    if not inherited['health'] and not any(i.word == 'HEALTHCHECK' for i in stage.instructions):
        yield stage.line, 'DL3057', f'stage {stage.name} has no HEALTHCHECK, and no HEALTHCHECK NONE'


def lint(text):
    """Yields (line, rule, what)."""
    try:
        stages = dockerfile.read_stages(text)
    except ValueError as error:
        yield 1, 'DL3061', str(error)
        return
    states = {}  # stage -> what those built on it inherit
    for stage in stages:
        yield from check_from(stage, states)
        if stage.name in states:
            yield stage.line, 'DL3024', f'a second stage {stage.name}'
        inherited = states.get(stage.base, {'user': [], 'health': False, 'workdir': False})
        has_workdir = inherited['workdir']
        for i in stage.instructions:
            yield from check_plain(i)
            if i.word == 'RUN':
                yield from check_run(i)
            elif i.word == 'COPY':
                yield from check_copy(i, stage, states, has_workdir)
            elif i.word in ('ENV', 'ARG'):
                yield from check_assignments(i)
            has_workdir = has_workdir or i.word == 'WORKDIR'
        yield from check_counts(stage, inherited)
        users = [i.text for i in stage.instructions if i.word == 'USER'] or inherited['user']
        health = inherited['health'] or any(i.word == 'HEALTHCHECK' for i in stage.instructions)
        states[stage.name] = {'user': users, 'health': health, 'workdir': has_workdir}


def main(paths):
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    findings = 0
    for path in paths:
        for line, rule, what in lint(pathlib.Path(path).read_text(encoding='utf-8')):
            print(f'{path}:{line}: {rule}: {what}', file=sys.stderr)
            findings += 1
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
