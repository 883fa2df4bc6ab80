# Sourced by the recipes of jxl-decode and jxl-encode, after ../source.sh: libjxl, what it is built with, and its flags.
#
#   jxl_sources LIST...         prints the C++ files of libjxl that its own lists (lib/jxl_lists.cmake) name so
#   brotli_sources FOLDER...    prints the C files of brotli's folders: common, dec, enc
#   patch_jxl FOLDER PATCH      makes a copy of libjxl's source in FOLDER, changed, the one that all else takes
#   $highway_sources            what libjxl calls of highway
#   $jxl_flags                  includes and definitions for all of them, and for code that calls them

jxl=$(debian_source jpeg-xl 0.11.2-0.1~deb13u2 b978be4319975d73759f0737ba6935fad4f4330802835d6d9298a455c2581363)
highway=$(debian_source highway 1.2.0-2 dbb82d12fe7a8a7cae6970d5ccc74d0854ce405dfaab3a7f0d1345cfe351dcd4)
brotli=$(debian_upstream brotli 1.2.0 tar.gz eb5f7dadf215d0670665fd81566e1fe2dfdc154d983f09142de7299df4c182e6)

jxl_sources() {
  local list
  for list in "$@"; do
    sed -n "/^set($list\$/,/^)/s|^ *\(.*\.cc\)\$|$jxl/lib/\1|p" "$jxl/lib/jxl_lists.cmake"
  done
}

patch_jxl() {
  mkdir -p "$1"
  cp -r "$jxl/lib" "$1/lib"
  patch --directory "$1" --strip 1 --quiet < "$2"
  jxl_flags=("${jxl_flags[@]/#-I$jxl/-I$1}" "-ffile-prefix-map=$1=")
  jxl=$1
}

brotli_sources() {
  local folder
  for folder in "$@"; do printf '%s\n' "$brotli/c/$folder"/*.c; done
}

highway_sources=("$highway/hwy/aligned_allocator.cc" "$highway/hwy/abort.cc")

# One target of highway: the instructions that the compiler is told of.
jxl_flags=(
  -I"$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/config" -I"$jxl" -I"$jxl/lib/include" -I"$highway" -I"$brotli/c/include"
  -DHWY_COMPILE_ONLY_STATIC -DJXL_INTERNAL_LIBRARY_BUILD -DJPEGXL_ENABLE_TRANSCODE_JPEG=1 -DJPEGXL_ENABLE_BOXES=1
  -DNO_GETENV -DNO_PUTENV -fmacro-prefix-map="$jxl"=
)
