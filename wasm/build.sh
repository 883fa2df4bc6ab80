#!/bin/bash
# Builds the native modules from source: wasm/build.sh [--check] [module...] (all of them by default). With --check nothing
# is changed: modules are built elsewhere and compared (check.sh).
# Needs Debian's clang-19, lld-19, llvm-19, wasi-libc, libclang-rt-19-dev-wasm32, libc++-19-dev-wasm32,
# libc++abi-19-dev-wasm32 and dpkg-dev; toolchain.txt has their full versions. The result is the same to the byte on every
# run; `wasm/README.md` holds its hash.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1:-}" = --check ]; then
  shift
  exec bash "$here/check.sh" "$@"
fi
bash "$here/toolchain.sh" || echo "modules may come out otherwise than those that are committed" >&2
if [ $# -gt 0 ]; then modules=("$@"); else modules=($(cd "$here" && ls -d */build.sh | xargs dirname)); fi
for module in "${modules[@]}"; do
  if [ ! -f "$here/$module/build.sh" ]; then
    echo "no native module is called $module" >&2
    exit 1
  fi
  bash "$here/$module/build.sh"
  sha256sum "$here/$module"/*.wasm | sed "s|$here/||"
done
