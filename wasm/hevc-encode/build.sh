#!/bin/bash
# Builds hevc-encode.wasm: kvazaar as an encoder of still pictures, in one thread.
#   wasm/hevc-encode/build.sh               writes wasm/hevc-encode/hevc-encode.wasm
#   wasm/hevc-encode/build.sh scalar OUT    writes OUT without kvazaar's vector kernels, to compare with
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
variant=${1:-simd}
out=${2:-$here/hevc-encode.wasm}

kvazaar=$(debian_upstream kvazaar 2.3.2 tar.gz b95d2e20f2b0d8d7ed320055740be2e7a730abe28b153b5a788cfca371cc38b2)
work=$(work_folder "hevc-encode-$variant")
cp -r "$kvazaar/src" "$work/src"
patch --directory "$work" --strip 1 --quiet < "$here/kvazaar.patch"

flags=(-I"$here/config" -I"$work/src" -I"$work/src/strategies" -I"$work/src/extras" -D_WASI_EMULATED_SIGNAL
  '-DKVZ_VERSION=2.3.2' -DKVZ_DLL_EXPORTS -DPIC "-ffile-prefix-map=$work/=")
files=()
for file in "$work"/src/{,extras/,strategies/,strategies/{generic,sse2,sse41,avx2,altivec}/}*.c; do
  case $(basename "$file") in
    cli.c | encmain.c | yuv_io.c | getopt.c) ;;
    *) files+=("$file") ;;
  esac
done
# kvazaar has kernels for AVX2; SIMDe says them in WebAssembly's own SIMD instructions.
if [ "$variant" = simd ]; then
  simde=$(debian_package simde libsimde-dev '0.8.4~rc3-5' d98107f20743be02cdd8bc2ef98fae83eeb8682f3c1b43572781dc5f96a0c79a)
  mkdir "$work/avx"
  for name in mm xmm emm nmm imm; do echo '#include "avx.h"' > "$work/avx/${name}intrin.h"; done
  flags+=(-isystem "$work/avx" -isystem "$simde/usr/include" -DSIMDE_ENABLE_NATIVE_ALIASES -DX86_64
    -DCOMPILE_INTEL_SSE2=1 -DCOMPILE_INTEL_SSE41=1 -DCOMPILE_INTEL_AVX2=1)
else
  flags+=(-mno-simd128)
fi
compile "$work/kvazaar" "${files[@]}" -- "${flags[@]}" -Wno-everything
compile "$work/own" "$here/encode.c" "$here/../heap.c" -- "${flags[@]}" -Wall

# Kvazaar keeps what it tries for a block on the stack.
stack_bytes=2097152 link_module "$out" --max-memory=134217728 --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free "$work"/{kvazaar,own}/*.o
