#!/usr/bin/env bash
# `make run`: builds what changed, starts a gateway on this machine (SQLite, loopback), makes this machine its first
# node, prints the address, and stays until Ctrl-C. Everything it keeps is in .roost/.
#
#   deploy/run.sh            start and stay (ROOST_PORT chooses a port, ROOST_NO_NODE=1 leaves this machine out)
#   deploy/run.sh stop       stop what runs from another terminal
#   deploy/run.sh session    sign the command line of this clone in again (.roost/client.toml)
#   deploy/run.sh status     what runs, and where
# shellcheck disable=SC2317 # stop_all is called by a trap
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
cd "$ROOST_ROOT"

usage() { sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

data=$ROOST_STATE/data
node_state=$ROOST_STATE/node
gateway_pid_file=$ROOST_STATE/run/gateway.pid
node_pid_file=$ROOST_STATE/run/node.pid
script_pid_file=$ROOST_STATE/run/script.pid
# The code host of `make demo`.
demo_host_pid_file=$ROOST_STATE/run/demo-host.pid
url_file=$ROOST_STATE/run/url
gateway_log=$ROOST_STATE/log/gateway.log
node_log=$ROOST_STATE/log/node.log
image_log=$ROOST_STATE/log/agent-image.log
pdf_log=$ROOST_STATE/log/pdf-renderer.log
# Unoptimised, because that compiles in a third of the time; ROOST_PROFILE=release for a gateway that is to be measured.
profile=${ROOST_PROFILE:-local}
bin=${ROOST_BIN_DIR:-${CARGO_TARGET_DIR:-$ROOST_ROOT/target}/$profile}
cargo=${CARGO:-cargo}
# The sandbox's first process is compiled like the gateway: `dist` takes twice as long. With programs that are there
# already, the images are there too.
if [ "$profile" = local ] && [ -z "${ROOST_BIN_DIR:-}" ]; then export ROOST_GUEST_PROFILE=${ROOST_GUEST_PROFILE:-local}; fi
# The command line's own session, apart from the one that the person may have.
export ROOST_CLIENT_CONFIG=$ROOST_STATE/client.toml

# --- build ----------------------------------------------------------------------------------------------------------

# The whole workspace, always: one package alone unifies features differently and would compile everything twice. Only the
# programs of the tests are not needed, and they change no features of the others.
compile() { "$cargo" build --locked --profile "$profile" --workspace --exclude roost-tests --bins; }

build() {
    [ -z "${ROOST_BIN_DIR:-}" ] || return 0
    if [ -x "$bin/roost" ]; then
        deploy/ui.sh build
        say "building Roost"
        compile
        return
    fi
    say "building Roost for the first time (some minutes; the web page is built at the same time)"
    deploy/ui.sh build &
    local page=$!
    # The gateway embeds the page and is the last thing to compile, long after the page is done.
    compile || { wait "$page" && compile; } || die "Roost does not build; the compiler's words are above"
    wait "$page" || die "the web page does not build; see $ROOST_STATE/log/ui-build.log"
    compile
}

# The slow part of the agent image needs no engine and no compiler, so it goes on beside the build.
prepare_image() {
    setsid deploy/agent-image/build.sh --recipe rust --rootfs-only </dev/null >"$image_log" 2>&1 &
    rootfs_process=$!
}

# The page is up before the image is: it says so, and the nodes page shows when the image is ready.
build_image() {
    if ! deploy/engine.sh status >/dev/null 2>&1; then return 0; fi
    setsid deploy/run.sh agent-image </dev/null &
    image_process=$!
}

agent_image() {
    local recipe
    # The first waits for the prepared file system by its lock; the second has the same layers and one more.
    for recipe in base rust; do
        if deploy/agent-image/build.sh --recipe "$recipe" >/dev/null 2>>"$image_log"; then
            printf '    Agent image      roost-agent:%s is ready\n' "$recipe"
        else
            printf '    Agent image      %s failed: see %s, then try: make image\n' "$recipe" "${image_log#"$ROOST_ROOT"/}"
            return
        fi
    done
    printf '    Other images     node, python, polyglot, security, runtime: deploy/agent-image/build.sh --recipe NAME\n'
}

# The gateway works without it, and a PDF that is asked for before says so.
build_renderer() {
    if [ -n "${ROOST_BIN_DIR:-}" ]; then return 0; fi
    setsid deploy/run.sh pdf-renderer </dev/null &
    renderer_process=$!
}

pdf_renderer() {
    local there=''
    if [ -x "$bin/roost-pdf" ]; then there=yes; fi
    if ! nice -n 10 deploy/pdf.sh "$bin" >"$pdf_log" 2>&1; then
        printf '    PDF files        the renderer does not build: see %s, then try: deploy/pdf.sh %s\n' "${pdf_log#"$ROOST_ROOT"/}" "${bin#"$ROOST_ROOT"/}"
    elif [ -z "$there" ]; then
        printf '    PDF files        the renderer is ready\n'
    fi
}

# --- processes ------------------------------------------------------------------------------------------------------

choose_port() {
    local wanted=${ROOST_PORT:-7667} port
    # The same port as last time, so that the page's address and this machine's membership stay good.
    if [ -z "${ROOST_PORT:-}" ] && [ -r "$url_file" ]; then wanted=$(sed 's/.*://' "$url_file"); fi
    for port in "$wanted" $(seq 7669 2 7699); do
        if ! port_taken "$port"; then
            [ "$port" = "$wanted" ] || warn "port $wanted is taken by another program, so Roost uses $port"
            printf '%s\n' "$port"
            return
        fi
    done
    die "no free port between 7667 and 7699; choose one with ROOST_PORT=…"
}

# What the gateway is started with, and what a command beside it has to be told as well.
gateway_settings() {
    settings=(--set "data_dir=$data" --set sandboxes.image=roost-agent:rust)
    # Who runs the gateway on their own machine also operates it.
    settings+=(--set 'operators=["owner@roost.localhost"]')
    # A model that runs on this machine (Ollama) may be asked, without TLS too. A file that says so itself decides.
    if [ -z "${ROOST_OUTBOUND__ALLOW_PRIVATE:-}" ] && ! grep -qs allow_private "$ROOST_STATE/roost.toml"; then
        settings+=(--set 'outbound.allow_private=["localhost", "127.0.0.1", "::1"]')
    fi
    # For experiments: .roost/roost.toml is read when it is there.
    [ ! -f "$ROOST_STATE/roost.toml" ] || settings+=(--config "$ROOST_STATE/roost.toml")
}

start_gateway() {
    local port
    port=$(choose_port)
    url=http://127.0.0.1:$port
    mkdir -p "$data"
    chmod 0700 "$data"
    # The operator's listener takes a port of its own beside it.
    local operator_port=$((port + 1))
    while port_taken "$operator_port"; do operator_port=$((operator_port + 1)); done
    gateway_settings
    settings+=(--set "listen=127.0.0.1:$port" --set "operator_listen=127.0.0.1:$operator_port")
    say "starting the gateway on $url (log: ${gateway_log#"$ROOST_ROOT"/})"
    # A session of its own, so that Ctrl-C reaches this script alone and it stops things in order.
    setsid "$bin/roost" serve "${settings[@]}" </dev/null >"$gateway_log" 2>&1 &
    gateway=$!
    pid_write "$gateway_pid_file" "$gateway"
    printf '%s\n' "$url" >"$url_file"
    until curl -fsS -o /dev/null --max-time 2 "$url/readyz" 2>/dev/null; do
        if ! kill -0 "$gateway" 2>/dev/null; then
            tail -n 15 "$gateway_log" >&2
            die "the gateway ended before it was ready; its last words are above"
        fi
        sleep 0.1
    done
}

# Signs the command line of this clone in, unless it is. A user who can read the database can make a one-time login,
# so this needs neither the Owner's password nor the first login. The script keeps an API token, because a new password ends
# sessions but not tokens.
client_session() {
    if [ -r "$ROOST_CLIENT_CONFIG" ]; then
        if "$bin/roost" whoami --json >/dev/null 2>&1; then return 0; fi
    fi
    local folder signed_in=''
    folder=$(mktemp -d "$ROOST_STATE/run/session.XXXXXX")
    if short_session "$folder"; then signed_in=yes; fi
    rm -rf "$folder"
    [ -n "$signed_in" ]
}

# A session for as long as it takes to make the token; neither is ever on a command line.
short_session() { # FOLDER
    local own=$1/client.toml
    "$bin/roost" one-time --owner --file "$1/login" "${settings[@]}" >/dev/null || return
    ROOST_CLIENT_CONFIG=$own "$bin/roost" login --url "$url" --one-time-file "$1/login" >/dev/null || return
    ROOST_CLIENT_CONFIG=$own "$bin/roost" token create "make run on $(hostname)" --json | jq -r .token >"$1/token" || return
    "$bin/roost" login --url "$url" --token-stdin <"$1/token" >/dev/null || return
    ROOST_CLIENT_CONFIG=$own "$bin/roost" logout >/dev/null
}

# For scripts that use `.roost/client.toml` while Roost runs, such as `make demo`.
session() {
    pid_read "$gateway_pid_file" >/dev/null || die "Roost does not run; start it with: make run"
    url=$(cat "$url_file")
    gateway_settings
    client_session || die "the command line could not be signed in; what the gateway said is above (its log: ${gateway_log#"$ROOST_ROOT"/})"
}

# New sandboxes go to the node, as they would in a fleet. The session travels by a pipe, never on a command line.
place_here() { # NODE_ID
    sed -n 's/^token = "\(.*\)"/header = "Authorization: Bearer \1"/p' "$ROOST_CLIENT_CONFIG" |
        curl -fsS -o /dev/null -K - -X PUT -H 'Content-Type: application/json' --data "{\"target\":\"node\",\"node_id\":\"$1\"}" "$url/api/fleet/placement"
}

join_node() {
    if [ -n "${ROOST_NO_NODE:-}" ]; then return 0; fi
    mkdir -p "$node_state"
    chmod 0700 "$node_state"
    local file
    # The gateway may have had to take another port than last time; membership and session are the same.
    for file in "$node_state/node.json" "$ROOST_CLIENT_CONFIG"; do
        if [ -f "$file" ]; then sed -i "s|//127\.0\.0\.1:[0-9]*|//${url#http://}|g" "$file"; fi
    done
    if ! [ -f "$node_state/node.json" ]; then
        say "making this machine a node"
        client_session || { warn "this machine could not be paired: no session (the page's pair dialog does it by hand)" && return 0; }
        "$bin/roost" node pair --json | jq -r .join_code |
            "$bin/roostd" --state-dir "$node_state" join --url "$url" --code-stdin >>"$node_log" 2>&1 ||
            { warn "this machine could not join: see ${node_log#"$ROOST_ROOT"/}" && return 0; }
        place_here "$(jq -r .node_id "$node_state/node.json")" ||
            warn "new sandboxes are placed by the gateway itself; the fleet page can choose this machine"
    fi
    setsid "$bin/roostd" --state-dir "$node_state" run </dev/null >>"$node_log" 2>&1 &
    daemon=$!
    pid_write "$node_pid_file" "$daemon"
}

settings=()
gateway='' daemon='' rootfs_process='' image_process='' renderer_process='' url='' stopping=''

stop_all() {
    [ -z "$stopping" ] || return 0
    stopping=yes
    local process
    for process in $image_process $renderer_process $rootfs_process; do
        # Each leads a group of its own: what it started goes with it.
        kill -TERM -- "-$process" 2>/dev/null || true
    done
    if [ -n "$daemon" ]; then
        say "stopping the node daemon"
        stop_process "$daemon" 30
        rm -f "$node_pid_file"
    fi
    if [ -n "$gateway" ]; then
        say "stopping the gateway"
        stop_process "$gateway" 60
        rm -f "$gateway_pid_file"
    fi
    rm -f "$script_pid_file"
}

banner() {
    printf '\n'
    printf '%sRoost is running.%s\n' "$bold" "$plain"
    page_line
    if [ -n "$daemon" ]; then printf '    This machine     %s, a node of its own (data in .roost/node)\n' "$(hostname)"; fi
    if deploy/engine.sh status >/dev/null 2>&1; then
        printf '    Agent images     being made; agents get a sandbox when theirs is ready\n'
    else
        printf '    Container engine none: agents get no sandbox here, everything else works\n'
    fi
    if [ -z "${ROOST_BIN_DIR:-}" ] && ! [ -x "$bin/roost-pdf" ]; then printf '    PDF files        the renderer is being built (some minutes, once); reports as PDF need it\n'; fi
    printf '    Stop             Ctrl-C here, or deploy/run.sh stop\n'
}

# Until the Owner has a password, the address has the one-time login behind `#`, which a browser keeps to itself. It is
# shown on a terminal only; otherwise the file says it.
page_line() {
    local file=$data/first-login
    if [ -r "$file" ] && [ -t 1 ]; then
        printf '    Page             %s%s/sign-in#%s%s   (15 minutes, once)\n' "$bold" "$url" "$(cat "$file")" "$plain"
        return
    fi
    printf '    Page             %s%s%s\n' "$bold" "$url" "$plain"
    if [ -r "$file" ]; then printf '    One-time login   in %s\n' "${file#"$ROOST_ROOT"/}"; fi
}

run() {
    local other began=$SECONDS
    if other=$(pid_read "$gateway_pid_file"); then
        say "Roost is already running at $(cat "$url_file") (process $other)"
        detail "stop it with Ctrl-C in its terminal, or with: deploy/run.sh stop"
        exit 0
    fi
    if other=$(pid_read "$script_pid_file"); then die "another make run (process $other) is still building or stopping"; fi
    pid_write "$script_pid_file" $$
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    trap stop_all EXIT
    deploy/setup.sh run
    prepare_image
    build
    start_gateway
    join_node
    detail "ready after $((SECONDS - began)) s"
    banner
    build_image
    build_renderer
    # Until one of the two ends: that is Ctrl-C's work or a fault worth telling.
    local processes=("$gateway")
    [ -z "$daemon" ] || processes+=("$daemon")
    wait -n "${processes[@]}" || true
    if ! kill -0 "$gateway" 2>/dev/null; then
        gateway=''
        rm -f "$gateway_pid_file"
        tail -n 15 "$gateway_log" >&2
        die "the gateway ended by itself; its last words are above"
    fi
    if [ -n "$daemon" ] && ! kill -0 "$daemon" 2>/dev/null; then
        daemon=''
        rm -f "$node_pid_file"
        tail -n 5 "$node_log" >&2
        warn "the node daemon ended by itself; the gateway goes on"
        wait "$gateway" || true
    fi
}

stop() {
    local pid found=''
    # The script that started the program also stops it. If that script was killed, this stops what it left behind.
    if pid=$(pid_read "$script_pid_file"); then
        found=yes
        stop_process "$pid" 100
    fi
    if pid=$(pid_read "$node_pid_file"); then found=yes && stop_process "$pid" 30; fi
    if pid=$(pid_read "$gateway_pid_file"); then found=yes && stop_process "$pid" 60; fi
    if pid=$(pid_read "$demo_host_pid_file"); then stop_process "$pid" 10; fi
    rm -f "$node_pid_file" "$gateway_pid_file" "$script_pid_file" "$demo_host_pid_file"
    if [ -n "$found" ]; then say "Roost has stopped"; else say "Roost was not running"; fi
}

status() {
    local pid
    if pid=$(pid_read "$gateway_pid_file"); then
        printf 'gateway  running  %s  process %s\n' "$(cat "$url_file")" "$pid"
    else
        printf 'gateway  stopped\n'
    fi
    if pid=$(pid_read "$node_pid_file"); then printf 'node     running  process %s\n' "$pid"; else printf 'node     stopped\n'; fi
}

# On one line with exit, so that bash never reads on in a file that an update replaced meanwhile.
case ${1:-run} in
run) run ;;
stop) stop ;;
status) status ;;
session) session ;;
agent-image) agent_image ;;   # for itself, see build_image
pdf-renderer) pdf_renderer ;; # for itself, see build_renderer
*) usage >&2 && exit 2 ;;
esac; exit
