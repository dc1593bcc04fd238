#!/bin/sh
# Removes files that no program reads at run time from installed packages, and keeps licences: prune.sh <node_modules>
set -eu
find "$1" -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' -o -name '*.markdown' \) \
  ! -iname 'licen[cs]e*' ! -iname 'notice*' -delete
