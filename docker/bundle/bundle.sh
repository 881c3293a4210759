#!/usr/bin/env bash
# Packs what `cmake --install` ships, with every shared library it needs that a plain Linux lacks, into one file that
# can be unpacked in any folder. `./run bundle` builds first, then calls this script.
# usage: bundle.sh BUILD FILE.tar.zst [server|agent|demo|nvidia ...]    (.tar.xz and .tar.gz too; default: agent)
set -euo pipefail
build=${1:?"usage: bundle.sh BUILD FILE.tar.zst [server|agent|demo|nvidia ...]"}
file=${2:?"bundle: name the file to write: FILE.tar.zst, .tar.xz or .tar.gz"}
shift 2
[ $# -gt 0 ] || set -- agent
here=$(cd "$(dirname "$0")" && pwd)

fail() {
  echo "bundle: $2" >&2
  exit "$1"
}
case "$file" in
  *.tar.zst) compress="zstd -q -${DIOPI_BUNDLE_LEVEL:-19} -T0" ;;
  *.tar.xz) compress='xz -6 -T0' ;;
  *.tar.gz) compress='gzip -9' ;;
  *) fail 2 "$file: expected a name that ends in .tar.zst, .tar.xz or .tar.gz" ;;
esac
for component in "$@"; do
  case "$component" in
    server | agent | demo | nvidia) ;;
    *) fail 2 "unknown component '$component'; expected server, agent, demo or nvidia" ;;
  esac
done
for tool in patchelf objdump ldd "${compress%% *}"; do
  command -v "$tool" >/dev/null || fail 2 "no $tool on PATH (docker/packages.txt names its package)"
done
[ -r "$build/CMakeCache.txt" ] || fail 2 "$build is not a build folder; ./run bundle builds one"
case " $* " in
  *" nvidia "*)
    [ -e "$build/lib/libdiopi_cuda.so" ] ||
      fail 2 "component nvidia: no $build/lib/libdiopi_cuda.so; it is built where the CUDA toolkit 13 is installed"
    ;;
esac
folder=$(dirname "$file")
[ -w "$folder/." ] || fail 2 "$file: cannot write to the folder $folder"

work=$(mktemp -d "$folder/.bundle.XXXXXX")
trap 'rm -rf "$work"' EXIT
top=$work/diopi
for component in "$@"; do
  cmake --install "$build" --prefix "$top" --component "$component" --strip >"$work/install.log" 2>&1 || {
    tail -n 5 "$work/install.log" >&2
    fail 3 "cmake --install of component $component failed; is everything built (target diopi_shipped)?"
  }
done
rm -rf "${top:?}/var" # only for images
mkdir -p "$top/lib" "$top/share/licenses"

# Libraries that belong to the machine. Our worker loads the vendor's library, where two C or C++ runtimes would clash.
# NVIDIA's libraries are large, and come with the driver or the toolkit.
of_the_system() {
  case "$1" in
    linux-vdso.so.* | ld-linux-x86-64.so.* | libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.*) ;;
    libresolv.so.* | libutil.so.* | libgcc_s.so.* | libstdc++.so.*) ;;
    libcuda.so.* | libcudart.so.* | libcublas*.so.* | libcudnn*.so.* | libcusolver*.so.* | libcurand*.so.*) ;;
    libcusparse*.so.* | libcufft*.so.* | libnvrtc*.so.* | libnvJitLink*.so.* | libnvidia-*.so.*) ;;
    *) return 1 ;;
  esac
}

is_elf() { [ "$(head -c 4 "$1" | tail -c 3)" = ELF ]; }
ours=()
while IFS= read -r path; do
  ! is_elf "$path" || ours+=("$path")
done < <(find "$top" -type f)
[ ${#ours[@]} -gt 0 ] || fail 3 "nothing was installed from $build"

# ldd follows all dependencies: one call per file of ours is enough.
for path in "${ours[@]}"; do
  ldd "$path" | sed 's/ (0x[0-9a-f]*)$//' | while read -r name arrow found; do
    name=${name##*/}
    if of_the_system "$name" || [ -e "$top/lib/$name" ]; then continue; fi
    [ "$arrow $found" != "=> not found" ] || fail 3 "$path needs $name, which this machine does not have"
    install -m 644 "$(realpath "$found")" "$top/lib/$name"
    printf '%s\n' "$found" "$(realpath "$found")" >>"$work/copied" # dpkg knows one of the names
  done
done
{ sort -u "$work/copied" | xargs dpkg-query -S 2>/dev/null || true; } | sed 's/:.*//' | sort -u | while read -r package; do
  if [ -r "/usr/share/doc/$package/copyright" ]; then
    cp -L "/usr/share/doc/$package/copyright" "$top/share/licenses/$package"
  fi
done

# The files find each other wherever the folder lies. RUNPATH applies to each file alone: a DT_RPATH of the worker would
# also make a vendor's library load our copies. The NVIDIA reference searches the toolkit's folders, too.
elves=()
while IFS= read -r path; do
  is_elf "$path" || continue
  elves+=("$path")
  up=..
  case "${path#"$top"/}" in lib/*/*) up=../.. ;; esac
  folders="\$ORIGIN/$up/lib"
  [ "${path##*/}" != libdiopi_cuda.so ] || folders+=:/usr/local/cuda/lib64:/usr/local/cuda/targets/x86_64-linux/lib
  patchelf --set-rpath "$folders" "$path"
done < <(find "$top/bin" "$top/lib" -type f)

objdump -p "${elves[@]}" >"$work/headers"
newest() { # newest PREFIX: the highest version of that name that any file refers to
  sed -nE "s/^ +0x[0-9a-f]+ 0x[0-9a-f]+ [0-9]+ $1_([0-9.]+)\$/\\1/p" "$work/headers" | sort -uV | tail -n 1
}
{
  echo "machine x86-64"
  for name in GLIBC GLIBCXX CXXABI GCC; do
    version=$(newest "$name")
    [ -z "$version" ] || echo "${name}_$version"
  done
} >"$top/REQUIRES"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
requires=$(tail -n +2 "$top/REQUIRES" | paste -sd, | sed 's/,/, /g')
sed -e "s/@VERSION@/$version/" -e "s/@COMPONENTS@/$*/" -e "s/@REQUIRES@/$requires/" \
  "$here/README.in" >"$top/README"

tar --directory "$work" --sort=name ${SOURCE_DATE_EPOCH:+"--mtime=@$SOURCE_DATE_EPOCH"} --owner=0 --group=0 \
  --numeric-owner --use-compress-program "$compress" --create --file "$work/bundle" diopi
chmod 644 "$work/bundle"
mv -f "$work/bundle" "$file"
bytes=$(stat -c %s "$file")
echo "Needs: $(paste -sd' ' "$top/REQUIRES")"
printf 'Bundle %s: %s, %d.%d MiB (%d files in lib, %d MiB unpacked)\n' "$file" "$*" $((bytes >> 20)) \
  $(((bytes & 1048575) * 10 >> 20)) "$(find "$top/lib" -type f | wc -l)" "$(du -sm "$top" | cut -f1)"
