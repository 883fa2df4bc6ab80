#!/bin/bash
# Builds faces.wasm: our own C, and cascades out of the data of OpenCV as tables. Needs Node 24 beside the compilers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
data=$(debian_package opencv opencv-data 4.6.0+dfsg-12 0bcbc3f366eb0df45b350ba9974e499e1c4ed491f9ed1865c953097bcad60cd9)
xml=$data/usr/share/opencv4/haarcascades/haarcascade
work=$(work_folder faces)

node "$here/compile-cascades.ts" "$work/cascades.h" \
  frontal="${xml}_frontalface_alt.xml" frontal_trees="${xml}_frontalface_alt2.xml" profile="${xml}_profileface.xml"
compile "$work" "$here"/*.c -- -I"$work" -I"$here" -Wall -Wextra -Werror
link_module "$here/faces.wasm" "$work"/*.o
