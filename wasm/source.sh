# Sourced by the build recipes: third-party source (fetched, checked, unpacked outside the repository) and the compiler.
#
#   debian_source NAME VERSION SHA256   prints the folder of the patched Debian source; SHA256 is that of its .dsc file,
#                                       which in turn holds the SHA-256 of every archive of the package
#   debian_upstream NAME VERSION SUFFIX SHA256  prints the folder of the source as its authors released it, of which
#                                       Debian keeps the archive NAME_VERSION.orig.SUFFIX with this SHA-256
#   debian_package SOURCE NAME VERSION SHA256   prints the folder of an unpacked binary package for all architectures,
#                                       built from the package SOURCE: for data that needs no building
#   debian_packages FOLDER < LIST               unpacks binary packages into one folder; each line of the list has the
#                                       package, its source package, its version, its architecture and its SHA-256
#   compile FOLDER FILE... -- FLAG...   compiles C and C++ files into FOLDER/<name>.o, two at a time; fails if any fails
#   link_module OUT FLAG-OR-OBJECT...   links a stripped reactor module that exports memory, malloc, free,
#                                       __stack_pointer and whatever carries __attribute__((export_name));
#                                       $stack_bytes is the size of its stack, 128 KiB by default
#   count_work MODULE                   makes a built module count its work, and bounds its memory; needs Node 24.
#                                       What it was before is kept in the folder $UNCOUNTED, if that is set
#   work_folder NAME                    prints a fresh empty folder for the objects of module NAME

cache=${XDG_CACHE_HOME:-$HOME/.cache}/darkroom-wasm
wasm_prefix=${WASM_PREFIX:-/usr}

# The archive this machine's apt is set up with: the first one that is not a security archive.
debian_archive() {
  apt-get indextargets --format '$(SITE)' | grep '/debian$' | sort -u | head -n 1
}

# The state of Debian's archive that has all sources in the versions of the recipes: archives drop what is replaced.
# $DEBIAN_SNAPSHOTS is the address of an archive that keeps its states by date; without it there is the archive alone.
debian_snapshot=${DEBIAN_SNAPSHOTS:+$DEBIAN_SNAPSHOTS/20261128T000000Z}

debian_source() {
  local name=$1 version=$2 sha256=$3
  local target=$cache/$name-$version
  if [ -f "$target/.complete" ] && [ "$(cat "$target/.complete")" = "$sha256" ]; then
    echo "$target"
    return
  fi
  local pool
  pool=pool/main/$(pool_folder "$name")
  # The epoch of a version is not part of file names.
  local stem=${name}_${version#*:} archives=$cache/archives
  mkdir -p "$archives"
  fetch "$pool/$stem.dsc" "$archives/$stem.dsc" "$sha256"
  local hash size file
  while read -r hash size file; do
    fetch "$pool/$file" "$archives/$file" "$hash"
  done < <(sed -n '/^Checksums-Sha256:/,/^[^ ]/s/^ //p' "$archives/$stem.dsc")
  rm -rf "$target"
  dpkg-source --no-check --no-copy --extract "$archives/$stem.dsc" "$target" >&2
  echo "$sha256" > "$target/.complete"
  echo "$target"
}

debian_upstream() {
  local name=$1 version=$2 suffix=$3 sha256=$4
  local target=$cache/$name-$version file=${1}_$2.orig.$3
  if [ -f "$target/.complete" ] && [ "$(cat "$target/.complete")" = "$sha256" ]; then
    echo "$target"
    return
  fi
  mkdir -p "$cache/archives"
  fetch "pool/main/$(pool_folder "$name")/$file" "$cache/archives/$file" "$sha256"
  rm -rf "$target"
  mkdir -p "$target"
  tar --extract --strip-components=1 --directory "$target" --file "$cache/archives/$file"
  echo "$sha256" > "$target/.complete"
  echo "$target"
}

# Where the archive keeps a source package.
pool_folder() {
  case $1 in lib*) echo "${1:0:4}/$1" ;; *) echo "${1:0:1}/$1" ;; esac
}

