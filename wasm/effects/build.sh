#!/bin/bash
# Builds effects.wasm: our own C only.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
work=$(work_folder effects)
compile "$work" "$here"/*.c -- -mrelaxed-simd -Wall -Wextra
link_module "$here/effects.wasm" "$work"/*.o
