#!/bin/sh
# Prints a Compose file that pins each image to the digest that its tag has now:
#   sh deploy/pin-images.sh >compose.pinned.yml
#   docker compose -f docker-compose.yml -f compose.pinned.yml up --build
set -eu
cd "$(dirname "$0")/.."
pinned() {
  printf '%s@%s' "$1" "$(docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}')"
}
node=$(pinned "$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile)")
echo 'services:'
for service in mysql rabbitmq redis; do
  image=$(sed -n "s/^    image: \($service:.*\)/\1/p" docker-compose.yml)
  printf '  %s: { image: "%s" }\n' "$service" "$(pinned "$image")"
done
for service in mysql-accounts rabbitmq-accounts migrate api worker; do
  printf '  %s: { build: { args: { NODE_IMAGE: "%s" } } }\n' "$service" "$node"
done
