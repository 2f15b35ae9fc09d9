#!/bin/sh
# Fuzzes one target: run.sh TARGET SECONDS. It fails, and keeps the input, if a claim of the target does not hold.
set -eu
cd "$(dirname "$0")"
target=$1
seconds=$2
case $target in
    frames | log | reducer) longest=4096 ;;
    *) longest=2048 ;;
esac
if [ ! -d "corpus/$target" ]; then
    ./seeds.sh
fi
# The core and the gateway have no unsafe code, so the address sanitizer would find nothing and halve the speed.
exec cargo +nightly fuzz run -s none "$target" -- \
    -max_total_time="$seconds" -max_len="$longest" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1
