#!/bin/bash
# Builds quantize.wasm from our own source.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

objects=$(work_folder quantize)
compile "$objects" "$here"/*.c -- -Wall -Wextra -Werror
link_module "$here/quantize.wasm" "$objects"/*.o
