#!/bin/bash
# Builds superres.wasm: our own C only, with the filters and the weights that the scripts here learned.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
work=$(work_folder superres)
compile "$work" "$here"/*.c "$here/../effects/stream.c" -- -Wall -Wextra -Wno-c23-extensions
link_module "$here/superres.wasm" "$work"/*.o
