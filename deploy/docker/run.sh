#!/bin/sh
# The entry of every image: run.sh [main|migrate|create-operator|dead-letters] [arguments]. ENV_FILE may hold variables, for stacks that make
# their secrets at the first start.
set -eu
if [ -n "${ENV_FILE:-}" ]; then
  set -a
  . "$ENV_FILE"
  set +a
fi
file=${1:-main}
[ $# -gt 0 ] && shift
exec node --enable-source-maps "dist/apps/$APP/src/$file.js" "$@"
