#!/usr/bin/env bash
# The program that makes PDF files: gateway/pdf-renderer, a workspace of its own with a lock file of its own.
#
#   deploy/pdf.sh [FOLDER]        build it, and put roost-pdf into FOLDER (target/debug without one)
#   deploy/pdf.sh test [FOLDER]   the same without optimisation, and run its tests (they read PDFs with poppler's programs)
#   deploy/pdf.sh lint            its format and its lints
#   deploy/pdf.sh dependencies    the licences and the sources of what it is built from
#   deploy/pdf.sh figures         time and memory for documents of 200 and of 600 pages (after a build)
# shellcheck disable=SC2317
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
cd "$ROOST_ROOT"
exec </dev/null
cargo=${CARGO:-cargo}
manifest=gateway/pdf-renderer/Cargo.toml
target=${CARGO_TARGET_DIR:-$ROOST_ROOT/target}
# A folder of its own: the other builds never wait for its lock, and never compile anything anew because of it.
export CARGO_TARGET_DIR=$target/pdf CARGO_INCREMENTAL=0
# Lints are a step of their own here.
unset RUSTC_WORKSPACE_WRAPPER

usage() { sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

# The new program replaces the old one in one step: a gateway may be starting it at this moment.
place() { # PROFILE FOLDER
    mkdir -p "$2"
    cp "$CARGO_TARGET_DIR/$1/roost-pdf" "$2/.roost-pdf.$$"
    mv "$2/.roost-pdf.$$" "$2/roost-pdf"
}

build() { # FOLDER
    "$cargo" build --locked --release --manifest-path "$manifest"
    place release "$1"
}

tests() { # FOLDER
    "$cargo" test --locked --quiet --manifest-path "$manifest"
    "$cargo" build --locked --quiet --manifest-path "$manifest"
    place debug "$1"
}

lint() {
    "$cargo" fmt --manifest-path "$manifest" --check
    # Clippy in place of the compiler, for this package only. `cargo clippy` would check all that it is built from once more, beside the
    # build: a minute and a half.
    RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__ \
        "$cargo" build --locked --all-targets --manifest-path "$manifest"
}

dependencies() { "$cargo" deny --log-level error --manifest-path "$manifest" check bans licenses sources; }

# Sections of paragraphs, a table and code, as reports have them.
figures() {
    python3 - "$CARGO_TARGET_DIR/release/roost-pdf" <<'EOF'
import json, os, statistics, subprocess, sys, time

def section(number):
    words = "Some words of **text** follow `here` and there, until the line ends. " * 8
    rows = "".join(f"| row {n} | high | {n} |\n" for n in range(12))
    parts = "".join(f"Part {n}. {words}\n\n" for n in range(8))
    code = "let x = compute(y);\n" * 14
    return f"## Section {number}\n\n{parts}| a | severity | c |\n|---|---|---:|\n{rows}\n```\n{code}```\n\n"

def run(sections):
    text = "".join(map(section, range(sections)))
    request = json.dumps({"title": "Figures", "markdown": text}).encode()
    times = []
    for _ in range(5):
        began = time.monotonic()
        child = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pdf, said = child.communicate(request)
        times.append(time.monotonic() - began)
        assert child.returncode == 0, said
    # Of one more, whose end is read with its use of memory.
    child = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    child.stdin.write(request)
    child.stdin.close()
    memory = os.wait4(child.pid, 0)[2].ru_maxrss >> 10
    pages = json.loads(said)["pages"]
    print(f"{pages} pages of {len(text) >> 10} KiB: {statistics.median(times):.2f} s (median of 5), {memory} MiB, a file of {len(pdf) >> 10} KiB")

for sections in (139, 415):
    run(sections)
EOF
}

case ${1:-} in
test) tests "${2:-$target/debug}" ;;
lint) lint ;;
dependencies) dependencies ;;
figures) figures ;;
-*) usage >&2 && exit 2 ;;
*) build "${1:-$target/debug}" ;;
esac; exit
