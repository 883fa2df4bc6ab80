#!/bin/bash
# Builds resvg.wasm: the renderer as its package on npm has it (MPL-2.0), made to count its work. Needs no compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

binary=$(npm_file @resvg/resvg-wasm 2.6.2 index_bg.wasm 22bf6e9f9a100d972da0411a69c5ba504367fc1fa87b3b64e3f35e53926d2d70)
cp "$binary" "$here/resvg.wasm"
chmod 644 "$here/resvg.wasm"
count_work "$here/resvg.wasm"
