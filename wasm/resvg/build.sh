#!/bin/bash
# Builds resvg.wasm: resvg with `resvg.patch`, and `src/lib.rs` that calls it. The crates (`crates.txt`) and the compiler
# (`compiler.txt`) are packages of Debian 13, unpacked outside the repository; the compiler runs on its own libraries.
# Needs Debian's lld-19. The result is the same to the byte on every run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

root=$cache/rust
# The renderer itself is one of the crates.
debian_package resvg librust-resvg-dev 0.45.1-1 1e9f8bfb907d2e693a307bc5a216e861407b0d53ce368b82689849b81866dd67 > /dev/null
debian_packages "$root" < <(
  sed '/^#/d; s/; /;/g' "$here/compiler.txt"
  sed '/^#/d; s/; /;/g' "$here/crates.txt" | cut -d';' -f5-
)

work=$(work_folder resvg)
registry=$root/usr/share/cargo/registry
cp -r "$registry/resvg-0.45.1" "$registry/usvg-0.45.1" "$registry/image-webp-0.2.0" "$work"
patch --quiet --strip=1 --directory="$work" < "$here/resvg.patch"

rustc() {
  local libraries=$root/usr/lib/x86_64-linux-gnu
  "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "$root/usr/bin/rustc" \
    --target wasm32-unknown-unknown --cap-lints allow -C panic=abort -C codegen-units=1 \
    -C target-feature=+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals \
    "--remap-path-prefix=$work=" "--remap-path-prefix=$registry=" "--remap-path-prefix=$here=" -L "$work" "$@"
}

# What draws and decodes is made fast, what reads documents small.
fast=" tiny_skia tiny_skia_path resvg zune_jpeg image_webp png miniz_oxide bytemuck arrayref arrayvec strict_num gif weezl rgb crc32fast "

while IFS=';' read -r name folder features needed _; do
  source=$registry/$folder
  if [ -d "$work/$folder" ]; then source=$work/$folder; fi
  edition=$(sed -n 's/^edition = "\(.*\)"$/\1/p' "$source/Cargo.toml" | head -n 1)
  level=s
  if [[ $fast == *" $name "* ]]; then level=3; fi
  options=(--crate-name "${name%1}" --edition "${edition:-2015}" --crate-type rlib -C "opt-level=$level" -C "metadata=$folder")
  if [ "$features" != - ]; then for feature in $features; do options+=(--cfg "feature=\"$feature\""); done; fi
  if [ "$needed" != - ]; then
    for crate in $needed; do options+=(--extern "${crate%=*}=$work/lib${crate#*=}.rlib"); done
  fi
  CARGO_PKG_NAME=${folder%-*} CARGO_PKG_VERSION=${folder##*-} rustc "${options[@]}" \
    -o "$work/lib$name.rlib" "$source/src/lib.rs"
done < <(sed '/^#/d; s/; /;/g' "$here/crates.txt")

rustc --crate-name renderer --edition 2021 --crate-type cdylib -C opt-level=3 -C lto=fat -C strip=symbols \
  --extern "resvg=$work/libresvg.rlib" -C linker=wasm-ld-19 -C linker-flavor=wasm-ld \
  -C link-arg=--export=__stack_pointer -C link-arg=-zstack-size=1048576 -C link-arg=--stack-first \
  -o "$here/resvg.wasm" "$here/src/lib.rs"
chmod 644 "$here/resvg.wasm"
count_work "$here/resvg.wasm"
