#!/usr/bin/env bash
# Measures how long it takes from a clone to the first real result: it clones this repository and does what the README says,
# which is `make demo`. Then it stops Roost and does the same again in that clone.
#
#   deploy/first-result.sh [FOLDER]   the clone is made in FOLDER [default: a temporary one, which is removed]
#
# ROOST_EMPTY_HOME=1 takes an empty HOME, so that crates, npm's packages and Debian's packages of the image are downloaded too.
# shellcheck disable=SC2317 # finish is called by a trap
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
exec </dev/null

folder=${1:-}
own_folder=''
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    own_folder=$folder
fi
clone=$folder/roost

finish() {
    local status=$?
    if [ -x "$clone/deploy/run.sh" ]; then (cd "$clone" && deploy/run.sh stop) || true; fi
    [ -z "$own_folder" ] || rm -rf "$own_folder"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

if [ -n "${ROOST_EMPTY_HOME:-}" ]; then
    # Rust itself is what a person has before they begin.
    export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
    mkdir -p "$folder/home"
    export HOME=$folder/home
    unset CARGO_HOME XDG_CACHE_HOME
fi
# What this shell says to Roost is not what a new shell says.
unset CARGO_TARGET_DIR ROOST_BIN_DIR

began=$(date +%s)
git clone -q "$ROOST_ROOT" "$clone"
cd "$clone"
make demo
cold=$(($(date +%s) - began))
deploy/run.sh stop
began=$(date +%s)
make demo
warm=$(($(date +%s) - began))

say "from the clone to an open pull request: $((cold / 60)) min $((cold % 60)) s"
say "again, from a stopped Roost: $((warm / 60)) min $((warm % 60)) s"
