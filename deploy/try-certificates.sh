#!/bin/sh
# Makes an authority and a certificate of the servers in docker-compose.yml, to try TLS with:
#   sh deploy/try-certificates.sh certificates
# In production take those of your own authority.
set -eu
folder=${1:?name a folder}
days=30
mkdir -p "$folder"
cd "$folder"
openssl req -x509 -newkey rsa:2048 -nodes -days $days -subj '/CN=Lendline trial authority' \
  -addext 'keyUsage=critical,keyCertSign' -keyout ca-key.pem -out ca.pem
openssl req -newkey rsa:2048 -nodes -subj '/CN=lendline-servers' -keyout server-key.pem -out server.csr
printf 'subjectAltName=DNS:mysql,DNS:rabbitmq,DNS:redis,DNS:localhost\n' >server.ext
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days $days \
  -extfile server.ext -out server.pem
# What signs certificates is not needed again, and must not lie beside them.
rm ca-key.pem server.csr server.ext
# The servers run as users of their own, which have to read the key.
chmod 644 server-key.pem
