#!/usr/bin/env bash
# Makes a Debian or Ubuntu machine ready, and does nothing (in under a second) when it is.
# For root, or a user with sudo; needs no init system and no terminal.
#
#   deploy/setup.sh run     what `make run` needs: C compiler, Rust, Node, a container engine, mmdebstrap
#   deploy/setup.sh test    also what `make test` and .ci/run need: PostgreSQL, Chromium, promtool, cargo tools, ...
#
# Without a container engine `run` goes on (everything but sandboxes works); `test` fails.
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"

RUST_NEEDED=1.95
NEXTEST_VERSION=0.9.143
DENY_VERSION=0.20.2
MACHETE_VERSION=0.9.2

usage() { sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

packages=()
# want COMMAND PACKAGE...: the packages are needed when the command is missing.
want() {
    local command=$1
    shift
    have "$command" || packages+=("$@")
}

apt_get() { as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@" </dev/null; }

apt_lists_refreshed=
apt_refresh() {
    [ -z "$apt_lists_refreshed" ] || return 0
    say "apt-get update"
    local try
    # Another apt may hold the lists' lock, which has no timeout of its own.
    for try in 1 2 3 4 5 6; do
        if apt_get update -qq >"$ROOST_STATE/log/apt.log" 2>&1; then
            apt_lists_refreshed=yes
            return 0
        fi
        [ "$try" = 6 ] || sleep 10
    done
    tail -n 5 "$ROOST_STATE/log/apt.log" >&2
    return 1
}

apt_install() {
    [ $# -gt 0 ] || return 0
    have apt-get || {
        warn "this machine has no apt-get. Install by hand: $*"
        return 1
    }
    apt_refresh || return 1
    say "apt-get install $*"
    # Services that a package brings are not started (RUNLEVEL=1): what we need we start ourselves.
    apt_get install -qq --no-install-recommends "$@" >"$ROOST_STATE/log/apt.log" 2>&1 || {
        tail -n 15 "$ROOST_STATE/log/apt.log" >&2
        return 1
    }
    hash -r
}

# The version that apt would install, or nothing.
apt_candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \([0-9:.]*\).*/\1/p'; }

rust_version() { if have rustc; then rustc --version | cut -d' ' -f2 | cut -d- -f1; fi; }

need_rust() {
    local version name
    version=$(rust_version)
    if have cargo && [ -n "$version" ] && at_least "$version" "$RUST_NEEDED"; then return 0; fi
    if ! have rustup && have apt-get; then
        apt_refresh || true
        for name in web ''; do # Debian keeps a current Rust beside the stable one for its browsers
            if at_least "$(apt_candidate "rustc${name:+-$name}")" "$RUST_NEEDED"; then
                apt_install "rustc${name:+-$name}" "cargo${name:+-$name}" && return 0
            fi
        done
    fi
    die "Rust $RUST_NEEDED or later is needed${version:+ (this machine has $version)}. With rustup: rustup update stable. Without: see https://rustup.rs, then run this again"
}

# Vite's own demand: 20.19 and later 20s, or 22.12 and later.
node_fits() {
    local version
    version=$(node --version 2>/dev/null) || return 1
    version=${version#v}
    have npm || return 1
    case $version in
    20.*) at_least "$version" 20.19 ;;
    [0-9].* | 1[0-9].* | 21.*) return 1 ;;
    *) at_least "$version" 22.12 ;;
    esac
}

need_node() {
    if node_fits; then return 0; fi
    # The distribution's Node is usually too old for the web tools, but its npm can fetch a newer Node.
    if ! have npm; then apt_install nodejs npm || return 1; fi
    if node_fits; then return 0; fi
    say "Node 22 from npm into $ROOST_CACHE/node"
    mkdir -p "$ROOST_CACHE/node"
    npm install --prefix "$ROOST_CACHE/node" --no-audit --no-fund --no-save --loglevel=error node@22 npm@10 </dev/null >&2 || return 1
    ln -sfn node_modules/.bin "$ROOST_CACHE/node/bin"
    PATH=$ROOST_CACHE/node/bin:$PATH
    hash -r
    node_fits || { warn "npm installed no usable Node in $ROOST_CACHE/node" && return 1; }
}

need_engine() {
    if ! "$ROOST_ROOT/deploy/engine.sh" status >/dev/null 2>&1 && [ -z "${DOCKER_HOST:-}" ] && ! have dockerd; then
        apt_install docker.io iptables || return 1
        # Newer releases keep the client in a package of its own.
        if ! have docker; then apt_install docker-cli || return 1; fi
    fi
    "$ROOST_ROOT/deploy/engine.sh" start || return 1
}

# The headless shell is the same browser without its window system: it starts and draws in less than half the time.
need_browser() {
    if have chromium-headless-shell; then return 0; fi
    if [ -n "$(apt_candidate chromium-headless-shell)" ]; then
        packages+=(chromium-headless-shell)
    else
        want chromium chromium
    fi
}

# PostgreSQL's programs, without the cluster on port 5432 that the package would make and start.
need_postgres() {
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || have initdb && return 0
    apt_install postgresql-common || return 1
    as_root sed -i 's/^#\? *create_main_cluster *=.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
    apt_install postgresql
}

# promtool alone out of Prometheus' package: the package would bring a server as well.
need_promtool() {
    have promtool && return 0
    apt_refresh || return 1
    say "promtool from the package prometheus"
    local work
    work=$(mktemp -d)
    (cd "$work" && apt-get download -qq prometheus >/dev/null 2>&1 && dpkg-deb --fsys-tarfile prometheus_*.deb | tar x ./usr/bin/promtool)
    mkdir -p "$ROOST_CACHE/bin"
    mv "$work/usr/bin/promtool" "$ROOST_CACHE/bin/promtool"
    rm -r "$work"
}

# Node programs that the integration tests speak to; their versions are pinned by the lock file there.
need_counterparts() {
    local folder=$ROOST_ROOT/tests/node
    if cmp -s "$folder/package-lock.json" "$folder/node_modules/.installed"; then return 0; fi
    say "the packages of tests/node"
    npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error </dev/null >&2 || return 1
    cp "$folder/package-lock.json" "$folder/node_modules/.installed"
}

# Python programs that the integration tests speak to, in an environment of this clone.
need_python_counterparts() {
    local wanted=$ROOST_ROOT/tests/python/requirements.txt folder=$ROOST_ROOT/target/python
    local descriptions=$ROOST_ROOT/tests/python/descriptions.txt
    if cat "$wanted" "$descriptions" | cmp -s - "$folder/.installed"; then return 0; fi
    say "the packages of tests/python"
    rm -rf "$folder"
    mkdir -p "${folder%/*}"
    python3 -m venv "$folder" >&2 || return 1
    "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted" </dev/null >&2 || return 1
    forgejo_description "$descriptions" "$folder" || return 1
    cat "$wanted" "$descriptions" >"$folder/.installed"
}

# What Forgejo publishes of its API. Only the source of a client's package has it; the tests use that one file of it.
forgejo_description() { # REQUIREMENTS FOLDER
    local work status=0
    work=$(mktemp -d)
    "$2/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest "$work" \
        --requirement "$1" </dev/null >&2 || status=1
    [ "$status" != 0 ] || tar -xzOf "$work"/*.tar.gz --wildcards --no-wildcards-match-slash '*/swagger.v1.json' \
        >"$2/forgejo.swagger.json" || status=1
    rm -r "$work"
    return "$status"
}

# A cargo tool, compiled without optimisation: half the time to build, and it is not slow.
cargo_tool() {
    local name=$1 version=$2
    cargo "${name#cargo-}" --version >/dev/null 2>&1 && return 0
    say "cargo install $name $version (a minute or two)"
    cargo install --quiet --locked --debug --root "$ROOST_CACHE/cargo" "$name@$version" </dev/null >&2 || return 1
    PATH=$ROOST_CACHE/cargo/bin:$PATH
}

for_run() {
    want cc gcc libc6-dev
    want make make
    want git git
    want curl curl ca-certificates
    want jq jq
    want mmdebstrap mmdebstrap
    apt_install "${packages[@]}" || die "packages could not be installed: ${packages[*]}"
    packages=()
    need_rust
    need_node || die "Node 20.19, 22.12 or later is needed for the web page"
}

# The linker dies of a full disk with "Bus error", which says nothing of disks.
room_on_disk() {
    local free_gb
    free_gb=$(df --output=avail -BG "$ROOST_ROOT" | tail -n 1 | tr -dc 0-9)
    [ "$free_gb" -ge 15 ] || warn "only $free_gb GB are free on the disk of $ROOST_ROOT; a clean build and its tests write some 15 GB"
}

for_test() {
    room_on_disk
    want busybox busybox-static
    want ip iproute2
    want tmux tmux
    want pdftotext poppler-utils
    want python3 python3
    python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
    want systemd-analyze systemd
    want shellcheck shellcheck
    need_browser
    apt_install "${packages[@]}" || die "packages could not be installed: ${packages[*]}"
    need_postgres || die "PostgreSQL could not be installed"
    need_promtool || die "promtool could not be installed"
    need_counterparts || die "the packages of tests/node could not be installed"
    need_python_counterparts || die "the packages of tests/python could not be installed"
    cargo_tool cargo-nextest "$NEXTEST_VERSION" || die "cargo-nextest could not be installed"
    cargo_tool cargo-deny "$DENY_VERSION" || die "cargo-deny could not be installed"
    cargo_tool cargo-machete "$MACHETE_VERSION" || die "cargo-machete could not be installed"
}

case ${1:-} in
run)
    for_run
    need_engine || warn "without a container engine there are no sandboxes; everything else goes on"
    ;;
test)
    for_run
    for_test
    need_engine || die "the tests need a container engine"
    ;;
*) usage && exit 2 ;;
esac
