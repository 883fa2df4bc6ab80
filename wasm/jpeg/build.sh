#!/bin/bash
# Builds jpeg.wasm: libjpeg-turbo's decoder, jpegli's encoder front end, own kernels, coefficient store and entropy coder.
#   wasm/jpeg/build.sh                  writes wasm/jpeg/jpeg.wasm
#   wasm/jpeg/build.sh scalar OUT       writes OUT with libjpeg-turbo's C code in place of the kernels, to compare with
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
variant=${1:-simd}
out=${2:-$here/jpeg.wasm}

turbo=$(debian_source libjpeg-turbo 3.1.3-4 f1c5c6f2e2f379a51c91dc456690c278e80d15081ab619c2c89255100d0cf54d)
jxl=$(debian_source jpeg-xl 0.11.2-0.1~deb13u2 b978be4319975d73759f0737ba6935fad4f4330802835d6d9298a455c2581363)
highway=$(debian_source highway 1.2.0-2 dbb82d12fe7a8a7cae6970d5ccc74d0854ce405dfaab3a7f0d1345cfe351dcd4)
work=$(work_folder "jpeg-$variant")

includes=(-I"$here/config" -I"$here" -I"$turbo/src")
defines=(-DNO_GETENV -DNO_PUTENV -Wno-macro-redefined)
if [ "$variant" = scalar ]; then defines+=(-DSCALAR); fi

turbo_flags=("${includes[@]}" "${defines[@]}" -fno-vectorize -fno-slp-vectorize)
turbo_files=()
for name in jaricom jcomapi jdapimin jdarith jdinput jdlhuff jdmarker jdmaster jdtrans jmemmgr jmemnobs; do
  turbo_files+=("$turbo/src/$name.c")
done
for name in jdapistd jdcolor jddctmgr jddiffct jdlossls jdmainct jdpostct jdsample jidctint jidctred jutils; do
  turbo_files+=("$turbo/src/wrapper/$name-8.c" "$turbo/src/wrapper/$name-12.c")
done
compile "$work/turbo" "${turbo_files[@]}" -- "${turbo_flags[@]}"
# controller.c stands before these and takes their names.
compile "$work/turbo" "$turbo/src/wrapper/jdcoefct-8.c" "$turbo/src/wrapper/jdcoefct-12.c" -- "${turbo_flags[@]}" \
  -Djinit_d_coef_controller=turbo_d_coef_controller -Dj12init_d_coef_controller=turbo12_d_coef_controller

# sequential.c stands before this; the tables are shared, and the scalar build has no other decoder.
turbo_huffman=(); if [ "$variant" != scalar ]; then turbo_huffman=(-Djinit_huff_decoder=turbo_huff_decoder); fi
compile "$work/turbo" "$turbo/src/jdhuff.c" -- "${turbo_flags[@]}" "${turbo_huffman[@]}"

jpegli_files=()
for name in adaptive_quantization bit_writer bitstream color_transform common downsample encode encode_finish \
    encode_streaming entropy_coding error huffman memory_manager quant simd; do
  jpegli_files+=("$jxl/lib/jpegli/$name.cc")
done
includes+=(-isystem "$jxl" -isystem "$jxl/lib/include" -isystem "$highway")
compile "$work/jpegli" "${jpegli_files[@]}" "$highway/hwy/aligned_allocator.cc" "$highway/hwy/abort.cc" -- \
  "${includes[@]}" "${defines[@]}" -DHWY_COMPILE_ONLY_STATIC

own_files=("$here"/*.c "$here"/*.cc "$here"/../heap.c)
compile "$work/own" "${own_files[@]}" -- "${includes[@]}" "${defines[@]}" -mrelaxed-simd -Wall -Wextra

link_module "$out" --max-memory=134217728 --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free "$work"/turbo/*.o "$work"/own/*.o "$work"/jpegli/*.o
