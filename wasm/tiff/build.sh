#!/bin/bash
# Builds tiff.wasm: libtiff's reading side with zlib and libjpeg-turbo's decoder (8 bits, with and without
# loss, C code), and our entry points.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

tiff=$(debian_source tiff 4.7.2-1 26ce045ca8ffdb562ff2978834f79f067a552e95276deba1dc686aaffd580ad3)
zlib=$(debian_source zlib '1:1.3.dfsg+really1.3.1-1' ede2791e29c1d3b422f9208bdd7edf040c20445ea1e7453a72037576e64fa197)
turbo=$(debian_source libjpeg-turbo 3.1.3-4 f1c5c6f2e2f379a51c91dc456690c278e80d15081ab619c2c89255100d0cf54d)
work=$(work_folder tiff)
size=-Os

compile "$work/zlib" "$zlib"/{adler32,inflate,inftrees,inffast,zutil,crc32}.c -- -Wno-everything

includes=(-I"$here/config" -I"$here/../jpeg/config" -I"$turbo/src" -I"$zlib")
defines=(-DSCALAR -DNO_GETENV -DNO_PUTENV -Wno-everything)
files=()
for name in jaricom jcomapi jdapimin jdarith jdhuff jdinput jdlhuff jdmarker jdmaster jdphuff jmemmgr jmemnobs; do
  files+=("$turbo/src/$name.c")
done
for name in jdapistd jdcoefct jdcolor jddctmgr jddiffct jdlossls jdmainct jdpostct jdsample jidctint jidctred jutils; do
  files+=("$turbo/src/wrapper/$name-8.c")
done
compile "$work/turbo" "${files[@]}" "$here/../jpeg/absent.c" -- "${includes[@]}" "${defines[@]}" $size

files=()
for name in aux close codec color compress dir dirinfo dirread dirwrite dumpmode error extension fax3 fax3sm flush \
    getimage hash_set jpeg luv lzw next ojpeg open packbits predict print read strip swab thunder tile version warning \
    write zip; do
  files+=("$tiff/libtiff/tif_$name.c")
done
includes+=(-I"$tiff/libtiff")
compile "$work/tiff" "${files[@]}" -- "${includes[@]}" -Wno-everything $size

compile "$work/absent" "$here/absent.c" -- "${includes[@]}" "${defines[@]}" $size

own_files=()
for file in "$here"/*.c; do if [ "$(basename "$file")" != absent.c ]; then own_files+=("$file"); fi; done
compile "$work/own" "${own_files[@]}" "$here/../heap.c" -- "${includes[@]}" -Wall -Wextra
link_module "$here/tiff.wasm" --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free \
  "$work"/*/*.o
count_work "$here/tiff.wasm"
