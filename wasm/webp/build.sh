#!/bin/bash
# Builds webp.wasm: libwebp's decoder and encoder behind an interface of row bands.
#   wasm/webp/build.sh                  writes wasm/webp/webp.wasm
#   wasm/webp/build.sh scalar OUT       writes OUT without SIMD, to compare with: it gives the same bytes
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
variant=${1:-simd}
out=${2:-$here/webp.wasm}

webp=$(debian_source libwebp 1.6.0-0.1 d8ee6905fbb6c44be12c13f47e7c48eb42be557c7e05e7ed466fb550615bb26d)
work=$(work_folder "webp-$variant")

# libwebp has kernels for SSE2 and SSE4.1; Emscripten's headers say them in WebAssembly's own SIMD instructions.
flags=(-I"$webp" -I"$here" -I"$here/..")
if [ "$variant" = simd ]; then
  emscripten=$(debian_source emscripten '3.1.6~dfsg-5' ff6243076ae975467cc80640f6a441cc5a7402fcf6150d398247575e0213e32d)
  mkdir "$work/sse"
  cp "$emscripten"/system/include/compat/?mmintrin.h "$work/sse"
  flags+=(-isystem "$work/sse" -D__SSE__ -D__SSE2__ -D__SSE3__ -D__SSSE3__ -D__SSE4_1__)
else
  flags+=(-mno-simd128)
fi

# Eleven files are replaced by ours.
files=()
for file in "$webp"/src/{dec,dsp,enc,utils}/*.c "$webp"/sharpyuv/*.c; do
  case $(basename "$file") in
    vp8l_dec.c | vp8l_enc.c | histogram_enc.c | picture_csp_enc.c | alpha_enc.c | alpha_dec.c | quant_enc.c | cost_enc.c | analysis_enc.c | cpu.c | idec_dec.c) ;;
    *mips* | *_msa.c | *_neon.c | *_avx2.c) ;;
    *) files+=("$file") ;;
  esac
done
compile "$work/webp" "${files[@]}" -- "${flags[@]}"
compile "$work/own" "$here"/*.c "$here/../heap.c" -- "${flags[@]}" -Wall

link_module "$out" --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free \
  --wrap=VP8IteratorNext --wrap=WebPReportProgress "$work"/webp/*.o "$work"/own/*.o
count_work "$out"
