#!/bin/bash
# Builds fuzz targets with sanitizers, out of the recipes of the modules: test/fuzz/native/build.sh MODULE...
# Results are kept beside the sources that the recipes fetch, until something changes that they are made of.
set -euo pipefail
native=$(cd "$(dirname "$0")" && pwd)
wasm=$(cd "$native/../../../wasm" && pwd)
export SANITIZED=${XDG_CACHE_HOME:-$HOME/.cache}/darkroom-wasm/sanitized BUILD_TARGET=$native/sanitized.sh
mkdir -p "$SANITIZED"

# The SHA-256 of what the files hold.
state_of() { sort -z | xargs -0 cat | sha256sum; }

# Whether a file was built in this state.
is_current() { [ -f "$1" ] && [ -f "$1.state" ] && [ "$(cat "$1.state")" = "$2" ]; }

# The object of a module, from its recipe. Modules share sources with effects, jpeg and jxl.
build_module() {
  local object=$SANITIZED/$1.o state
  state=$(find "$wasm"/*.{sh,c,h} "$wasm/$1" "$wasm"/{effects,jpeg,jxl} "$native"/{sanitized.sh,operators.cc,include} \
    -type f ! -name '*.wasm' ! -name '*.ts' -print0 | state_of)
  if is_current "$object" "$state"; then return; fi
  bash "$wasm/$1/build.sh" >&2
  echo "$state" > "$object.state"
}

# The object of a module whose templates have names of their own: others have them as well, libFuzzer among them, and the
# linker would take one of each. What the module allocates by those of others would not be counted.
apart() {
  {
    llvm-nm-19 --defined-only "$1" | awk '$(NF - 1) ~ /^[WVu]$/ { print $NF }'
    llvm-readelf-19 --section-groups "$1" | sed -n "s/^COMDAT group .*\[\([^]]*\)\] contains.*/\1/p"
  } | sort -u | awk '{ print $1, $1 ".module" }' > "$2.names"
  llvm-objcopy-19 --redefine-syms="$2.names" "$1" "$2"
  # What a recipe lets be absent has the address 0 here: a call of it is found.
  if [ "$3" = partial ]; then
    llvm-nm-19 --undefined-only --just-symbol-name "$2" > "$2.absent"
    llvm-objcopy-19 --weaken-symbols="$2.absent" "$2"
  fi
}

# The program: what lies around the module, linked with what of it is called.
build_target() {
  local target=$SANITIZED/$1-fuzz objects=() kind name state
  state=$(printf '%s\0' "$native"/{"$1",host}.cc "$native"/*.h "$native/build.sh" "$SANITIZED/$1.o.state" | state_of)
  if is_current "$target" "$state"; then return; fi
  for name in "$1" host; do
    objects+=("$SANITIZED/$1-$name-target.o")
    clang++-19 -std=c++17 -m32 -O1 -g1 -idirafter /usr/include/x86_64-linux-gnu -Wall -Wextra -fsanitize=address \
      -c "$native/$name.cc" -o "$SANITIZED/$1-$name-target.o"
  done
  kind=whole
  if grep -q -- --unresolved-symbols "$wasm/$1/build.sh"; then kind=partial; fi
  apart "$SANITIZED/$1.o" "$SANITIZED/$1-apart.o" $kind
  clang++-19 -m32 -fuse-ld=lld-19 -Wl,--gc-sections -fsanitize=address,undefined,fuzzer "${objects[@]}" \
    "$SANITIZED/$1-apart.o" -o "$target"
  echo "$state" > "$target.state"
}

for module in "$@"; do
  build_module "$module"
  build_target "$module"
done
