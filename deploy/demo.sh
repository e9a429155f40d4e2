#!/usr/bin/env bash
# `make demo`: a team of agents mends a real failing test of a small real repository, in a sandbox on this machine. The
# scripted model speaks for the agents, so no key is needed; whether the tests pass is what cargo said in the sandbox.
# Uses the Roost that runs from this clone, or starts one and leaves it running.
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
cd "$ROOST_ROOT"

url_file=$ROOST_STATE/run/url
profile=${ROOST_PROFILE:-local}
roost=${ROOST_BIN_DIR:-${CARGO_TARGET_DIR:-$ROOST_ROOT/target}/$profile}/roost
export ROOST_CLIENT_CONFIG=$ROOST_STATE/client.toml
repository=${ROOST_DEMO_REPOSITORY:-$ROOST_ROOT/deploy/demo/repository}
goal=${ROOST_DEMO_GOAL:-"The tests fail. Find out why, mend the cause, and commit it."}

is_up() { [ -r "$url_file" ] && curl -fsS -o /dev/null --max-time 2 "$(cat "$url_file")/readyz" 2>/dev/null; }

# Starts Roost as `make run` does, in a session of its own, and waits until it has a page and a machine.
start() {
    local log=$ROOST_STATE/log/demo-run.log
    say "starting Roost (log: ${log#"$ROOST_ROOT"/}; the first build takes some minutes)"
    setsid deploy/run.sh </dev/null >"$log" 2>&1 &
    local runner=$!
    until is_up && grep -q 'Roost is running' "$log"; do
        if ! kill -0 "$runner" 2>/dev/null; then
            tail -n 15 "$log" >&2
            die "Roost did not start; its last words are above"
        fi
        sleep 0.5
    done
}

# The first agent's sandbox is the team's: the repository goes there, as a person would put it.
seed() { # AGENT_ID
    "$roost" sandbox provision "$1" >/dev/null
    tar -C "$repository" -c --exclude ./target . | "$roost" sandbox exec "$1" -- sh -c '
        set -e
        tar x --no-same-owner
        git init -q -b main
        git config user.name demonstration
        git config user.email demonstration@roost.invalid
        git add -A
        git commit -qm "The repository as it was found"'
}

deploy/engine.sh status >/dev/null 2>&1 || deploy/setup.sh run
is_up || start
url=$(cat "$url_file")
# The Owner may have changed the password meanwhile.
deploy/run.sh session
say "the agent image"
deploy/run.sh agent-image >&2
began=$SECONDS

say "a team from the template rust_sdlc"
team=$("$roost" team create "Demonstration $(date +%H:%M:%S)" --template rust_sdlc --model scripted --json)
team_id=$(jq -r .id <<<"$team")
bench=$(jq -r .workbench_agent_id <<<"$team")
say "its sandbox, with the repository in it"
seed "$bench"
if "$roost" sandbox exec "$bench" -- cargo test --offline >"$ROOST_STATE/log/demo-before.log" 2>&1; then
    die "the tests of the demonstration's repository pass before anybody mended anything; there is nothing to show"
fi
detail "$(grep -c 'FAILED$' "$ROOST_STATE/log/demo-before.log" || true) tests fail now"

say "the run; also to be seen at $url/teams/$team_id"
# 0: completed and accepted or undecided. 3: completed and rejected, so the goal was not met.
ended=0
"$roost" team run "$team_id" "$goal" || ended=$?

say "what the sandbox says now"
if "$roost" sandbox exec "$bench" -- cargo test --offline >"$ROOST_STATE/log/demo-after.log" 2>&1; then
    "$roost" sandbox exec "$bench" -- git log --oneline -n 3
    [ "$ended" = 0 ] || { warn "the tests pass, and the run says that its goal was not met"; exit "$ended"; }
    say "the run is accepted and the tests pass, after $((SECONDS - began)) s. Roost goes on at $url; stop it with: deploy/run.sh stop"
else
    grep -E '^test |^error' "$ROOST_STATE/log/demo-after.log" >&2 || true
    case $ended in
    3) warn "the run is rejected, and the tests still fail: the team did not mend them" ;;
    *) warn "the tests still fail: the team did not mend them, and the run did not say so (it ended with $ended)" ;;
    esac
    warn "all of the output: ${ROOST_STATE#"$ROOST_ROOT"/}/log/demo-after.log"
    [ "$ended" = 0 ] && ended=1
    exit "$ended"
fi
