#!/usr/bin/env bash
# Exits 0 if the server on this machine reports that it serves: GET /healthz, over HTTPS if it has a certificate, else
# over HTTP. The certificate is not verified, because it names the machine for others and not 127.0.0.1.
# usage: healthz.sh PORT
set -euo pipefail
at=127.0.0.1:${1:?"usage: healthz.sh PORT"}/healthz
ask() { curl --fail --silent --max-time 1 --output /dev/null "$@"; }
ask --insecure "https://$at" || ask "http://$at" || exit 1  # Docker accepts only 0 and 1
