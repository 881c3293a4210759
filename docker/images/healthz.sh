#!/usr/bin/env bash
# Exit 0 when the server on this machine says that it serves: GET /healthz, over HTTPS where it has a certificate, else
# over HTTP. The certificate is not verified: it names the machine that others call, not 127.0.0.1.
# usage: healthz.sh PORT
set -euo pipefail
at=127.0.0.1:${1:?"usage: healthz.sh PORT"}/healthz
ask() { curl --fail --silent --max-time 1 --output /dev/null "$@"; }
ask --insecure "https://$at" || ask "http://$at" || exit 1  # an engine knows 0 and 1 only
