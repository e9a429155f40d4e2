#!/usr/bin/env bash
# The web page in gateway/ui: built only when its sources changed.
#
#   deploy/ui.sh build    gateway/ui/dist, which the gateway embeds
#   deploy/ui.sh test     types, lint, unit tests, and the pages in a real browser
#   deploy/ui.sh journey  the pages against the real gateway, a real machine and its sandboxes (builds no program)
#   deploy/ui.sh pictures the README's pictures, taken of a real gateway and machine (gateway/ui/pictures; builds no program)
#   deploy/ui.sh figures  bytes, first paint and time to interactive of the first page (builds no program)
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"

usage() { sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
cd "$ROOST_ROOT/gateway/ui"

# One at a time, because npm ci empties node_modules first.
exec 9>"$ROOST_STATE/run/ui.lock"
flock 9

dependencies() {
    local lock
    lock=$(cat package.json package-lock.json | sha256sum)
    if [ "$(cat node_modules/.roost-lock 2>/dev/null)" != "$lock" ]; then
        say "npm ci"
        npm ci --no-audit --no-fund --no-progress --loglevel=error </dev/null >&2 9>&-
        printf '%s\n' "$lock" >node_modules/.roost-lock
    fi
}

# The page shows the guides, and has the repository of the demonstration.
sources() { find . ../../deploy/guide ../../deploy/demo/repository \( -name node_modules -o -name target -o -name dist -o -name test -o -name test-results -o -name playwright.config.ts -o -name pictures \) -prune -o -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum; }

build() {
    local now
    now=$(sources)
    if [ -s dist/index.html ] && [ "$(cat node_modules/.roost-built 2>/dev/null)" = "$now" ]; then
        detail "the web page is up to date"
        return 0
    fi
    dependencies
    say "npm run build"
    npm run --silent build </dev/null >"$ROOST_STATE/log/ui-build.log" 2>&1 9>&- || {
        cat "$ROOST_STATE/log/ui-build.log" >&2
        die "the web page does not build"
    }
    printf '%s\n' "$now" >node_modules/.roost-built
}

browser() {
    CHROMIUM=${CHROMIUM:-$(type -P chromium-headless-shell || type -P chromium || true)}
    [ -n "$CHROMIUM" ] || die "the browser tests need Chromium: deploy/setup.sh test installs it"
    export CHROMIUM
}

# The image of sandboxes: the one that is named, or whichever is there; the small one starts sooner.
image() {
    local engine name
    [ -z "${ROOST_TEST_IMAGE:-}" ] || return 0
    engine=$(type -P docker || type -P podman) || die "no container engine: deploy/engine.sh start"
    for name in roost-agent:tiny roost-agent:rust; do
        if "$engine" image inspect "$name" >/dev/null 2>&1; then
            export ROOST_TEST_IMAGE=$name
            return 0
        fi
    done
    die "no agent image: deploy/agent-image/build.sh --profile tiny"
}

# npm_script NAME: its output goes to the terminal, and to a file that .ci/run looks through for what failed.
# A program that outlived a killed run would hold the lock.
npm_script() {
    npm run --silent "$1" </dev/null 2>&1 9>&- | tee "$ROOST_STATE/log/ui-${1//:/-}.log" >&2
    return "${PIPESTATUS[0]}"
}

# Runs a script against the built programs.
real() {
    image
    dependencies
    build
    browser
    export ROOST_TEST_BIN_DIR=${ROOST_TEST_BIN_DIR:-${CARGO_TARGET_DIR:-$ROOST_ROOT/target}/debug}
    [ -x "$ROOST_TEST_BIN_DIR/roostd" ] || die "no programs in $ROOST_TEST_BIN_DIR: cargo build --workspace --bins"
    npm_script "$1"
}

test_all() {
    local script failed=''
    dependencies
    build
    browser
    for script in gen:check typecheck lint test test:browser; do
        say "npm run $script"
        npm_script "$script" || failed+=" $script"
    done
    [ -z "$failed" ] || die "these failed:$failed (in gateway/ui: npm run NAME)"
}

case ${1:-} in
build) build ;;
test) test_all ;;
journey) real test:journey ;;
# Agents at work need an image with cargo.
pictures) ROOST_TEST_IMAGE=${ROOST_TEST_IMAGE:-roost-agent:rust} real pictures ;;
figures) real figures ;;
*) usage >&2 && exit 2 ;;
esac
