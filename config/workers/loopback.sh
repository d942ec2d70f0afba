#!/usr/bin/env bash
# Runs the services of docker-compose.yml on loopback, without containers: Debian's PostgreSQL, an
# S3 server, three workers that crawl generated newspapers, a status page, and Prometheus if it
# is installed. Waits until the crawl has ended, checks that every document is stored exactly
# once, and stops everything that it started.
#
#   bash config/workers/loopback.sh
#
# Takes about a minute. Environment:
#   GLEANER    path of a built gleaner; it is built if unset
#   EXAMPLES   folder of the testkit's built examples; they are built if unset
#   KEEP=1     keeps the status page running until Ctrl-C
#   LIMIT      seconds before the script gives up (300)
set -euo pipefail
cd "$(dirname "$0")/../.."
export NO_PROXY="127.0.0.1,localhost,::1"

limit=$((SECONDS + ${LIMIT:-300}))
lease=6s
folder=$(mktemp -d)
declare -A running=()

say() { printf '%s\n' "workers: $*"; }
fail() {
    say "FAILED: $*" >&2
    tail -n 15 "$folder"/*.log >&2 || true
    exit 1
}

cleanup() {
    trap - EXIT INT TERM
    for name in "${!running[@]}"; do kill -TERM "${running[$name]}" 2>/dev/null || true; done
    # Workers finish their requests in flight. After ten seconds they are killed.
    for _ in $(seq 50); do
        local alive=0
        for name in "${!running[@]}"; do kill -0 "${running[$name]}" 2>/dev/null && alive=1; done
        [ $alive = 0 ] && break
        sleep 0.2
    done
    for name in "${!running[@]}"; do kill -KILL "${running[$name]}" 2>/dev/null || true; done
    [ -d "$folder/database" ] && as_server pg_ctl stop --silent --mode=immediate -D "$folder/database" || true
    rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# Runs a command until it succeeds; fails after the limit, or if a process has ended.
until_it() {
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $limit ] || fail "$*: no success within the limit"
        for name in "${!running[@]}"; do
            kill -0 "${running[$name]}" 2>/dev/null || fail "$name has ended"
        done
        sleep 0.3
    done
}

# Starts a process; its output goes to files with its name.
start() {
    local name=$1
    shift
    "$@" >"$folder/$name.out" 2>"$folder/$name.log" &
    running[$name]=$!
}

# Whether a process has printed this many blocks, each followed by an empty line.
has_blocks() { [ "$(grep -c '^$' "$folder/$2.out")" -ge "$1" ]; }
block() { awk -v RS= -v number="$1" 'NR == number' "$folder/$2.out"; }
fetch() { python3 -c 'import sys, urllib.request as u; sys.stdout.write(u.build_opener(u.ProxyHandler({})).open(sys.argv[1], timeout=20).read().decode())' "$1"; }
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

programs=$(find /usr/lib/postgresql/*/bin -name initdb -printf '%h\n' 2>/dev/null | sort --version-sort | tail -n 1)
[ -n "$programs" ] || { say "skipped: PostgreSQL is not installed (apt-get install postgresql)"; exit 0; }
# PostgreSQL refuses root.
as_server() {
    local command=("$programs/$1" "${@:2}")
    if [ "$(id -u)" = 0 ]; then command=(setpriv --reuid=nobody --regid=nogroup --clear-groups "${command[@]}"); fi
    (cd / && "${command[@]}")
}

target=${CARGO_TARGET_DIR:-target}
if [ -z "${GLEANER:-}" ]; then
    cargo build --release --locked --quiet --package gleaner
    GLEANER=$target/release/gleaner
fi
if [ -z "${EXAMPLES:-}" ]; then
    # --workspace: with the same features as the tests, so that nothing is built twice.
    cargo build --locked --quiet --workspace --example s3_server --example newspaper
    EXAMPLES=$target/debug/examples
fi

say "PostgreSQL of $programs"
port=$(free_port)
chmod 0711 "$folder"
mkdir "$folder/database"
[ "$(id -u)" != 0 ] || chown nobody "$folder/database"
as_server initdb --auth=trust --username=gleaner --no-sync --encoding=UTF8 --locale=C -D "$folder/database" \
    >"$folder/initdb.log"
as_server pg_ctl start --wait --silent -D "$folder/database" -l "$folder/database/log" \
    -o "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -p $port" >>"$folder/initdb.log"
