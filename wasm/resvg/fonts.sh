#!/bin/bash
# Builds the fonts that texts are set in: Latin, Greek and Cyrillic letters of fonts under the SIL Open Font License.
# Needs fontTools 4.38.0 and its brotli, of Debian's python3-fonttools and python3-brotli. The result is the same to the
# byte on every run; where a letter, a feature or a version is changed here, run it and commit what it writes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"

version=$(/usr/bin/python3 -c 'import fontTools; print(fontTools.version)')
if [ "$version" != 4.38.0 ]; then
  echo "the fonts are made by fontTools 4.38.0, not $version" >&2
  exit 1
fi

letters=(
  # Latin: ASCII, Latin-1, Extended-A, Romanian, Vietnamese, Welsh, the capital sharp s, combining accents.
  U+0020-007E U+00A0-017F U+01A0-01A1 U+01AF-01B0 U+0192 U+0218-021B U+02C6-02C7 U+02D8-02DD U+1E80-1E85 U+1E9E
  U+1EA0-1EF9 U+0300-0304 U+0306-0309 U+030A-030C U+031B U+0323 U+0326-0328
  # Greek with one accent.
  U+0384-038A U+038C U+038E-03A1 U+03A3-03CE
  # Cyrillic: the Slavic languages, Kazakh, Kyrgyz, Tatar, Mongolian.
  U+0400-045F U+0490-0493 U+0496-0497 U+049A-049B U+04A2-04A3 U+04AE-04B3 U+04BA-04BB U+04D8-04D9 U+04E8-04E9
  # Punctuation, currencies, arrows, a little mathematics.
  U+2010-2015 U+2018-201E U+2020-2022 U+2026 U+2030 U+2032-2033 U+2039-203A U+2044 U+20AC U+20B4 U+20BA U+20BD U+2116
  U+2122 U+2190-2193 U+2212 U+221E U+2248 U+2260 U+2264-2265
)

# subset FONT NAME
subset() {
  local plain
  plain=$(mktemp)
  /usr/bin/python3 -m fontTools.subset "$1" --unicodes="${letters[*]}" --layout-features=kern,liga,ccmp,mark,locl --no-hinting --desubroutinize \
    --name-IDs=0,1,2,6,13,14 --notdef-outline --output-file="$plain"
  # Tables in their own form: nobody here can undo the transformation of outlines that WOFF 2.0 allows.
  /usr/bin/python3 - "$plain" "$here/fonts/$2.woff2" << 'END'
import sys
from fontTools.ttLib import TTFont
from fontTools.ttLib.woff2 import WOFF2FlavorData
font = TTFont(sys.argv[1], recalcTimestamp=False)
font.flavor = "woff2"
font.flavorData = WOFF2FlavorData(transformedTables=[])
font.save(sys.argv[2])
END
  rm "$plain"
  chmod 644 "$here/fonts/$2.woff2"
}

sans=$(debian_package fonts-inter fonts-inter 4.1+ds-1 a4dbb3dc2f8b012a881cd2be5b39e14b779a69dc9c1688eb15a8ea13f33fcb96)
serif=$(debian_package fonts-noto fonts-noto-core 20201225-2 97978d09b68445fcf85342b106cd2e812d7813e3d5626f9884a5f344c3a55973)
mono=$(debian_package fonts-noto fonts-noto-mono 20201225-2 7636f002caeb4a4082f69e2d9b8eb89da6c50b9c67f55db84e68638049b06006)

mkdir -p "$here/fonts"
subset "$sans/usr/share/fonts/opentype/inter/Inter-Regular.otf" sans
subset "$sans/usr/share/fonts/opentype/inter/Inter-Bold.otf" sans-bold
subset "$serif/usr/share/fonts/truetype/noto/NotoSerif-Regular.ttf" serif
subset "$serif/usr/share/fonts/truetype/noto/NotoSerif-Bold.ttf" serif-bold
subset "$mono/usr/share/fonts/truetype/noto/NotoSansMono-Regular.ttf" mono
subset "$mono/usr/share/fonts/truetype/noto/NotoSansMono-Bold.ttf" mono-bold
(cd "$here/fonts" && sha256sum ./*.woff2)
