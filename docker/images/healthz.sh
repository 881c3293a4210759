#!/usr/bin/env bash
# Exit 0 when the server on this machine says that it serves: GET /healthz. Needs bash and nothing else.
# usage: healthz.sh PORT
set -euo pipefail
port=${1:?"usage: healthz.sh PORT"}
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3
read -r _ status _ <&3
[ "$status" = 200 ]
