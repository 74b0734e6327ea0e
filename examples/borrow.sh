#!/bin/sh
# Borrows a title with curl. One key for all tries: however often it is sent, it is one borrow.
# Usage: TOKEN=... examples/borrow.sh BOOK_INFO_ID
set -eu
API_URL=${API_URL:-http://127.0.0.1:3000}
KEY=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

curl --silent --show-error --write-out '\n' \
  --retry 5 --retry-connrefused --retry-max-time 60 \
  --header "Authorization: Bearer $TOKEN" \
  --header "Idempotency-Key: $KEY" \
  --header 'Content-Type: application/json' \
  --data "{\"bookInfoId\":$1}" \
  "$API_URL/api/borrows"
