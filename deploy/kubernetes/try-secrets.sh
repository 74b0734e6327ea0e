#!/bin/sh
# Prints the Secrets of the overlay "try", with passwords made at random:
#   kubectl create namespace lendline-try
#   sh deploy/kubernetes/try-secrets.sh | kubectl apply -f -
set -eu
random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }
root=$(random) migrate=$(random) worker=$(random) api=$(random)
admin=$(random) rabbit_worker=$(random) rabbit_api=$(random) monitor=$(random) redis=$(random)

secret() {
  printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: { name: %s, namespace: lendline-try }\nstringData:\n' "$1"
  shift
  for line; do printf '  %s: "%s"\n' "${line%%=*}" "${line#*=}"; done
}
database=@mysql:3306/lendline
secret lendline-servers "MYSQL_ROOT_PASSWORD=$root" "RABBITMQ_ADMIN_PASSWORD=$admin" \
  "REDIS_PASSWORD=$redis"
secret lendline-accounts "MYSQL_URL=mysql://root:$root$database" \
  "MYSQL_MIGRATE_PASSWORD=$migrate" "MYSQL_WORKER_PASSWORD=$worker" "MYSQL_API_PASSWORD=$api" \
  "RABBITMQ_MANAGEMENT_URL=http://admin:$admin@rabbitmq:15672" \
  "RABBITMQ_WORKER_PASSWORD=$rabbit_worker" "RABBITMQ_API_PASSWORD=$rabbit_api" \
  "RABBITMQ_MONITOR_PASSWORD=$monitor"
secret lendline-migrate "MYSQL_URL=mysql://lendline_migrate:$migrate$database"
secret lendline-worker "MYSQL_URL=mysql://lendline_worker:$worker$database" \
  "RABBITMQ_URL=amqp://lendline-worker:$rabbit_worker@rabbitmq:5672" \
  "REDIS_URL=redis://:$redis@redis:6379"
secret lendline-api "MYSQL_URL=mysql://lendline_api:$api$database" \
  "RABBITMQ_URL=amqp://lendline-api:$rabbit_api@rabbitmq:5672" \
  "REDIS_URL=redis://:$redis@redis:6379" "JWT_SECRET=$(random)$(random)" \
  "ADMIN_PASSWORD=$(random)"
