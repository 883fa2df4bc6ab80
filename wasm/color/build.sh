#!/bin/bash
# Builds color.wasm: Little CMS 2 (MIT, without its GPL plugins) and our entry points.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

lcms=$(debian_source lcms2 2.19.1-1 22be0c2cdbe149282730f7e20f68bf862668052e7ed8bfbdf1eff27144e29bc1)
objects=$(work_folder color)
sources=()
for name in alpha cam02 cnvrt err gamma gmt half intrp io0 io1 lut md5 mtrx named opt pack pcs plugin ps2 samp sm types virt wtpnt xform; do
  sources+=("$lcms/src/cms$name.c")
done
compile "$objects" "${sources[@]}" "$here"/*.c -- "-I$lcms/include" -DCMS_NO_PTHREADS -DCMS_NO_REGISTER_KEYWORD -Wno-everything
link_module "$here/color.wasm" "$objects"/*.o
