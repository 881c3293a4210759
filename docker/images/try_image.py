#!/usr/bin/python3
"""Carries out a Dockerfile without a Docker engine: each stage becomes a folder, used through chroot. As root.

  try_image.py build --work DIR [--given STAGE=FOLDER] [STAGE ...]
      Makes the stages named (default: all) and those they need, in DIR/stages. Base images come from debootstrap
      and are kept in DIR/base. --given takes FOLDER for a stage instead of carrying it out.
  try_image.py run --work DIR [--entrypoint PATH] [--read-only] [--volume FOLDER:PATH] [--user UID] [--health]
                   STAGE [ARGUMENT ...]
      Starts a stage as an engine would: ENTRYPOINT with CMD or the arguments, its ENV, USER and WORKDIR, alone in its
      PID namespace, without new privileges. --read-only: a root nothing can be written to, with a fresh /tmp.
      --health runs its HEALTHCHECK instead. SIGTERM and SIGINT are passed on; the exit status is the program's.

Not what an engine does: layers, a network namespace (the caller's is used), cgroups, seccomp, signatures of images.
"""
import argparse
import ctypes
import fnmatch
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import dockerfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / 'docker/images/Dockerfile'
MIRROR = [os.environ['DEBIAN_MIRROR']] if 'DEBIAN_MIRROR' in os.environ else []  # none: debootstrap's own
BASES = {'debian:12-slim': 'bookworm'}
CLONE_NEWNS, CLONE_NEWPID = 0x00020000, 0x20000000
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
LIBC = ctypes.CDLL(None, use_errno=True)


def say(text):
    print(f'try_image: {text}', file=sys.stderr, flush=True)


def fail(text):
    say(text)
    sys.exit(3)


# --- building


def context_files():
    """Files of the working tree that .dockerignore lets through: what COPY from the context can see."""
    rules = [line.strip() for line in (ROOT / '.dockerignore').read_text(encoding='utf-8').splitlines()]
    rules = [rule for rule in rules if rule and not rule.startswith('#')]
    listed = subprocess.run(['git', '-C', ROOT, 'ls-files', '-co', '--exclude-standard'], check=True,
                            capture_output=True, text=True).stdout.splitlines()
    return [path for path in listed if (ROOT / path).is_file() and not is_ignored(path, rules)]


def is_ignored(path, rules):
    """The last rule that matches the path or a folder above it decides."""
    parts = path.split('/')
    names = ['/'.join(parts[:n + 1]) for n in range(len(parts))]
    ignored = False
    for rule in rules:
        pattern = rule.lstrip('!')
        plain = pattern[3:] if pattern.startswith('**/') else None
        if any(fnmatch.fnmatch(p, plain) for p in parts) if plain else any(fnmatch.fnmatch(n, pattern) for n in names):
            ignored = not rule.startswith('!')
    return ignored


def base_folder(work, image):
    if image not in BASES:
        fail(f'no way to make the base image {image}; known: {", ".join(BASES)}')
    folder = work / 'base' / image.replace(':', '-')
    if not folder.is_dir():
        say(f'debootstrap {image}')
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = folder.with_suffix('.partial')
        shutil.rmtree(partial, ignore_errors=True)
        log = folder.with_suffix('.log')
        with open(log, 'w', encoding='utf-8') as out:
            done = subprocess.run(['debootstrap', '--variant=minbase', BASES[image], partial, *MIRROR],
                                  stdout=out, stderr=out, check=False)
        if done.returncode != 0:
            fail(f'debootstrap failed, see {log}')
        partial.rename(folder)
    return folder


