#!/usr/bin/env bash
# Makes a bundle from a build and unpacks it in a root that has only glibc, libstdc++ and a shell.
# usage: bundle_test.sh BUILD
set -euo pipefail
build=$(realpath "${1:?"usage: bundle_test.sh BUILD"}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DIOPI_BUNDLE_LEVEL=1

# shellcheck source=docker/test_helpers.sh
. "$here/../test_helpers.sh"

# Another root needs root, or a user namespace.
own=(unshare --mount --pid --fork)
[ "$(id -u)" -eq 0 ] || own=(unshare --user --map-root-user --mount --pid --fork)
if ! "${own[@]}" chroot / true 2>/dev/null; then
  echo "bundle_test: skipped: no mount namespaces here"
  exit 77
fi

expect 2 "unknown component 'car'" "$here/bundle.sh" "$build" "$work/x.tar.zst" agent car
expect 2 "ends in .tar.zst" "$here/bundle.sh" "$build" "$work/x.zip"
expect 2 "cannot write to the folder" "$here/bundle.sh" "$build" "$work/none/x.tar.zst"
expect 2 "is not a build folder" "$here/bundle.sh" "$work" "$work/x.tar.zst"
components=(agent demo)
[ ! -e "$build/lib/libdiopi_cuda.so" ] || components+=(nvidia)
expect 0 "Needs: machine x86-64 GLIBC_2." "$here/bundle.sh" "$build" "$work/x.tar.zst" "${components[@]}"
# What Enterprise Linux 9 has: glibc 2.34, and the libstdc++ of GCC 11.
needs=$(sed -n 's/^Needs: machine x86-64 //p' "$work/out")
for need in $needs; do
  case "${need%_*}" in
    GLIBC) most=2.34 ;;
    GLIBCXX) most=3.4.29 ;;
    CXXABI) most=1.3.13 ;;
    GCC) most=11.0 ;;
    *) fail "it needs $need, which nobody knows" ;;
  esac
  [ "$(printf '%s\n' "${need##*_}" "$most" | sort -V | tail -n 1)" = "$most" ] || fail "it needs $need, more than $most"
done
[ "$(cd "$work" && echo .bundle.* x.*)" = ".bundle.* x.tar.zst" ] || fail "something was left beside the bundle"

root=$work/root
mkdir -p "$root"/{dev,opt/some/where,proc,tmp}
ldd "$build/bin/diopi-worker" /bin/sh | grep -oE '/[^ ]*/(ld-linux|libc|libm|libgcc_s|libstdc\+\+|libresolv)[-.][^ ]*' |
  sort -u | xargs cp -L --parents --target-directory "$root" # where its loader looks
cp -L --parents /lib/x86_64-linux-gnu/libresolv.so.2 /bin/sh "$root"
tar --extract --use-compress-program zstd --file "$work/x.tar.zst" --directory "$root/opt/some/where"
in_root() { # in_root SCRIPT: the shell has nothing but its own words there
  # shellcheck disable=SC2016  # the inner shell's own
  "${own[@]}" sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
    exec env -i PATH=/bin "$3" "$1" /bin/sh -c "cd /tmp; $2"' \
    sh "$root" "$1" "$(PATH=$PATH:/usr/sbin:/sbin command -v chroot)"
}
bin=/opt/some/where/diopi/bin
lib=/opt/some/where/diopi/lib

[ -e "$root/lib/x86_64-linux-gnu/libc.so.6" ] || fail "the root has no glibc"
[ ! -e "$root/lib/x86_64-linux-gnu/libprotobuf.so.32" ] || fail "the root has more than it should"
expect 0 "" in_root "$bin/diopi-cli --version"
# What comes with the programs: man pages, completion, and the headers that the C file of `repro` includes.
share=$root$bin/../share
expect 0 "" grep -F '.SS "diopi\-cli repro"' "$share/man/man1/diopi-cli.1"
expect 0 "" bash -n "$share/bash-completion/completions/diopi-agent"
expect 1 "Compile    cc -I ${bin%/bin}/include /tmp/repro.c" in_root \
  "$bin/diopi-cli repro add.float32.n17 --impl $lib/demo/libdiopi_faulty.so --output /tmp/repro.c"
expect 0 "" cc -I "$root${bin%/bin}/include" "$root/tmp/repro.c" -rdynamic -ldl -lm -o "$work/repro"
expect 0 "(100.00 %)" in_root "$bin/diopi-agent --impl $lib/libdiopi_cpu.so --fname add"
expect 1 "Outcomes     pass" in_root "$bin/diopi-agent --impl $lib/demo/libdiopi_faulty.so --fname add"
if [ -e "$root$lib/libdiopi_cuda.so" ]; then # the error names the first of the machine's libraries that is missing
  expect 2 "libcu" in_root "$bin/diopi-agent --impl $lib/libdiopi_cuda.so --fname add"
  grep -qE 'libcu(dnn|blasLt)\.so\.[0-9]+: cannot open shared object file' "$work/out" || fail "it is not named"
fi
if [ -e "$root$bin/diopi-nvidia-check" ]; then # needs more than a shell: the machine's own tools
  check=$root$bin/diopi-nvidia-check
  CUDA_VISIBLE_DEVICES='' expect 2 "nvidia-check: " "$check" --output "$work/results"
  [ ! -e "$work/results" ] || fail "results without a GPU"
  expect 0 "pack       passed" "$check" --output "$work/results" --impl "$root$lib/libdiopi_cpu.so" \
    --steps versions,core,pack --fname add
  mkdir "$work/points"
  expect 0 "" python3 "$root$bin/../share/diopi/baselines/timing/points.py" "$work/points"
  expect 0 "softmax.float32.model_" "$root$bin/diopi-cli" list cases --cases "$work/points" --case '*model_*'
fi
# The bundle fails without one of its libraries: none of this machine's helped.
mv "$root$lib/libhdf5_serial.so.103" "$work/"
expect 127 "libhdf5_serial.so.103: cannot open shared object file" in_root "$bin/diopi-cli --version"
echo "bundle_test: passed"
