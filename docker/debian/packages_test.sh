#!/usr/bin/env bash
# Makes a release of a build twice, at the same time, checks what is in it, and installs, upgrades, removes and purges its
# packages in a copy-on-write view of this machine's root, which needs root.
# usage: packages_test.sh BUILD
set -euo pipefail
build=$(realpath "${1:?"usage: packages_test.sh BUILD"}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DIOPI_DEB_LEVEL=0 DIOPI_BUNDLE_LEVEL=1

# shellcheck source=docker/test_helpers.sh
. "$here/../test_helpers.sh"
if ! command -v dh >/dev/null; then
  echo "packages_test: skipped: no debhelper here"
  exit 77
fi

expect 2 "is not a build folder" "$here/packages.sh" "$work" "$work/x"
expect 2 "'1:0.2' is not a version" "$here/packages.sh" "$build" "$work/x" 1:0.2
expect 2 "cannot write to this folder" "$here/packages.sh" "$build" /proc/none
[ ! -e "$work/x" ] || fail "a folder was made for nothing"
export SOURCE_DATE_EPOCH=1767225600
"$here/packages.sh" "$build" "$work/b" 0.1.0~test >"$work/out-b" 2>&1 &
expect 0 "Packages 0.1.0~test in $work/a:" "$here/packages.sh" "$build" "$work/a" 0.1.0~test
wait "$!" || fail "the second release: $(tail -n 1 "$work/out-b")"
diff -r "$work/a" "$work/b" >"$work/out" || fail "the same build made two different releases"
[ "$(cd "$work/a" && find . -type f | sort | xargs)" = "./SHA256SUMS ./diopi-0.1.0~test.spdx.json $(
  )./diopi-0.1.0~test_x86_64.tar.zst ./diopi-agent_0.1.0~test_amd64.deb ./diopi-cli_0.1.0~test_amd64.deb $(
  )./diopi-common_0.1.0~test_amd64.deb ./diopi-server_0.1.0~test_amd64.deb" ] || fail "other files: $(ls -A "$work/a")"
(cd "$work/a" && sha256sum --quiet --check SHA256SUMS) || fail "wrong checksums"
[ "$(wc -l <"$work/a/SHA256SUMS")" -eq 6 ] || fail "SHA256SUMS does not name every file"
expect 0 "" /usr/bin/python3 "$here/sbom_test.py" "$work/a" "$build"

# What is in the packages.
for deb in "$work"/a/*.deb; do
  dpkg-deb --contents "$deb" | awk '$2 != "root/root" { exit 1 }' || fail "$deb: files that are not root's"
  dpkg-deb --contents "$deb" | awk '!/^d/ { print $6 }'
done >"$work/files"
[ -z "$(sort "$work/files" | uniq -d)" ] || fail "in two packages: $(sort "$work/files" | uniq -d)"
for file in ./usr/bin/diopi-{server,agent,cli} ./usr/lib/diopi/bin/diopi-{server,agent,cli,worker} ./etc/diopi/server.toml \
  ./lib/systemd/system/diopi-{server,agent@}.service ./usr/lib/diopi/lib/libdiopi_{cpu,tap}.so \
  ./usr/share/man/man1/diopi-{server,agent,cli}.1.gz ./usr/share/doc/diopi-common/README.md; do
  grep -qxF -- "$file" "$work/files" || fail "no package has $file"
done
! grep -F libdiopi_cuda "$work/files" || fail "libdiopi_cuda.so needs libraries that Debian does not have"
field() { dpkg-deb --field "$work/a/diopi-$1_0.1.0~test_amd64.deb" "$2"; }
[[ $(field agent Depends) == *"libgrpc++1.51 (>= "* ]] || fail "the agent's dependencies: $(field agent Depends)"
[[ $(field server Depends) == *"diopi-common (= 0.1.0~test)"*systemd* ]] || fail "the server's: $(field server Depends)"
for deb in "$work"/a/*.deb; do
  # Nothing but Debian's names: a soname without a package would have made dpkg-shlibdeps fail.
  ! dpkg-deb --field "$deb" Depends | grep -E 'libdiopi|cublas|cudnn' || fail "$deb depends on a library by name"
done

if [ "$(id -u)" -ne 0 ] || ! unshare --mount --pid --fork chroot / true 2>/dev/null; then
  echo "packages_test: passed, without the installation, which needs root"
  exit 0
fi
# The same packages with a higher version.
mkdir "$work/new"
for deb in "$work"/a/*.deb; do
  dpkg-deb --raw-extract "$deb" "$work/raw"
  sed -i 's/0\.1\.0~test/0.1.0/g' "$work/raw/DEBIAN/control"
  dpkg-deb -Znone --build "$work/raw" "$work/new/" >/dev/null
  rm -r "$work/raw"
done
# shellcheck disable=SC2016  # the inner shell's own
unshare --mount --pid --fork sh -euc '
  mount -t tmpfs -o size=1g tmpfs "$1/b"
  mkdir "$1/b/upper" "$1/b/work" "$1/b/root"
  mount -t overlay -o "lowerdir=/,upperdir=$1/b/upper,workdir=$1/b/work" overlay "$1/b/root"
  cd "$1/b/root"
  mount -t proc proc proc
  mount --rbind /dev dev
  mount -t tmpfs tmpfs run
  mount -t tmpfs tmpfs tmp
  cp -r "$1/a" "$1/new" "$2/packages_test_root.sh" tmp/
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 chroot . /tmp/packages_test_root.sh /tmp/a /tmp/new
' sh "$work" "$here" >"$work/out" 2>&1 || fail "in the root: $(tail -n 1 "$work/out")"
echo "packages_test: passed"