as_server createdb --host=127.0.0.1 --port="$port" --username=gleaner news

say "an S3 server, and newspapers"
start objects "$EXAMPLES/s3_server" "$folder/buckets" 127.0.0.1:0 corpus
start newspaper "$EXAMPLES/newspaper" 18 30
until_it has_blocks 1 objects
until_it has_blocks 3 newspaper
set -a
eval "$(block 1 objects)"
set +a
block 2 newspaper >"$folder/seeds.txt"
block 3 newspaper >"$folder/documents.txt"

places=("--store=postgres://gleaner@127.0.0.1:$port/news" "--objects=s3://corpus/news" "--set=workers.lease=$lease")
rules=("--set=fetch.proxy=$(block 1 newspaper)" --set=fetch.delay=200ms --set=fetch.contact=workers@gleaner.invalid
    --set=crawl.linger=5s "--seeds=$folder/seeds.txt")
workers() { "$GLEANER" workers "${places[@]}" "$@"; }
each_has_partitions() { [ "$(workers --json | grep -c '"partitions":[1-9]')" = 3 ]; }

say "three workers, a status page, Prometheus"
for number in 1 2 3; do
    start "worker-$number" "$GLEANER" crawl "${places[@]}" "${rules[@]}" --data="$folder/worker-$number" \
        --set=workers.name="worker-$number"
done
page=127.0.0.1:$(free_port)
until_it workers
start status "$GLEANER" serve "${places[@]}" --data="$folder/status" --address="$page"
ask() { fetch "http://$page$1"; }
until_it ask /healthz
if command -v prometheus >/dev/null; then
    mkdir "$folder/prometheus"
    cp config/workers/alerts.yml "$folder/prometheus/"
    sed -e "s/status:7700/$page/" -e 's/scrape_interval: .*/scrape_interval: 1s/' config/workers/prometheus.yml \
        >"$folder/prometheus/prometheus.yml"
    watch=127.0.0.1:$(free_port)
    start prometheus prometheus --config.file="$folder/prometheus/prometheus.yml" --web.listen-address="$watch" \
        --storage.tsdb.path="$folder/prometheus/data" --log.level=warn
else
    say "skipped: Prometheus is not installed (apt-get install prometheus)"
fi
until_it each_has_partitions
workers || true
page_shows() { ask /metrics | grep -q "$1"; }
until_it page_shows '^gleaner_workers{state="at_work"} [1-9]'
until_it page_shows '^gleaner_partitions_without_worker 0'
until_it page_shows '^gleaner_worker_partitions{worker="worker-3"} [1-9]'

say "waiting for the end of the crawl"
for number in 1 2 3; do
    name=worker-$number
    while kill -0 "${running[$name]}" 2>/dev/null; do
        [ $SECONDS -lt $limit ] || fail "the crawl did not end in time"
        sleep 0.3
    done
    wait "${running[$name]}" || fail "$name ended with $?"
    unset "running[$name]"
done

if [ -n "${watch:-}" ]; then
    say "checking that Prometheus saw three workers with partitions, and loaded the alert rules"
    saw() { fetch "http://$watch/api/v1/$1" | grep -q "$2"; }
    until_it saw 'query?query=count(max_over_time(gleaner_worker_partitions[5m])%3E0)' '"3"'
    until_it saw rules '"name":"PartitionsWithoutWorker".*"health":"ok"'
fi

say "checking that every document is stored once"
"$GLEANER" verify "${places[@]}"
"$GLEANER" stats "${places[@]}" >"$folder/stats.txt"
head -n 1 "$folder/stats.txt"
"$GLEANER" export "${places[@]}" --members >"$folder/corpus.jsonl"
awk '
    NR == FNR { match($0, /"url":"[^"]*"/); found[substr($0, RSTART + 7, RLENGTH - 8)]++; exported++; next }
    { count = 0; for (at = 1; at <= NF; at++) count += found[$at]; if (count != 1) { print "workers: " count " times: " $0; wrong = 1 } }
    END { if (exported != FNR) { print "workers: " exported " documents, not " FNR; wrong = 1 } exit wrong }
' "$folder/corpus.jsonl" "$folder/documents.txt" || fail "not every document is there once"
say "$(wc -l <"$folder/documents.txt") documents, each once"

if [ -n "${KEEP:-}" ]; then
    say "status page at http://$page/ until Ctrl-C"
    wait "${running[status]}" || true
fi
