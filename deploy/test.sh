#!/usr/bin/env bash
# `make test`: every test there is, with real counterparts: PostgreSQL, a container engine, a browser.
# Nothing is skipped: what cannot be had is a failure that says what is missing.
#
#   deploy/test.sh [nextest arguments]     for example: deploy/test.sh -E 'test(node)'
# shellcheck disable=SC2317 # functions are called by `step`
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
. "$ROOST_ROOT/deploy/postgres.sh"
cd "$ROOST_ROOT"
exec </dev/null
cargo=${CARGO:-cargo}

finish() {
    local status=$?
    pg_stop
    step_table
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# Each image is made, and its tools are tried in a container like that of a sandbox.
images() {
    local recipe
    # As `make run` builds it: what people download is built with more optimisation, which takes three times as long.
    export ROOST_GUEST_PROFILE=local
    deploy/agent-image/build.sh --profile tiny --check >/dev/null || return
    for recipe in base rust node python polyglot security runtime; do
        deploy/agent-image/build.sh --recipe "$recipe" --check >/dev/null || return
    done
}

# Bins as well, because the tests start them; with --tests so that features unify as they will for nextest. The programs that measure
# are built too, so that they still compile.
binaries() { "$cargo" build --locked --workspace --bins --tests --features roost-tests/figures; }

# The example that people copy must not contain a key that the gateway does not know.
example_configuration() { "${CARGO_TARGET_DIR:-target}/debug/roost" config --config deploy/config.example.toml >/dev/null; }

rust_tests() {
    "$cargo" nextest run --locked --workspace --features roost-tests/figures --profile ci "$@" 2>&1 | tee "$ROOST_STATE/log/nextest.log"
    return "${PIPESTATUS[0]}"
}

# Three minutes of changed frames towards the gateway's side of the machines' channel. ROOST_FUZZ_SECONDS says otherwise.
hostile_machine() { "$ROOST_TEST_BIN_DIR/fuzz_channel" "${ROOST_FUZZ_SECONDS:-180}"; }

# What the README says, in its order, in a Roost of its own: `make run`, the Owner's password, `make demo`, a restart,
# `make demo` again, each from the failing test to the pull request. Its images are there already.
demonstration() {
    local state=$ROOST_STATE/demonstration log=$ROOST_STATE/log/demonstration.log code=0
    rm -rf "$state" && mkdir -p "$state"
    ROOST_STATE=$state ROOST_BIN_DIR=$ROOST_TEST_BIN_DIR as_the_readme_says >"$log" 2>&1 || code=$?
    ROOST_STATE=$state deploy/run.sh stop >>"$log" 2>&1 || code=1
    # A machine keeps its sandboxes when Roost stops. Nobody comes back to these.
    docker ps -aq --filter "label=org.roost.owner=$(cat "$state/node/install-id")" | xargs -r docker rm -f >>"$log" 2>&1
    [ "$(grep -c 'tests fail now' "$log")" = 2 ] && [ "$(grep -c 'the pull request is open' "$log")" = 2 ] || code=1
    [ "$code" = 0 ] || tail -n 30 "$log"
    return "$code"
}

as_the_readme_says() {
    setsid deploy/run.sh </dev/null >"$ROOST_STATE/run.log" 2>&1 &
    local runner=$! login
    until grep -q 'Roost is running' "$ROOST_STATE/run.log"; do
        kill -0 "$runner" || { cat "$ROOST_STATE/run.log" && return 1; }
        sleep 0.5
    done
    login=$(cat "$ROOST_STATE/data/first-login")
    jq -n --arg login "$login" '{one_time: $login, name: "Ada", email: "ada@example.org", password: "correct horse battery"}' |
        curl -fsS -o /dev/null -H 'Content-Type: application/json' --data @- "$(cat "$ROOST_STATE/run/url")/api/setup" || return
    deploy/demo.sh && deploy/run.sh stop && deploy/demo.sh
}

doc_tests() { "$cargo" test --locked --workspace --features roost-tests/figures --doc --quiet; }

failed=0
step "set up" deploy/setup.sh test
step "web page and its tests" deploy/ui.sh test || failed=1
step "PDF renderer and its tests" deploy/pdf.sh test || failed=1
step "agent images" images
step "build" binaries
step "example configuration" example_configuration || failed=1
ROOST_TEST_BIN_DIR=${CARGO_TARGET_DIR:-$ROOST_ROOT/target}/debug
export ROOST_TEST_BIN_DIR ROOST_TEST_IMAGE=roost-agent:tiny ROOST_TEST_AGENT_IMAGE=roost-agent:rust
# With arguments somebody looks for one thing; the rest would only keep them waiting.
if [ $# = 0 ]; then step "journey in a browser" deploy/ui.sh journey || failed=1; fi
if [ $# = 0 ]; then step "demonstration" demonstration || failed=1; fi
step "PostgreSQL" pg_start
step "tests" rust_tests "$@" || failed=1
if [ $# = 0 ]; then step "hostile machine" hostile_machine || failed=1; fi
if [ $# = 0 ]; then step "doc tests" doc_tests || failed=1; fi
exit "$failed"
