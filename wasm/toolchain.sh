#!/bin/bash
# Compares the installed compiler, linker and run time with those that the committed modules were built by: toolchain.txt has
# the full version of each package. Fails when one is missing or another version.
set -euo pipefail
status=0
while read -r package version; do
  installed=$(dpkg-query --show --showformat '${Version}' "$package" 2>/dev/null || true)
  if [ "$installed" = "$version" ]; then continue; fi
  echo "$package is ${installed:-not installed}, the modules were built by $version" >&2
  status=1
done < "$(dirname "$0")/toolchain.txt"
exit $status
