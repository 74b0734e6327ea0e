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
service=
while IFS= read -r line; do
  case $line in
    '  '[a-z]*:*) service=${line%%:*} ;;
    '    image: '*:*)
      printf '%s: { image: "%s" }\n' "$service" "$(pinned "${line#*image: }")" ;;
  esac
done <docker-compose.yml
for service in mysql-accounts rabbitmq-accounts migrate api worker; do
  printf '  %s: { build: { args: { NODE_IMAGE: "%s" } } }\n' "$service" "$node"
done
