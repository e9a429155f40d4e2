#!/usr/bin/env bash
# `make demo`: a team of agents mends a real failing test of a small real repository, in a sandbox on this machine, pushes
# its branch to a code host on this machine, and opens a pull request. A person approves both at the terminal. The scripted
# model speaks for the agents, so no key is needed; whether the tests pass is what cargo said in the sandbox.
# `make demo MISSION=1`: a mission of four phases on another small repository, see deploy/demo/mission.sh.
# Uses the Roost that runs from this clone, or starts one and leaves it running.
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
cd "$ROOST_ROOT"

url_file=$ROOST_STATE/run/url
profile=${ROOST_PROFILE:-local}
roost=${ROOST_BIN_DIR:-${CARGO_TARGET_DIR:-$ROOST_ROOT/target}/$profile}/roost
export ROOST_CLIENT_CONFIG=$ROOST_STATE/client.toml
case ${ROOST_DEMO_MISSION:-} in
'') name=demo/durations default=$ROOST_ROOT/deploy/demo/repository ;;
*) name=demo/tally default=$ROOST_ROOT/deploy/demo/tally ;;
esac
repository=${ROOST_DEMO_REPOSITORY:-$default}
goal=${ROOST_DEMO_GOAL:-"The tests fail. Find out why, mend the cause, and commit it."}
# The gateway takes ROOST_… in its environment for configuration.
unset ROOST_DEMO_MISSION ROOST_DEMO_REPOSITORY ROOST_DEMO_GOAL

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

# --- the code host: git's own HTTP server with a part of Forgejo's API, on loopback -----------------------------------

host=$ROOST_STATE/demo-host
host_pid_file=$ROOST_STATE/run/demo-host.pid
host_log=$ROOST_STATE/log/demo-host.log
bare=$host/repositories/$name.git

# The repository as it was found, on the host's main branch. Made once: agents push branches, and never to main.
host_repository() {
    [ -d "$bare" ] && return
    local work
    work=$(mktemp -d "$ROOST_STATE/run/demo.XXXXXX")
    tar -C "$repository" -c --exclude ./target . | tar -C "$work" -x
    git -C "$work" init -q -b main
    git -C "$work" add -A
    git -C "$work" -c user.name=demonstration -c user.email=demonstration@roost.invalid \
        commit -qm "The repository as it was found"
    mkdir -p "$(dirname "$bare")"
    git clone -q --bare "$work" "$bare"
    rm -rf "$work"
}

host_answers() { curl -sS -o /dev/null --max-time 2 "http://127.0.0.1:$1/" 2>/dev/null; }

# Starts the host unless it runs, and prints its address. It keeps its port, so that the connection in Roost stays good.
start_host() {
    mkdir -p "$host/repositories" "$ROOST_STATE/run" "$ROOST_STATE/log"
    host_repository
    if [ ! -s "$host/token" ]; then
        (umask 077 && head -c 32 /dev/urandom | sha256sum | cut -c1-40 >"$host/token")
    fi
    local port process
    port=$(cat "$host/port" 2>/dev/null || echo 7701)
    if ! pid_read "$host_pid_file" >/dev/null; then
        while port_taken "$port"; do port=$((port + 1)); done
        printf '%s\n' "$port" >"$host/port"
        setsid node deploy/demo/code-host.mjs --port "$port" --folder "$host/repositories" --token-file "$host/token" \
            </dev/null >"$host_log" 2>&1 &
        process=$!
        pid_write "$host_pid_file" "$process"
        until host_answers "$port"; do
            kill -0 "$process" 2>/dev/null || { tail -n 5 "$host_log" >&2 && die "the code host did not start"; }
            sleep 0.1
        done
    fi
    printf 'http://127.0.0.1:%s\n' "$port"
}

# Connects the host in Roost, or lets Roost look again at what the host has. A host at another port than last time is
# connected anew.
connect_host() { # ADDRESS
    local known
    known=$("$roost" repo hosts --json | jq -r --arg url "$1/" 'first((.items? // .)[] | select(.base_url == $url)) | .id')
    if [ -z "$known" ]; then
        "$roost" repo connect forgejo --url "$1" --label "Demonstration" <"$host/token" >&2
    elif [ -z "$(repository_id "$1")" ]; then
        "$roost" repo sync "$known" >&2
    fi
}

# The id of the repository on the host at this address.
repository_id() { # ADDRESS
    "$roost" repo list "$name" --json | jq -r --arg url "$1/$name.git" 'map(select(.clone_url == $url))[0].id // empty'
}

# Whether the tests pass before anybody has changed anything: they must not. Programs do not run in /tmp of a sandbox, so the
# copy is where TMPDIR points to.
tests_before() { # OWNER
    # shellcheck disable=SC2016 # The shell in the sandbox expands it.
    tar -C "$repository" -c --exclude ./target . | "$roost" sandbox exec "$1" -- sh -c '
        copy=$(mktemp -d) && cd "$copy" && tar x --no-same-owner && cargo test --offline
        code=$?
        rm -rf "$copy"
        exit "$code"'
}

