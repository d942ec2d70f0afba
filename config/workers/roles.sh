#!/bin/sh
# Creates the roles and the database of `docker compose --profile workers`. `gleaner` owns the
# database and has no other rights on the server; `reader` may only read. PostgreSQL's image runs
# this script once, on an empty volume. docs/workers.md covers workers that must not create tables.
set -eu
secrets=${SECRETS:-/run/secrets}

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres \
    --set=gleaner="$(cat "$secrets/database_gleaner")" --set=reader="$(cat "$secrets/database_reader")" <<'SQL'
CREATE ROLE gleaner LOGIN PASSWORD :'gleaner';
CREATE ROLE reader LOGIN PASSWORD :'reader';
CREATE DATABASE news OWNER gleaner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE news FROM PUBLIC;
GRANT CONNECT ON DATABASE news TO reader;
\connect news
GRANT USAGE ON SCHEMA public TO reader;
GRANT CREATE, USAGE ON SCHEMA public TO gleaner;
ALTER DEFAULT PRIVILEGES FOR ROLE gleaner IN SCHEMA public GRANT SELECT ON TABLES TO reader;
SQL