def copy(instruction, root, config, sources):
    """COPY, for the forms that our Dockerfile uses."""
    flags = instruction.flags()
    *froms, to = instruction.exec_form() or instruction.rest().split()
    target = root / os.path.join(config['workdir'], to).lstrip('/')
    owner = flags.get('chown')
    made = []
    for source in froms:
        if 'from' in flags:
            found = sources[flags['from']] / source.lstrip('/')
            pairs = [(p, target / p.relative_to(found)) for p in found.rglob('*')] if found.is_dir() else \
                    [(found, target / found.name)]
            if not pairs:
                fail(f'line {instruction.line}: {source} is not in stage {flags["from"]}')
        else:
            tree = source.rstrip('/').removeprefix('./')
            files = [f for f in context_files() if tree in ('', '.') or f == tree or f.startswith(tree + '/')]
            if not files:
                fail(f'line {instruction.line}: {source} is not in the context (.dockerignore?)')
            pairs = [(ROOT / f, target / (os.path.basename(f) if f == tree else os.path.relpath(f, tree or '.')))
                     for f in files]
        made.append(target)
        for origin, place in pairs:
            if origin.is_dir():
                place.mkdir(parents=True, exist_ok=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(origin, place)
            made.append(place)
    if owner:
        uid, _, gid = owner.partition(':')
        for place in made:
            os.chown(place, int(uid), int(gid or uid))


def carry_out(stage, root, config, sources):
    for i in stage.instructions:
        say(f'{stage.name}: {i.word} {i.text[:100]}')
        if i.word == 'RUN':
            shutil.copy('/etc/resolv.conf', root / 'etc/resolv.conf')
            status = start(root, config, i.exec_form() or ['/bin/sh', '-c', i.text])
            if status != 0:
                fail(f'line {i.line}: RUN ended with exit status {status}')
        elif i.word == 'COPY':
            copy(i, root, config, sources)
        elif i.word == 'ENV':
            config['env'].update(i.assignments())
        elif i.word == 'WORKDIR':
            config['workdir'] = i.text
            (root / i.text.lstrip('/')).mkdir(parents=True, exist_ok=True)
        elif i.word == 'USER':
            config['user'] = i.text
        elif i.word in ('ENTRYPOINT', 'CMD'):
            config[i.word.lower()] = i.exec_form()
        elif i.word == 'HEALTHCHECK':
            config['health'] = None if i.text == 'NONE' else json.loads(i.text[i.text.index('['):])
        elif i.word not in ('EXPOSE', 'VOLUME', 'LABEL'):
            fail(f'line {i.line}: {i.word} is not known here')


def build(options):
    work = pathlib.Path(options.work).resolve()
    given = {name: pathlib.Path(folder).resolve() for name, _, folder in (g.partition('=') for g in options.given)}
    stages = {s.name: s for s in dockerfile.read_stages(DOCKERFILE.read_text(encoding='utf-8'))}
    done, configs = dict(given), {}

    def make(name):
        if name in done:
            return
        if name not in stages:
            fail(f'no stage {name}; there are {", ".join(stages)}')
        stage = stages[name]
        for i in stage.instructions:
            if i.word == 'COPY' and 'from' in i.flags():
                make(i.flags()['from'])
        if stage.base in stages:
            make(stage.base)
        origin = done.get(stage.base) or base_folder(work, stage.base)
        plain = {'env': {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin'}, 'workdir': '/', 'user': '0:0', 'entrypoint': [],
                 'cmd': [], 'health': None}
        config = json.loads(json.dumps(configs.get(stage.base, plain)))
        root = work / 'stages' / name
        shutil.rmtree(root, ignore_errors=True)
        root.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(['cp', '-a', '--reflink=auto', origin, root], check=True)
        (root / 'etc/hosts').write_text('127.0.0.1 localhost\n', encoding='utf-8')  # as an engine gives
        carry_out(stage, root, config, done)
        (work / 'stages' / f'{name}.json').write_text(json.dumps(config, indent=1), encoding='utf-8')
        done[name], configs[name] = root, config

    for name in options.stages or list(stages):
        make(name)
    return 0


# --- starting


def mount(*words):
    subprocess.run(['mount', *map(str, words)], check=True)


def set_up_mounts(root, read_only, volumes):
    """In a mount namespace of its own: what is done here ends with the process."""
    mount('--make-rprivate', '/')
    mount('--bind', root, root)
    if read_only:
        mount('-o', 'remount,bind,ro', root)
        mount('-t', 'tmpfs', 'tmpfs', root / 'tmp')
    mount('-t', 'proc', 'proc', root / 'proc')
    mount('-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', root / 'dev')
    for device in ('null', 'zero', 'full', 'random', 'urandom'):
        (root / 'dev' / device).touch()
        mount('--bind', f'/dev/{device}', root / 'dev' / device)
    os.symlink('/proc/self/fd', root / 'dev/fd')
    for folder, path in volumes:
        mount('--bind', folder, root / path.lstrip('/'))


def in_namespaces(root, config, command, read_only, volumes):
    set_up_mounts(root, read_only, volumes)
    os.chroot(root)
    uid, _, gid = config['user'].partition(':')
    os.setgroups([])
    os.setgid(int(gid or uid))
    os.setuid(int(uid))
    os.chdir(config['workdir'])
    LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvpe(command[0], command, config['env'])


def start(root, config, command, read_only=False, volumes=()):
    """Runs the command in the stage; its exit status."""
    forwarded = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, forwarded | {signal.SIGCHLD})
    outer = os.fork()
    if outer == 0:  # the namespaces are this child's, so that build can start many
        if LIBC.unshare(CLONE_NEWNS | CLONE_NEWPID) != 0:
            fail(f'unshare: {os.strerror(ctypes.get_errno())}; only root may')
        inner = os.fork()
        if inner == 0:
            try:
                in_namespaces(root, config, command, read_only, volumes)
            except (OSError, subprocess.CalledProcessError) as error:
                say(f'{command[0]}: {error}')
                os._exit(127)
        os._exit(wait_and_forward(inner, forwarded))
    return wait_and_forward(outer, forwarded)


def wait_and_forward(child, forwarded):
    while True:
        got = signal.sigwait(forwarded | {signal.SIGCHLD})
        if got != signal.SIGCHLD:
            os.kill(child, got)
            continue
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def run(options):
    root = pathlib.Path(options.work).resolve() / 'stages' / options.stage
    config = json.loads(root.with_name(root.name + '.json').read_text(encoding='utf-8'))
    if options.user:
        config['user'] = options.user
    command = config['entrypoint'] + (options.arguments or config['cmd'])
    if options.entrypoint:
        command = [options.entrypoint] + options.arguments
    if options.health:
        command = config['health'] or fail(f'stage {options.stage} has no HEALTHCHECK')
    volumes = [tuple(v.split(':')) for v in options.volume]
    return start(root, config, command, options.read_only, volumes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    building = commands.add_parser('build')
    building.add_argument('--work', required=True)
    building.add_argument('--given', action='append', default=[])
    building.add_argument('stages', nargs='*')
    running = commands.add_parser('run')
    running.add_argument('--work', required=True)
    running.add_argument('--entrypoint')
    running.add_argument('--read-only', action='store_true')
    running.add_argument('--volume', action='append', default=[])
    running.add_argument('--user')
    running.add_argument('--health', action='store_true')
    running.add_argument('stage')
    running.add_argument('arguments', nargs=argparse.REMAINDER)
    options = parser.parse_args()
    return build(options) if options.command == 'build' else run(options)


if __name__ == '__main__':
    sys.exit(main())
