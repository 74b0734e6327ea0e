#!/bin/sh
# Starts a node that joins the first one, whose Erlang cookie lies in /first.
set -eu
install -m 400 -o rabbitmq -g rabbitmq /first/.erlang.cookie /var/lib/rabbitmq/.erlang.cookie
exec docker-entrypoint.sh rabbitmq-server
