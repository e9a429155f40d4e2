# shellcheck shell=bash
# Sourced: a private PostgreSQL for one run of the tests, gone when the script ends. Its own folder, a free port,
# no password, loopback only, and no care for the disk (a test's data need not survive a power cut) unless it is asked for.

pg_folder=''
pg_account=''

pg_bin() {
    local found
    found=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
    [ -n "$found" ] || found=$(dirname "$(type -P initdb)")
    printf '%s\n' "$found"
}

# PostgreSQL refuses to run as root.
pg_as() { if [ -n "$pg_account" ]; then runuser -u "$pg_account" -- "$@"; else "$@"; fi; }

pg_stop() {
    [ -n "$pg_folder" ] || return 0
    pg_as "$(pg_bin)/pg_ctl" -D "$pg_folder/data" -m immediate -s stop >/dev/null 2>&1 || true
    rm -rf "$pg_folder"
    pg_folder=''
}

# Where its folder goes. The tests make and drop hundreds of databases of a thousand files each, and a file system in memory does that
# with the least work. A machine with little memory uses its disk.
pg_place() {
    local free
    free=$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) }' /proc/meminfo)
    if [ -w /dev/shm ] && [ "$free" -ge 12 ] && [ "$(df --output=avail -BG /dev/shm | tr -dc 0-9)" -ge 8 ]; then
        printf '/dev/shm\n'
    else
        printf '%s\n' "${TMPDIR:-/tmp}"
    fi
}

# What a killed run left behind: its folder names the script that owned it.
pg_sweep() {
    local left owner
    for left in "${TMPDIR:-/tmp}"/roost-pg.* /dev/shm/roost-pg.*; do
        [ -r "$left/owner" ] || continue
        owner=$(cat "$left/owner")
        if [ -d "/proc/$owner" ] && grep -qa 'roost\|deploy/test.sh\|bash' "/proc/$owner/cmdline" 2>/dev/null; then continue; fi
        pg_folder=$left pg_stop
    done
    pg_folder=''
}

# Starts it and exports ROOST_TEST_POSTGRES_URL. The caller traps EXIT with pg_stop. With `durable` a commit is on the disk
# before it is answered, as PostgreSQL has it by itself: for figures.
pg_start() {
    local bin port try place care='-c fsync=off -c full_page_writes=off -c synchronous_commit=off'
    place=$(pg_place)
    if [ "${1:-}" = durable ]; then care='' place=${TMPDIR:-/tmp}; fi
    bin=$(pg_bin)
    if [ "$(id -u)" = 0 ]; then
        pg_account=postgres
        id postgres >/dev/null 2>&1 || pg_account=nobody
    fi
    pg_sweep
    pg_folder=$(mktemp -d "$place/roost-pg.XXXXXX")
    echo $$ >"$pg_folder/owner"
    chmod 0755 "$pg_folder"
    mkdir "$pg_folder/data"
    if [ -n "$pg_account" ]; then chown -R "$pg_account" "$pg_folder"; fi
    (cd / && pg_as "$bin/initdb" -D "$pg_folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync) >"$ROOST_STATE/log/postgres-initdb.log" 2>&1 ||
        { cat "$ROOST_STATE/log/postgres-initdb.log" >&2 && return 1; }
    for try in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 10000))
        if port_taken "$port"; then continue; fi
        if (cd / && pg_as "$bin/pg_ctl" -D "$pg_folder/data" -l "$pg_folder/log" -s -w -o "-p $port -k $pg_folder -c listen_addresses=127.0.0.1 $care -c max_connections=300" start) </dev/null >/dev/null; then
            export ROOST_TEST_POSTGRES_URL="postgres://postgres@127.0.0.1:$port/postgres"
            detail "PostgreSQL for the tests on port $port, its files in $place"
            return 0
        fi
        [ "$try" = 5 ] || sleep 1
    done
    cat "$pg_folder/log" >&2
    return 1
}
