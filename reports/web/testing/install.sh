#!/usr/bin/env bash
# node_modules as package-lock.json says; nothing to do when they are.
set -euo pipefail
cd "$(dirname "$0")/.."
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund
