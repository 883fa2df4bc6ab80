#!/bin/bash
# Builds jxl-decode.wasm: libjxl's decoder, and our entry points.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
source "$here/../jxl/source.sh"
work=$(work_folder jxl-decode)

patch_jxl "$work/source" "$here/libjxl.patch"
compile "$work/brotli" $(brotli_sources common dec) -- "${jxl_flags[@]}" -Wno-everything
# decode.cc of libjxl is part of ours.
files=$(jxl_sources JPEGXL_INTERNAL_DEC_SOURCES JPEGXL_INTERNAL_DEC_BOX_SOURCES JPEGXL_INTERNAL_DEC_JPEG_SOURCES |
  grep -v '/jxl/decode\.cc$')
compile "$work/jxl" $files "${highway_sources[@]}" -- "${jxl_flags[@]}" -Wno-everything
compile "$work/own" "$here"/*.cc "$here/../heap.c" -- "${jxl_flags[@]}" -I"$here/.." -Wall -Wno-unused-function

stack_bytes=524288 link_module "$here/jxl-decode.wasm" --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free "$work"/{brotli,jxl,own}/*.o
count_work "$here/jxl-decode.wasm"
