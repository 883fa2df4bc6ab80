#!/bin/bash
# Builds av1-decode.wasm: dav1d (8 to 12 bits) and our entry points.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

dav1d=$(debian_source dav1d 1.5.4-1 26d02dfc544581163d95b057d51df75f2d153d848edb3d881c0a560a571cb9e8)
work=$(work_folder av1-decode)
flags=(-I"$here" -I"$here/.." -I"$here/config" -I"$dav1d/include" -I"$dav1d/include/dav1d" -I"$dav1d" -Wno-everything)

# thread_task.c schedules threads, of which there are none.
# Frames are decoded in parts, so that their rows can wait until they are wanted.
cp "$dav1d/src/decode.c" "$work/decode.c"
patch --silent "$work/decode.c" "$here/dav1d.patch"
files=("$work/decode.c")
for name in cdf cpu ctx data dequant_tables getbits intra_edge itx_1d lf_mask lib log mem msac obu pal picture qm \
    ref refmvs scan tables warpmv wedge; do
  files+=("$dav1d/src/$name.c")
done
compile "$work/dav1d" "${files[@]}" -- "${flags[@]}"
for depth in 8 16; do
  compile "$work/dav1d-$depth" "$dav1d"/src/*_tmpl.c -- "${flags[@]}" -DBITDEPTH=$depth
done
compile "$work/own" "$here"/*.c "$here"/../{planes,heap}.c -- "${flags[@]}" -Wall -Wextra -Wno-strict-prototypes

stack_bytes=524288 link_module "$here/av1-decode.wasm" \
  --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free --wrap=dav1d_{recon_b_{intra,inter},filter_sbrow,apply_grain}_{8,16}bpc \
  "$work"/*/*.o
count_work "$here/av1-decode.wasm"
