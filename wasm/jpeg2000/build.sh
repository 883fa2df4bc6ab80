#!/bin/bash
# Builds jpeg2000.wasm: OpenJPEG's codestream decoder and encoder, without its files, boxes and threads.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

openjpeg=$(debian_source openjpeg2 2.5.4-1.1 39545c11967f2a4468105a4074fa93810a57a445fafcc0180aa123676194b7ab)
emscripten=$(debian_source emscripten '3.1.6~dfsg-5' ff6243076ae975467cc80640f6a441cc5a7402fcf6150d398247575e0213e32d)
work=$(work_folder jpeg2000)

# The wavelets and color transforms have kernels for SSE; Emscripten's headers say them in WebAssembly's own SIMD.
mkdir "$work/sse"
cp "$emscripten"/system/include/compat/?mmintrin.h "$work/sse"
flags=(-I"$here/config" -I"$openjpeg/src/lib/openjp2" -DOPJ_STATIC)
flags+=(-isystem "$work/sse" -D__SSE__ -D__SSE2__ -D__SSE3__ -D__SSSE3__ -D__SSE4_1__)

# OpenJPEG writes the coding style of the first component as that of every other, writes beyond its index of tile parts
# (its commit 91d08b11), and takes reserved markers in the header of a tile part for segments.
cp "$openjpeg/src/lib/openjp2/j2k.c" "$work/j2k.c"
patch --silent "$work/j2k.c" "$here/openjpeg.patch"

files=("$work/j2k.c")
for name in bio cio dwt event function_list ht_dec image invert mct mqc opj_malloc pi sparse_array t1 t2 tcd tgt \
    thread; do
  files+=("$openjpeg/src/lib/openjp2/$name.c")
done
compile "$work/openjpeg" "${files[@]}" -- "${flags[@]}" -Wno-everything
compile "$work/own" "$here"/*.c "$here/../heap.c" -- "${flags[@]}" -I"$here/.." -Wall -Wextra -Wno-unused-parameter
link_module "$here/jpeg2000.wasm" --max-memory=134217728 --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free \
  --wrap=opj_{tgt_reset,bio_init_dec,mqc_init_dec,mqc_raw_init_dec,mqc_flush,dwt_decode,dwt_decode_real,dwt_encode,dwt_encode_real} \
  "$work"/*/*.o
