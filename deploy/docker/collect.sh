#!/bin/sh
# Copies the files that an app needs at run time, without its dependencies, into a folder: collect.sh <app> <folder>
set -eu
app=$1
out=$2
test -d "dist/apps/$app" || { echo "there is no app \"$app\" in the build" >&2; exit 2; }
mkdir -p "$out/dist/apps" "$out/deploy/docker" "$out/tools"
cp package.json "$out/"
cp -R dist/libs "$out/dist/libs"
if [ "$app" = standalone ]; then cp -R dist/apps/. "$out/dist/apps"; else cp -R "dist/apps/$app" "$out/dist/apps/$app"; fi
cp deploy/docker/run.mjs "$out/deploy/docker/"
# The gateway serves the dashboard and its own documentation, and its image also makes the secrets, roles and demo of docker compose.
if [ "$app" = gateway ] || [ "$app" = standalone ]; then
  [ "$app" = standalone ] || cp -R dist/apps/dashboard "$out/dist/apps/dashboard"
  mkdir -p "$out/docs/api"
  cp docs/guides.md docs/webhooks.md docs/simulator.md "$out/docs/"
  cp docs/api/postman-collection.json "$out/docs/api/"
  cp -R tools/start tools/access "$out/tools/"
  cp -R deploy/postgres deploy/redis "$out/deploy/"
fi
