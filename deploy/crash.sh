#!/usr/bin/env bash
# Crash evidence of runs, the long form: seeded histories in which gateways, PostgreSQL, the daemon and the engine die at
# random moments, one history after the other (some 20 s each). Ends at the first that does not hold, with its logs; the
# seed that it names plays it again.
#
#   deploy/crash.sh [histories of each kind: 200] [first seed: 1] [alone | pair]
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"
. "$ROOST_ROOT/deploy/postgres.sh"
cd "$ROOST_ROOT"
exec </dev/null
cargo=${CARGO:-cargo}

trap pg_stop EXIT
trap 'exit 130' INT TERM HUP
deploy/setup.sh test
deploy/agent-image/build.sh --profile tiny --check >/dev/null
"$cargo" build --locked --workspace --bins --tests
pg_start ''
ROOST_TEST_BIN_DIR=${CARGO_TARGET_DIR:-$ROOST_ROOT/target}/debug
export ROOST_TEST_BIN_DIR ROOST_TEST_IMAGE=roost-agent:tiny ROOST_TEST_SEEDS=${1:-200} ROOST_TEST_SEED=${2:-1}
# Not by nextest, which ends what takes longer than any one test may.
"$cargo" test --locked --workspace --test it -- "runs::crash::${3:-}" --nocapture --test-threads=1
