# shellcheck shell=bash
# Sourced by the scripts beside it: where things are kept, how a script speaks, and what every one of them needs.
set -Eeuo pipefail
# A script that stops without a word is the worst kind: name the line.
trap 'printf "error: %s stopped at line %s\n" "${BASH_SOURCE[0]##*/}" "$LINENO" >&2' ERR

ROOST_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
# What belongs to this clone and may be deleted with it (data, logs, pid files).
ROOST_STATE=${ROOST_STATE:-$ROOST_ROOT/.roost}
# What is expensive to fetch and the same for every clone (Node, cargo tools, root file systems).
ROOST_CACHE=${ROOST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/roost}
# Not exported: the gateway takes ROOST_… in its environment for configuration.
export HOME
mkdir -p "$ROOST_STATE/log" "$ROOST_STATE/run" "$ROOST_CACHE"

# All of them, whether they exist yet or not: setup.sh makes some of them after the script that calls it has begun.
PATH=$ROOST_CACHE/node/bin:$ROOST_CACHE/bin:$ROOST_CACHE/cargo/bin:$HOME/.cargo/bin:$PATH:/usr/local/sbin:/usr/sbin:/sbin
export PATH

if [ -t 2 ]; then bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' plain=$'\e[0m'; else bold='' dim='' red='' plain=''; fi

# Progress goes to standard error; standard output is for what a caller may want to read.
say() { printf '%s==>%s %s\n' "$bold" "$plain" "$*" >&2; }
detail() { printf '    %s%s%s\n' "$dim" "$*" "$plain" >&2; }
warn() { printf '%snote:%s %s\n' "$bold" "$plain" "$*" >&2; }
die() {
    printf '%serror:%s %s\n' "$red" "$plain" "$*" >&2
    exit 1
}

# Is there a program of this name? (A function of the same name does not count.)
have() { type -P "$1" >/dev/null; }

# Is $1 (a version such as 20.19.2) at least $2?
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# Runs a command as root: directly, or by sudo where that is possible.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif have sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        sudo "$@"
    else
        warn "this needs root and sudo cannot ask for a password here. Run as root: $*"
        return 1
    fi
}

# Is $1 a live process, and the same one that wrote $2 (its start time, so that a reused pid is not mistaken for it)?
process_started() {
    local stat='' fields
    # A process that just ended has no answer, which is an answer.
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
    # The name in brackets may hold anything; the start time is the twentieth field after it.
    read -ra fields <<<"${stat##*) }"
    printf '%s\n' "${fields[19]}"
}
process_lives() { [ -n "$1" ] && [ -n "$2" ] && [ "$(process_started "$1")" = "$2" ]; }

# Writes "pid start-time" of process $2 to file $1, and the reverse: prints the pid when that process still lives.
pid_write() { printf '%s %s\n' "$2" "$(process_started "$2")" >"$1"; }
pid_read() {
    local pid started
    [ -r "$1" ] && read -r pid started <"$1" || return 1
    process_lives "$pid" "$started" && printf '%s\n' "$pid"
}

# Ends process $1 in order: TERM, then KILL after $2 seconds. Only ever a pid that one of our pid files proves ours.
stop_process() {
    local pid=$1 seconds=${2:-20} started waited=0
    started=$(process_started "$pid")
    kill -TERM "$pid" 2>/dev/null || return 0
    while process_lives "$pid" "$started"; do
        # The process has ended, and its parent has not waited for it yet.
        if grep -qs '^State:[[:space:]]*Z' "/proc/$pid/status"; then return 0; fi
        if [ "$waited" -ge $((seconds * 10)) ]; then
            warn "process $pid did not stop within $seconds s and was killed"
            kill -KILL "$pid" 2>/dev/null || true
            return 0
        fi
        sleep 0.1
        waited=$((waited + 1))
    done
}

# Does something listen on TCP port $1 of this machine's loopback?
port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# The processors of this machine since its start, in hundredths of a second: at work, and in all.
processors() {
    local user nice system idle waiting irq soft
    read -r _ user nice system idle waiting irq soft _ </proc/stat
    printf '%s %s\n' $((user + nice + system + irq + soft)) $((user + nice + system + irq + soft + idle + waiting))
}

# step NAME COMMAND...: runs it, says how long it took and how busy the processors were, and remembers both for step_table.
# Bash ignores `set -e` in a function whose status is looked at, so a function given here chains with && or returns.
steps=()
step() {
    local name=$1 began=$SECONDS status=0 word=ok busy_before all_before busy all
    shift
    say "$name"
    read -r busy_before all_before < <(processors)
    "$@" || status=$?
    read -r busy all < <(processors)
    [ "$status" = 0 ] || word=FAILED
    steps+=("$(printf '%-32s %4d:%02d %4d %% busy  %s' "$name" $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) \
        $((100 * (busy - busy_before) / (all > all_before ? all - all_before : 1))) "$word")")
    return "$status"
}
step_table() { printf '%s\n' "${steps[@]}" >&2; }
