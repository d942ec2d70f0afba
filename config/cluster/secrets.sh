#!/bin/sh
# Makes the secrets of `docker compose --profile cluster`, at random, once: what is there stays.
# The folder is closed to others. The files within are not, since Docker shows each to
# containers of several users as it lies here.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets
chmod 0700 secrets
cd secrets
umask 022

secret() {
    [ -s "$1" ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$1"
}

for name in database_postgres database_gleaner database_reader objects_access_key objects_secret_key \
    status_token grafana_admin; do
    secret "$name"
done
cat >objects_identities <<END
{"identities": [{
  "name": "gleaner",
  "credentials": [{"accessKey": "$(cat objects_access_key)", "secretKey": "$(cat objects_secret_key)"}],
  "actions": ["Read:corpus", "Write:corpus", "List:corpus", "Tagging:corpus"]
}]}
END
echo "secrets are in $PWD; Grafana's user is admin, its password in grafana_admin"
