#!/bin/bash
# Builds hevc-decode.wasm: libde265 (LGPL-3.0-or-later) behind an interface of still pictures. It is a file of its own,
# so that it can be replaced by one made from other source: change what is fetched or compiled here and run it again.
#   wasm/hevc-decode/build.sh               writes wasm/hevc-decode/hevc-decode.wasm
#   wasm/hevc-decode/build.sh scalar OUT    writes OUT without libde265's SSE kernels, to compare with
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
variant=${1:-simd}
out=${2:-$here/hevc-decode.wasm}

de265=$(debian_upstream libde265 1.1.3 tar.gz 554228bd17788c99a7e63b37ab5634722190e6e2bf60c1dcb01cef328e133905)
work=$(work_folder "hevc-decode-$variant")
cp -r "$de265/libde265" "$work/libde265"
patch --directory "$work" --strip 1 --quiet < "$here/libde265.patch"

flags=(-I"$here/.." -I"$here/config" -I"$here/config/libde265" -I"$work" -I"$work/libde265" "-ffile-prefix-map=$work/=" -DHAVE_STDINT_H -DHAVE_STDBOOL_H
  -DHAVE_UNISTD_H -DHAVE_MALLOC_H -DHAVE_ALLOCA_H -D_WASI_EMULATED_SIGNAL '-Dmemalign(alignment,size)=malloc(size)')
files=()
for file in "$work"/libde265/*.cc; do
  case $(basename "$file") in
    quality.cc | visualize.cc | image-io.cc) ;;
    *) files+=("$file") ;;
  esac
done
# libde265 has kernels for SSE4.1; Emscripten's headers say them in WebAssembly's own SIMD instructions.
if [ "$variant" = simd ]; then
  emscripten=$(debian_source emscripten '3.1.6~dfsg-5' ff6243076ae975467cc80640f6a441cc5a7402fcf6150d398247575e0213e32d)
  mkdir "$work/sse"
  cp "$emscripten"/system/include/compat/?mmintrin.h "$work/sse"
  flags+=(-isystem "$work/sse" -D__EMSCRIPTEN__ -D__SSE__ -D__SSE2__ -D__SSE3__ -D__SSSE3__ -D__SSE4_1__ -DHAVE_SSE4_1=1)
  files+=("$work"/libde265/x86/sse*.cc)
fi
compile "$work/de265" "${files[@]}" -- "${flags[@]}" -Wno-everything
compile "$work/own" "$here/decode.cc" "$here/../planes.c" "$here/../heap.c" -- "${flags[@]}" -Wall

link_module "$out" --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free "$work"/{de265,own}/*.o
count_work "$out"
