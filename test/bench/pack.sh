#!/bin/bash
# What the benches of the engine need to run on another Linux machine of the same processor family, as one archive:
#   test/bench/pack.sh darkroom-bench.tar.gz [photo.jpg ...]
# There: tar xzf darkroom-bench.tar.gz && cd darkroom-bench && ./bench png resize webp-decode webp-encode
set -euo pipefail
archive=$(realpath -m "$1")
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
there=$folder/darkroom-bench
mkdir -p "$there/node_modules/@img" "$there/photos"
cp -r "$root/src" "$root/wasm" "$root/package.json" "$there"
mkdir -p "$there/test"
cp -r "$root/test/bench" "$root/test/support" "$root/test/fixtures" "$there/test"
modules=$(realpath "$root/node_modules")
for name in sharp semver detect-libc @img/colour @img/sharp-linux-x64 @img/sharp-libvips-linux-x64 valibot @jsquash \
  @rgrove css-line-break; do
  mkdir -p "$(dirname "$there/node_modules/$name")"
  cp -rL "$modules/$name" "$there/node_modules/$name"
done
cp "$(realpath "$modules/.bin/node")" "$there/node"
strip "$there/node" 2> /dev/null || true
cp "$@" "$there/photos" 2> /dev/null || true
printf '#!/bin/sh\ncd "$(dirname "$0")" && exec ./node --expose-gc test/bench/run.ts "$@"\n' > "$there/bench"
chmod +x "$there/bench"
tar czf "$archive" -C "$folder" darkroom-bench
du -h "$archive"
