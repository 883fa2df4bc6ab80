#!/bin/bash
# Builds faces.wasm: our own C only, with the weights that compile-network.ts took out of a file of MediaPipe.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
work=$(work_folder faces)
compile "$work" "$here"/*.c -- -Wall -Wextra -Werror -Wno-c23-extensions
link_module "$here/faces.wasm" "$work"/*.o
