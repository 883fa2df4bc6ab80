#!/bin/bash
# Builds pixels.wasm: our own C, and libdeflate's compressor with the changes of libdeflate.patch.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
work=$(work_folder pixels)
libdeflate=$(debian_source libdeflate 1.14-1 1f82791c5ac5623ed110e09cc991471deebfe4c419414392d1242e122c6f4c19)
cp -r "$libdeflate" "$work/libdeflate"
patch --quiet --directory "$work/libdeflate" --strip 1 < "$here/libdeflate.patch"
compile "$work" "$here"/*.c "$work/libdeflate/lib/utils.c" -- \
  -mrelaxed-simd -Wall -Wno-unused-function "-I$work/libdeflate" "-I$work/libdeflate/lib"
link_module "$here/pixels.wasm" "$work"/*.o
