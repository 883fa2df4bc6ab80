#!/bin/bash
# Builds gif.wasm from our own source.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

objects=$(work_folder gif)
compile "$objects" "$here"/*.c -- -Wall -Wextra -Werror
link_module "$here/gif.wasm" "$objects"/*.o
