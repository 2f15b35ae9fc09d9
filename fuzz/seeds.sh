#!/bin/sh
# Makes small first inputs for all targets from the recordings and the documentation. Existing inputs stay.
set -eu
cd "$(dirname "$0")"
sessions=../tests/sessions
for target in fuzz_targets/*.rs; do
    mkdir -p "corpus/$(basename "$target" .rs)"
done

# Every seventh line that is short, one a file.
short_lines() {
    cat $sessions/*/events.jsonl | grep -a '^{' | awk 'length < 1000 && NR % 7 == 0' | split -l 1 -a 4 - "corpus/$1/line-"
}

for log in $sessions/*/events.jsonl; do
    name=$(basename "$(dirname "$log")")
    head -c 2000 "$log" > "corpus/decoder/$name"
    head -c 2000 "$log" > "corpus/log/$name"
    # The reducer makes events out of any bytes; compressed ones look like random ones.
    gzip -nc "$log" | head -c 1000 > "corpus/reducer/$name"
    gzip -nc "$log" | tail -c 300 > "corpus/dirty/$name"
done
printf '{"settings":{"model":"m"}}\n{"seq":1,"text":"{\\n}"}\n{"seq":2,"event":{"type":"y"}}\n' > corpus/log/settings
short_lines scan
short_lines partial_json
grep -a '^[{[]' $sessions/rpc-frames/events.jsonl | split -l 1 -a 4 - corpus/rpc/line-
split -b 600 $sessions/rpc-frames/events.jsonl corpus/frames/part-
for name in chat guide stream; do
    split -b 1000 $sessions/platform-$name/events.jsonl "corpus/sse/$name-"
done
for page in ../docs/*.md; do
    head -c 1500 "$page" > "corpus/markdown/$(basename "$page")"
done
for words in ../www/locales/*/*.ftl; do
    head -c 800 "$words" > "corpus/hidden/$(basename "$(dirname "$words")")-$(basename "$words")"
done
printf 'https://user@\320\260.example:80/a?b#c' > corpus/hidden/address
printf 'a\342\200\256b\342\200\213c\033[31md' > corpus/hidden/hidden
printf 'a\033[1;31mred\033[0m \033[38;5;9mx\rb\b\033[K\n\033[2A\033[3Cc\033]0;t\ad' > corpus/terminal/colours
printf 'abc\n\0337d\033[2A\033[J\033[2P\033[2@x\033[2X\0338\033[9Be\033E\033D\033M\033[s\033[H\033[u\033[4;58;5;1m' \
    > corpus/terminal/moves
printf '{"properties":{"a":{"type":"string","minLength":2,"format":"email"},"b":{"type":"integer","maximum":9},%s}}\n%s\n' \
    '"c":{"type":"boolean"},"d":{"enum":["x","y"]},"e":{"type":"array","items":{"enum":["x"]}}' \
    'a@b.example
-1.5e3
true
["x"]' > corpus/form/all
printf 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ fn\n a\n-b\n+c\n' > corpus/diff/unified
printf '*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch\n' > corpus/diff/patch
printf 'one\ntwo\nthree\r\n\fone\n2\nthree\n' > corpus/diff/two-texts
grep -o '("[^"]*"' ../src/core/view_model/risk/tests/table.rs | sed 's/^("//; s/"$//' | split -l 1 -a 4 - corpus/command/row-
