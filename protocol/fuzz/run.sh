#!/usr/bin/env bash
# Fuzzes the channel's decoding on stable Rust, without a sanitizer, seeded with the golden bytes.
# usage: protocol/fuzz/run.sh [seconds]      (needs a C++ compiler for libFuzzer)
set -euo pipefail
cd "$(dirname "$0")"
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
# A target triple keeps these flags away from build scripts.
target=$(rustc -vV | sed -n 's/^host: //p')
cargo build --release --locked --target "$target" --bin frames
mkdir -p corpus/frames
for golden in ../tests/golden/*/*.hex; do
  seed="corpus/frames/$(basename "$(dirname "$golden")")-$(basename "$golden" .hex)"
  tr -d '\n' < "$golden" | python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' > "$seed"
done
exec "target/$target/release/frames" -max_total_time="${1:-60}" -rss_limit_mb=1024 -timeout=10 corpus/frames
