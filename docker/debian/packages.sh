#!/usr/bin/env bash
# Makes a release of a build: Debian packages of the server, the agent and the command line, the bundle for other systems,
# an SBOM and checksums. `./run packages` builds first, then calls this script. The same commit and build give the same
# bytes: every date is SOURCE_DATE_EPOCH, by default the last commit's.
# usage: packages.sh BUILD DIR [VERSION]    (default: the project's version)
set -euo pipefail
build=${1:?"usage: packages.sh BUILD DIR [VERSION]"}
out=${2:?"packages: name the folder to write the packages to"}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export DIOPI_DEB_LEVEL=${DIOPI_DEB_LEVEL:-6} # of xz

fail() {
  echo "packages: $2" >&2
  exit "$1"
}
for tool in dh dpkg-shlibdeps objdump; do
  command -v "$tool" >/dev/null || fail 2 "no $tool on PATH (docker/packages.txt names its package)"
done
[ -r "$build/CMakeCache.txt" ] || fail 2 "$build is not a build folder; ./run packages builds one"
version=${3:-$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")}
# Neither an epoch nor a Debian revision: file names contain the version.
[[ $version =~ ^[0-9][0-9A-Za-z.+~]*$ ]] || fail 2 "'$version' is not a version, such as 0.2.0 or 0.2.0~rc1"
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null) ||
    fail 2 "$root is not a git checkout: set SOURCE_DATE_EPOCH to the release's time"
fi
export SOURCE_DATE_EPOCH
mkdir -p "$out" 2>/dev/null || true
[ -w "$out/." ] || fail 2 "$out: cannot write to this folder"
work=$(mktemp -d "$out/.packages.XXXXXX")
trap 'rm -rf "$work"' EXIT
work=$(realpath "$work")
source=$work/source
release=$work/release
mkdir -p "$source" "$release"

# The source package that debhelper expects, with the installed build.
cp -r "$here/debian" "$source/debian"
cp "$here/README.md" "$source/"
for unit in diopi-server.service diopi-agent@.service; do
  sed 's,/usr/local/bin/,/usr/bin/,' "$root/docker/systemd/$unit" >"$source/debian/$unit"
done
maintainer=$(sed -n 's/^Maintainer: //p' "$source/debian/control")
printf '%s\n' "diopi-conformance ($version) bookworm; urgency=medium" "" "  * CHANGELOG.md in the sources has the changes." "" \
  " -- $maintainer  $(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" -R)" >"$source/debian/changelog"

# The programs find their libraries beside themselves, so they stay together in a folder of their own.
installed=$source/installed
prefix=$installed/usr/lib/diopi
for component in server agent; do
  cmake --install "$build" --prefix "$prefix" --component "$component" >"$work/log" 2>&1 || {
    tail -n 5 "$work/log" >&2
    fail 3 "cmake --install of component $component failed; is everything built (target diopi_shipped)?"
  }
done
mkdir -p "$prefix/share/diopi" # empty without the documentation's site
mv "$prefix/share" "$installed/usr/share"
rm -rf "${prefix:?}/var" "$prefix/lib/libdiopi_cuda.so" # for images; needs libraries of NVIDIA, which Debian lacks
find "$source" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
(cd "$source" && DEB_RULES_REQUIRES_ROOT=no debian/rules binary) >"$work/log" 2>&1 || {
  tail -n 20 "$work/log" >&2
  fail 3 "debhelper failed"
}
mv "$work"/*.deb "$release/"
"$root/docker/bundle/bundle.sh" "$build" "$release/diopi-${version}_x86_64.tar.zst" server agent

commit=$(git -C "$root" rev-parse HEAD 2>/dev/null || true)
/usr/bin/python3 "$here/sbom.py" "$release" "$version" "$commit" >"$release/diopi-$version.spdx.json" ||
  fail 3 "no SBOM"
(cd "$release" && sha256sum -- *) >"$work/SHA256SUMS"
mv -f "$release"/* "$work/SHA256SUMS" "$out/"
echo "Packages $version in $out:"
(cd "$out" && cut -c67- SHA256SUMS | xargs stat -c '%12s  %n')
