#!/usr/bin/env bash
# Fails if a committed file names a path of somebody's machine or the host of a package registry: such a path is wrong
# elsewhere, and such a host overrides the registry that a machine is set up to use.
# usage: check-hosts.sh [FOLDER]    FOLDER: another git checkout, for the test
set -euo pipefail
cd "${1:-.}"
begin='(^|[^A-Za-z0-9_.$}/-])'
paths="$begin/(root|work|workspace|home|Users|var/folders|builds|mnt|nfs|scratch|__w)/[A-Za-z0-9._-]"
# A build folder, wherever it is.
paths+="|$begin/[A-Za-z0-9_./-]*/(cmake-)?build[A-Za-z0-9_-]*/(bin|lib|tests|tools|CMakeFiles|generated)/"
hosts='(registry\.[a-z]+\.(org|com|io)|(deb|security|ftp[a-z.]*|snapshot)\.debian\.org|archive\.ubuntu\.com|pypi(\.python)?\.org'
hosts+='|pythonhosted\.org|crates\.io|proxy\.golang\.org|repo[0-9]?\.maven|rubygems\.org|(conda\.)?anaconda\.org'
hosts+='|download\.pytorch\.org|developer\.download\.nvidia\.com)'
code=0
found=$(git grep -nIE -e "$paths" -e "$hosts" -- . ':!cmake/checks/check-hosts*') || code=$?
[ "$code" -ne 1 ] || exit 0  # git grep's status for nothing found
cut -c1-160 <<<"$found" >&2
exit 1