debian_package() {
  local source=$1 name=$2 version=$3 sha256=$4
  local target=$cache/$name-$version file=${2}_${3#*:}_all.deb
  mkdir -p "$cache/archives"
  fetch "pool/main/${source:0:1}/$source/$file" "$cache/archives/$file" "$sha256"
  rm -rf "$target"
  dpkg-deb --extract "$cache/archives/$file" "$target" >&2
  echo "$target"
}

debian_packages() {
  local target=$1 list name source version architecture sha256
  list=$(cat)
  if [ -f "$target/.complete" ] && [ "$(cat "$target/.complete")" = "$list" ]; then return; fi
  rm -rf "$target"
  mkdir -p "$cache/archives"
  while IFS=';' read -r name source version architecture sha256; do
    local file=${name}_${version#*:}_$architecture.deb
    fetch "pool/main/$(pool_folder "$source")/$file" "$cache/archives/$file" "$sha256"
    dpkg-deb --extract "$cache/archives/$file" "$target" >&2
  done <<< "$list"
  echo "$list" > "$target/.complete"
}

# fetch PATH FILE SHA256: from the archive of this machine, or else from the snapshot
fetch() {
  if [ ! -f "$2" ]; then
    download "$(debian_archive)/$1" "$2.part" ||
      { [ -n "$debian_snapshot" ] && download "$debian_snapshot/$1" "$2.part"; }
    mv "$2.part" "$2"
  fi
  if [ "$(sha256sum < "$2" | cut -d' ' -f1)" != "$3" ]; then
    echo "$2 has another SHA-256 than $3" >&2
    rm -f "$2"
    return 1
  fi
}

download() {
  /usr/lib/apt/apt-helper -o APT::Sandbox::User=root -qq download-file "$1" "$2" >&2
}

work_folder() {
  rm -rf "$cache/build/$1"
  mkdir -p "$cache/build/$1"
  echo "$cache/build/$1"
}

# Debian's clang driver would run wasm-opt after linking, which loses names and breaks SIMD: only compile with it.
wasm_flags=(
  --target=wasm32-wasi "--sysroot=$wasm_prefix" -O3 -DNDEBUG
  -msimd128 -mnontrapping-fptoint -mbulk-memory -msign-ext
  -ffunction-sections -fdata-sections -fvisibility=hidden "-ffile-prefix-map=$cache/="
  "-ffile-prefix-map=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/="
)
cxx_flags=(
  -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -nostdinc++
  -isystem "$wasm_prefix/include/wasm32-wasi/c++/v1"
)
libc_flags=(-isystem "$wasm_prefix/include/wasm32-wasi")

compile() {
  local folder=$1 files=()
  shift
  while [ "$1" != -- ]; do files+=("$1"); shift; done
  shift
  mkdir -p "$folder"
  printf '%s\n' "${files[@]}" | folder=$folder xargs -P 2 -I{} bash -c '
    file=$1; shift
    out=$folder/$(basename "$file" | sed "s/\.[a-z]*$//").o
    if [ -e "$out" ]; then echo "two files are called $(basename "$file")" >&2; exit 255; fi
    case $file in
      *.c) clang-19 '"$(printf '%q ' "${wasm_flags[@]}" "${libc_flags[@]}")"' "$@" -c "$file" -o "$out" ;;
      *) clang++-19 '"$(printf '%q ' "${wasm_flags[@]}" "${cxx_flags[@]}" "${libc_flags[@]}")"' "$@" -c "$file" -o "$out" ;;
    esac || exit 255' bash {} "$@"
}

# Memory of a module: with more, the isolate has none for anything else.
max_memory_bytes=$((96 << 20))

count_work() {
  if [ -n "${UNCOUNTED:-}" ]; then cp "$1" "$UNCOUNTED"; fi
  node "$(dirname "${BASH_SOURCE[0]}")/fuel/instrument.ts" "$1" "$1" "$max_memory_bytes"
}

link_module() {
  local out=$1
  shift
  wasm-ld-19 "$wasm_prefix/lib/wasm32-wasi/crt1-reactor.o" --entry=_initialize "$@" \
    -L"$wasm_prefix/lib/wasm32-wasi" -lc++ -lc++abi -lc -lm \
    "$wasm_prefix/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a" \
    -z "stack-size=${stack_bytes:-131072}" --stack-first --gc-sections --strip-all \
    --export=__stack_pointer --export=malloc --export=free -o "$out"
}

# A script that builds for another target replaces what is above: test/fuzz/native/sanitized.sh.
if [ -n "${BUILD_TARGET:-}" ]; then source "$BUILD_TARGET"; fi
