#!/bin/bash
# Builds score.wasm from our own source.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

objects=$(work_folder score)
compile "$objects" "$here"/*.c -- -mrelaxed-simd -Wall -Wextra -Wno-unused-function -Werror
link_module "$here/score.wasm" "$objects"/*.o
