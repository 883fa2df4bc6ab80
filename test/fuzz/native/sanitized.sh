# Sourced by wasm/source.sh where BUILD_TARGET names this file: the recipes then build each module for this machine, with
# AddressSanitizer and UndefinedBehaviorSanitizer, into the one object file $SANITIZED/<module>.o. Nothing else of a
# recipe changes. It is built for 32 bits, because size_t and pointers of WebAssembly have 32: what overflows there
# overflows here, too.
#
# Needs Debian's llvm-19, libclang-rt-19-dev, libsimde-dev, libc6-dev-i386, lib32gcc-12-dev and lib32stdc++-12-dev.

native=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
recipes=$(cd "$native/../../../wasm" && pwd)

# Negative numbers may be shifted to the left: compilers agree on what that is, and C++20 says it.
native_flags=(
  -m32 -msse4.1 -O1 -g1 -fno-omit-frame-pointer -fno-strict-aliasing -ffunction-sections -fdata-sections -fvisibility=hidden
  "-isystem$native/include" -idirafter /usr/include/x86_64-linux-gnu -include stdint.h
  -Wno-unknown-attributes -Wno-ignored-attributes -Wno-macro-redefined
  -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize=shift-base -fno-sanitize-recover=all
)
wasm_flags=("${native_flags[@]}" -DNDEBUG)
# With assertions the library looks at indices, and strings are compiled with the module, so that what they allocate is
# counted.
cxx_flags=(-std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -D_GLIBCXX_ASSERTIONS)
libc_flags=()
# Zero may be added to null, which no compiler makes anything of.
own_flags=(-fno-sanitize=pointer-overflow)
# What libraries of others do and WebAssembly defines: loads from any address, shifts by any number, functions called
# through pointers of another type, conversions of numbers that do not fit.
foreign_flags=(-fno-sanitize=alignment,shift,function,pointer-overflow,null,nonnull-attribute,float-cast-overflow)
# The transforms of these wrap around on damaged samples.
case $(basename "$here") in
  jpeg | tiff | jpeg2000 | hevc-decode | av1-decode) foreign_flags[0]+=,signed-integer-overflow ;;
esac

work_folder() {
  rm -rf "$SANITIZED/build/$1"
  mkdir -p "$SANITIZED/build/$1"
  echo "$SANITIZED/build/$1"
}

# Prints those flags, one a line, that do not mean WebAssembly. Emscripten's headers give way to those of the processor.
# Threads that are none take, in C, the place of this machine's types, and give way to its own in C++.
flags_for_machine() {
  while [ $# -gt 0 ]; do
    case $1 in
      -isystem) if [[ $2 != */sse ]]; then printf '%s\n' "$1" "$2"; fi; shift ;;
      -D__SSE* | -D__SSSE3__ | -D__EMSCRIPTEN__ | -mrelaxed-simd | -mno-simd128 | -Werror | -O?) ;;
      -I*)
        if [ -f "${1#-I}/pthread.h" ]; then printf '%s\n' -D_BITS_PTHREADTYPES_COMMON_H -D__have_pthread_attr_t; fi
        if [ -f "${1#-I}/mutex" ]; then printf '%s\n' -idirafter "${1#-I}"; else echo "$1"; fi ;;
      *) echo "$1" ;;
    esac
    shift
  done
}

eval "$(declare -f compile | sed '1s/compile/compile_with/')"
compile() {
  local folder=$1 own=() foreign=() flags
  shift
  while [ "$1" != -- ]; do
    case $1 in "$recipes"/* | "$native"/*) own+=("$1") ;; *) foreign+=("$1") ;; esac
    shift
  done
  shift
  mapfile -t flags < <(flags_for_machine "$@")
  if [ ${#own[@]} -gt 0 ]; then compile_with "$folder" "${own[@]}" -- "${flags[@]}" "${own_flags[@]}"; fi
  if [ ${#foreign[@]} -gt 0 ]; then compile_with "$folder" "${foreign[@]}" -- "${flags[@]}" "${foreign_flags[@]}"; fi
}

# Only what was built for WebAssembly has operators to count.
count_work() { :; }

# The module's objects as one, in which allocation is ours to count and to refuse, also where the recipe does not ask.
link_module() {
  local out args=() counted=false sources=("$native/operators.cc") folder name
  out=$SANITIZED/$(basename "$1" .wasm).o
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      -z) shift ;;
      --max-memory=*) ;;
      --wrap=malloc) counted=true; args+=("$1") ;;
      *) args+=("$1") ;;
    esac
    shift
  done
  if [ $counted = false ]; then
    sources+=("$recipes/heap.c")
    args+=(--wrap=malloc --wrap=calloc --wrap=realloc --wrap=free)
  fi
  for name in strdup aligned_alloc _Znwj _Znaj _ZnwjRKSt9nothrow_t _ZdlPv _ZdaPv _ZdlPvj _ZdaPvj \
    pthread_mutex_lock pthread_mutex_unlock; do args+=("--wrap=$name"); done
  folder=$(work_folder "$(basename "$out" .o)-host")
  compile "$folder" "${sources[@]}" --
  ld.lld-19 -r -m elf_i386 "${args[@]}" "$folder"/*.o -o "$out"
}
