#!/usr/bin/env bash
# The program that makes PDF files: gateway/pdf-renderer, a workspace of its own with a lock file of its own.
#
#   deploy/pdf.sh [FOLDER]        build it, and put roost-pdf into FOLDER (target/debug without one)
#   deploy/pdf.sh test [FOLDER]   the same, and run its tests (they read PDFs with poppler's programs)
#   deploy/pdf.sh lint            its format and its lints
#   deploy/pdf.sh dependencies    the licences and the sources of what it is built from
# shellcheck disable=SC2317
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
cd "$ROOST_ROOT"
exec </dev/null
cargo=${CARGO:-cargo}
manifest=gateway/pdf-renderer/Cargo.toml
target=${CARGO_TARGET_DIR:-$ROOST_ROOT/target}
# A folder of its own: the other builds never wait for its lock, and never compile anything anew because of it.
export CARGO_TARGET_DIR=$target/pdf CARGO_INCREMENTAL=0

usage() { sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

# The new program replaces the old one in one step: a gateway may be starting it at this moment.
place() { # FOLDER
    mkdir -p "$1"
    cp "$CARGO_TARGET_DIR/release/roost-pdf" "$1/.roost-pdf.$$"
    mv "$1/.roost-pdf.$$" "$1/roost-pdf"
}

build() { # FOLDER
    "$cargo" build --locked --release --manifest-path "$manifest"
    place "$1"
}

# With --release, so that what it is built from is compiled once.
tests() { # FOLDER
    "$cargo" test --locked --release --quiet --manifest-path "$manifest"
    "$cargo" build --locked --release --quiet --manifest-path "$manifest"
    place "$1"
}

lint() {
    "$cargo" fmt --manifest-path "$manifest" --check
    "$cargo" clippy --locked --release --all-targets --no-deps --manifest-path "$manifest" -- -D warnings
}

dependencies() { "$cargo" deny --log-level error --manifest-path "$manifest" check bans licenses sources; }

case ${1:-} in
test) tests "${2:-$target/debug}" ;;
lint) lint ;;
dependencies) dependencies ;;
-*) usage >&2 && exit 2 ;;
*) build "${1:-$target/debug}" ;;
esac; exit
