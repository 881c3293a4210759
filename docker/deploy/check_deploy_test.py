#!/usr/bin/python3
"""Puts mistakes into docker/deploy; check_deploy finds each.

usage: check_deploy_test.py BIN | check_deploy_test.py --schemas DIR
"""
import pathlib
import sys

import check_deploy

MISTAKES = [
    ('server.yaml', '--require-token', '--require-tokens', 'no flag --require-tokens'),
    ('server.yaml', 'containerPort: 7410', 'containerPort: 7400', '--listen is not port grpc'),
    ('server.yaml', 'path: /healthz, port: http,', 'path: /healthz, port: web,', 'asks port web'),
    ('server.yaml', 'selector: {app.kubernetes.io/name: diopi-server}', 'selector: {app: x}', 'the Service selects'),
    ('server.yaml', ', scheme: HTTPS', '', 'scheme HTTPS goes with'),
    ('server.yaml', 'serviceName: diopi-server', 'serviceName: diopi', 'serviceName'),
    ('server.yaml', 'replicas: 1', 'replicas: 2', 'replicas'),
    ('server.yaml', 'runAsNonRoot: true', 'runAsNonRoot: false', 'runs as root'),
    ('server.yaml', 'mountPath: /etc/diopi/tls', 'mountPath: /etc/tls', 'is in no volume'),
    ('server.yaml', '- metadata: {name: data}', '- metadata: {name: store}', 'volume data is not there'),
    ('server.yaml', 'image: diopi-server:0.1.0', 'image: diopi-serve:0.1.0', 'makes no such image'),
    ('server.yaml', 'image: diopi-server:0.1.0', 'image: diopi-server:0.2.0', 'the version is'),
    ('agents.yaml', '--shard-count=3', '--shard-count=4', 'completions: 3'),
    ('agents.yaml', '$(JOB_COMPLETION_INDEX)', '0', 'not the index'),
    ('agents.yaml', 'diopi-server:7410', 'diopi-server:7411', 'nothing serves'),
    ('agents.yaml', 'containerName: agent', 'containerName: agents', 'another container'),
    ('agents.yaml', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', 'read-only root'),
    ('compose.yaml', 'server:7410', 'server:7400', 'nothing serves'),
    ('compose.yaml', '127.0.0.1:7411:7411', '7411:7411', 'published beyond'),
    ('compose.yaml', '"cache:/var', '"cash:/var', 'no volume cash'),
    ('compose.yaml', 'read_only: true', 'read_only: false', 'read-only root'),
    ('compose.yaml', '--timeout-s', '--timeout', 'no flag --timeout'),
]
SCHEMA_MISTAKES = [
    ('server.yaml', 'replicas: 1', 'replicas: "one"', 'replicas'),
    ('server.yaml', 'replicas: 1', 'replica: 1', '"replica"'),
    ('server.yaml', 'periodSeconds: 2', 'periodSecond: 2', '"periodSecond"'),
    ('server.yaml', 'kind: StatefulSet', 'kind: StatefullSet', 'no kind StatefullSet'),
    ('agents.yaml', 'operator: In,', '', 'operator'),
    ('agents.yaml', 'completionMode: Indexed', 'completionMode: Indexd', 'Indexd'),
    ('compose.yaml', 'network_mode', 'network_modus', 'network_modus'),
    ('compose.yaml', 'read_only: true', 'read_only: 7', '7'),
]


def main(arguments):
    if arguments[0] == '--schemas':
        folder = pathlib.Path(arguments[1]).resolve()
        if not check_deploy.install(folder):
            print('check_deploy_test: skipped: node, npm or the packages are not available')
            return check_deploy.SKIPPED
        mistakes, check = SCHEMA_MISTAKES, lambda files: check_deploy.check_schemas(files, folder)
    else:
        known = check_deploy.known_flags(arguments[0])
        mistakes, check = MISTAKES, lambda files: check_deploy.consistency(files, known)
    missed = list(check(check_deploy.Files()))
    for name, old, new, expected in mistakes:
        found = list(check(check_deploy.Files((name, old, new))))
        if not any(expected in finding for finding in found):
            missed.append(f'{name}: {old} -> {new}: found {found}, expected one with {expected!r}')
    for what in missed:
        print(what, file=sys.stderr)
    print(f'check_deploy_test: {len(mistakes)} mistakes tried, {len(missed)} findings wrong')
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
