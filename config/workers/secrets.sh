#!/bin/sh
# Writes random secrets for `docker compose --profile workers`. Existing files are kept.
# Only the folder is private: Docker mounts the files with their permissions, and containers
# with several users read them.
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
echo "secrets are in $PWD; Grafana's user is admin, and its password is in grafana_admin"
