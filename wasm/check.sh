#!/bin/bash
# Rebuilds modules from pinned sources in a scratch folder, and compares them with those that are committed:
# wasm/build.sh --check [module...] (all of them by default). Fails when one differs. What was unpacked before is not used;
# archives that were fetched before are, because their hashes are checked again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kept=${XDG_CACHE_HOME:-$HOME/.cache}/darkroom-wasm/archives

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/cache/darkroom-wasm/archives"
if [ -d "$kept" ]; then cp "$kept"/* "$scratch/cache/darkroom-wasm/archives"; fi
(cd "$here" && tar --create --exclude='*.wasm' .) | tar --extract --one-top-level="$scratch/wasm"
ln -s "$here/../node_modules" "$scratch/node_modules"
cp "$here/../package.json" "$scratch"

bash "$here/toolchain.sh" || echo "the same bytes are promised for these versions alone" >&2
if [ $# -gt 0 ]; then modules=("$@"); else modules=($(cd "$here" && ls -d */build.sh | xargs dirname)); fi
different=0
for module in "${modules[@]}"; do
  built=$scratch/wasm/$module/$module.wasm
  if ! XDG_CACHE_HOME=$scratch/cache bash "$scratch/wasm/$module/build.sh" > "$scratch/log" 2>&1; then
    tail -n 20 "$scratch/log" >&2
    echo "$module: cannot be built"
    different=1
  elif cmp --quiet "$built" "$here/$module/$module.wasm"; then
    echo "$module: same bytes"
  else
    echo "$module: differs, $(sha256sum < "$built" | cut -c1-12) in place of $(sha256sum < "$here/$module/$module.wasm" | cut -c1-12)"
    different=1
  fi
  rm -rf "$scratch/cache/darkroom-wasm/build"
done
exit $different
