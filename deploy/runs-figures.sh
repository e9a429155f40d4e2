#!/usr/bin/env bash
# Figures of durable runs, beside graphile-worker and DBOS: starts a PostgreSQL of its own that keeps what it commits, and
# measures. Wants `deploy/setup.sh test` and `cargo build --release --workspace --bins --features roost-tests/figures` before it, and a quiet machine.
#
#   deploy/runs-figures.sh [arguments of runs_figures]     for example: deploy/runs-figures.sh --only claims --json claims.json
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
. "$ROOST_ROOT/deploy/postgres.sh"
cd "$ROOST_ROOT"
exec </dev/null
programs=${ROOST_TEST_BIN_DIR:-${CARGO_TARGET_DIR:-$ROOST_ROOT/target}/release}
[ -x "$programs/runs_figures" ] || die "there is no $programs/runs_figures: cargo build --release --workspace --bins --features roost-tests/figures"

trap pg_stop EXIT
trap 'exit 130' INT TERM HUP
pg_start durable
ROOST_TEST_BIN_DIR=$programs "$programs/runs_figures" "$@"
