#!/usr/bin/env bash
# No committed file names a path of somebody's machine or the host of a package registry: the first is wrong elsewhere,
# and the second overrides the registry that a machine is set up to use.
# usage: check-hosts.sh [FOLDER]    FOLDER: another git checkout, for the test
set -euo pipefail
cd "${1:-.}"
paths='(^|[^A-Za-z0-9_.$}/-])/(root|work|home|Users|var/folders)/[A-Za-z0-9._-]'
hosts='(registry\.[a-z]+\.(org|com|io)|(deb|security|ftp[a-z.]*|snapshot)\.debian\.org|archive\.ubuntu\.com|pypi(\.python)?\.org'
hosts+='|pythonhosted\.org|crates\.io|proxy\.golang\.org|repo[0-9]?\.maven|rubygems\.org|(conda\.)?anaconda\.org'
hosts+='|download\.pytorch\.org|developer\.download\.nvidia\.com)'
code=0
found=$(git grep -nIE -e "$paths" -e "$hosts" -- . ':!cmake/checks/check-hosts*') || code=$?
[ "$code" -ne 1 ] || exit 0  # git grep's status for nothing found
cut -c1-160 <<<"$found" >&2
exit 1