deploy/engine.sh status >/dev/null 2>&1 || deploy/setup.sh run
is_up || start
url=$(cat "$url_file")
# The Owner may have changed the password meanwhile.
deploy/run.sh session
say "the agent image"
deploy/run.sh agent-image >&2
began=$SECONDS

say "a code host with the repository $name"
address=$(start_host)
connect_host "$address"
repo_id=$(repository_id "$address")
[ -n "$repo_id" ] || die "Roost does not list $name; see: roost repo hosts"
detail "$address/$name.git"

# The machine says every few seconds which images it has; a team is refused until it has said that the image is there.
nothing_lacks() {
    "$roost" template list --json |
        jq -e '[(.items? // .)[] | select(.key == "rust_sdlc" or .key == "codebase_research") | .image.lacks[]] == []' >/dev/null
}
for _ in $(seq 60); do
    if nothing_lacks; then break; fi
    sleep 1
done

if [ "$name" = demo/tally ]; then
    # `make run` builds it in the background. The mission would be over first, and its report could not be typeset.
    if ! [ -x "$(dirname "$roost")/roost-pdf" ]; then
        say "the program that makes PDF files (some minutes, once)"
        deploy/run.sh pdf-renderer >&2
        [ -x "$(dirname "$roost")/roost-pdf" ] || die "the program that makes PDF files could not be built; the reason is above"
    fi
    began=$SECONDS
    machine=$(jq -r .node_id "$ROOST_STATE/node/node.json")
    ROOST=$roost ROOST_DEMO_PAGE=$url deploy/demo/mission.sh "$repo_id" "$ROOST_STATE/demo-mission/$(date +%Y%m%d-%H%M%S)" "$machine" || exit
    say "the mission is complete after $((SECONDS - began)) s"
    detail "Roost goes on at $url, and the code host at $address; stop both with: deploy/run.sh stop"
    exit
fi

say "a team from the template rust_sdlc"
team=$("$roost" team create "Demonstration $(date +%H:%M:%S)" --template rust_sdlc --model scripted \
    --bundle sandbox --bundle repo --bundle skills --bundle door --json)
team_id=$(jq -r .id <<<"$team")
bench="team:$team_id"
say "its sandbox"
"$roost" sandbox provision "$bench" >/dev/null
if tests_before "$bench" >"$ROOST_STATE/log/demo-before.log" 2>&1; then
    die "the tests of the demonstration's repository pass before anybody mended anything; there is nothing to show"
fi
failing=$(grep -c 'FAILED$' "$ROOST_STATE/log/demo-before.log" || true)
[ "$failing" -gt 0 ] || {
    tail -n 8 "$ROOST_STATE/log/demo-before.log" >&2
    die "the tests of the demonstration's repository could not be run; the reason is above"
}
detail "$failing tests fail now"

say "the run; also to be seen at $url/teams/$team_id"
# Without a terminal nobody can be asked, so this script decides, and says so.
asks=()
if ! { [ -t 0 ] && [ -t 1 ]; }; then
    warn "there is no terminal to ask at: the push and the pull request are approved by this script"
    asks=(--approve)
fi
# 0: completed and accepted or undecided. 3: completed and rejected, so the goal was not met.
ended=0
"$roost" team run "$team_id" "$goal" --repo "$repo_id" "${asks[@]}" || ended=$?

say "what the sandbox says now"
if ! "$roost" sandbox exec "$bench" --cwd /workspace/durations -- cargo test --offline >"$ROOST_STATE/log/demo-after.log" 2>&1; then
    grep -E '^test |^error' "$ROOST_STATE/log/demo-after.log" >&2 || true
    case $ended in
    3) warn "the run is rejected, and the tests still fail: the team did not mend them" ;;
    *) warn "the tests still fail: the team did not mend them, and the run did not say so (it ended with $ended)" ;;
    esac
    warn "all of the output: ${ROOST_STATE#"$ROOST_ROOT"/}/log/demo-after.log"
    [ "$ended" = 0 ] && ended=1
    exit "$ended"
fi
[ "$ended" = 0 ] || { warn "the tests pass, and the run says that its goal was not met"; exit "$ended"; }
"$roost" sandbox exec "$bench" --cwd /workspace/durations -- git log --oneline -n 3

say "what the code host has now"
git --git-dir "$bare" for-each-ref --sort=-creatordate --count=3 --format='    %(refname:short)  %(subject)' refs/heads/roost
run_id=$("$roost" run list --limit 1 --json | jq -r '.items[0].id')
pull=$("$roost" run repo "$run_id" --json | jq -r '.branches[0].pull_url // empty')
if [ -n "$pull" ]; then
    say "the run is accepted, the tests pass, and the pull request is open, after $((SECONDS - began)) s: $pull"
else
    say "the run is accepted and the tests pass, after $((SECONDS - began)) s. No pull request was opened: it was not approved"
fi
detail "Roost goes on at $url, and the code host at $address; stop both with: deploy/run.sh stop"
