#!/bin/bash
# Builds hevc-encode.wasm: kvazaar as an encoder of still pictures, in one thread. Of its kernels the C ones are used, which
# the compiler turns into vectors: those for AVX2, by SIMDe, were no faster and a third larger.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
out=$here/hevc-encode.wasm

kvazaar=$(debian_upstream kvazaar 2.3.2 tar.gz b95d2e20f2b0d8d7ed320055740be2e7a730abe28b153b5a788cfca371cc38b2)
work=$(work_folder hevc-encode)
cp -r "$kvazaar/src" "$work/src"
patch --directory "$work" --strip 1 --quiet < "$here/kvazaar.patch"

flags=(-I"$here/.." -I"$here/config" -I"$work/src" -I"$work/src/strategies" -I"$work/src/extras" -D_WASI_EMULATED_SIGNAL
  '-DKVZ_VERSION=2.3.2' -DKVZ_DLL_EXPORTS -DPIC "-ffile-prefix-map=$work/=")
files=()
for file in "$work"/src/{,extras/,strategies/,strategies/{generic,sse2,sse41,avx2,altivec}/}*.c; do
  case $(basename "$file") in
    cli.c | encmain.c | yuv_io.c | getopt.c) ;;
    *) files+=("$file") ;;
  esac
done
compile "$work/kvazaar" "${files[@]}" -- "${flags[@]}" -Wno-everything
compile "$work/own" "$here"/*.c "$here/../heap.c" -- "${flags[@]}" -Wall

# Kvazaar keeps what it tries for a block on the stack.
stack_bytes=2097152 link_module "$out" --max-memory=134217728 --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free "$work"/{kvazaar,own}/*.o
