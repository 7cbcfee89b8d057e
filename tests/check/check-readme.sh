# check-readme.sh - the C programs in README.md and docs/c-interface.md compile without warnings and run as they stand (a
# system for the tool by the tool), and the first is short; the model runs by the commands shown; what the README shows of
# output is what comes out.
. "$LBR_SOURCE/tools/tap.sh"

awk -v dir="$scratch" '
    /^```c$/ { n++; file = dir "/readme" n ".c"; next }
    /^```/ { file = "" }
    file { print > file }' "$LBR_SOURCE/README.md" "$LBR_SOURCE/docs/c-interface.md"

first=
for source in "$scratch"/readme*.c; do
    block=$(basename "$source" .c)
    if grep -q 'int lbr_model' "$source"; then
        ok "$block is run by the tool" "$LIBRATION" run "$source" --steps 10
        ok "$block compiles" "$CC" -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$LBR_SOURCE/include" -c -o "$scratch/$block.o" "$source"
    fi
    grep -q 'int main' "$source" || continue
    : "${first:=$source}"
    ok "$block compiles" "$CC" -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$LBR_SOURCE/include" -o "$scratch/$block" "$source" \
        -L"$LBR_BUILD" -Wl,-rpath,"$LBR_BUILD" -lration -lm
    ok "$block runs" "$scratch/$block"
done
ok "README.md has a C program" test -n "$first"
ok "the first one is under 25 lines" test "$(cat "${first:-/dev/null}" | wc -l)" -lt 25

awk -v dir="$scratch" '
    /^```lbr$/ { file = dir "/double-well.lbr"; next }
    /^```sh$/ { file = dir "/commands.sh"; next }
    /^```/ { file = "" }
    file { print > file }' "$LBR_SOURCE/README.md"
ok "README.md has a model and commands" test -s "$scratch/double-well.lbr" -a -s "$scratch/commands.sh"
PATH=$(dirname "$LIBRATION"):$PATH; export PATH
command -v gnuplot >/dev/null || sed -i 's/ --plot [^ ]*//' "$scratch/commands.sh"
while read -r line; do
    ok "$line" sh -c "cd '$scratch' && $line"
done <"$scratch/commands.sh"

# Lines of a block of output that are shown, without blanks that only align and without "..."; of a table not the seconds, which are last.
plain() { sed 's/  */ /g; s/ *$//' | grep -vE '^(\.\.\.)?$'; }
seconds_out() { awk 'NF >= 8 && $NF ~ /^[0-9.e-]+$/ { sub(/ [^ ]*$/, "") } { print }'; }
missing() {                     # SHOWN OUTPUT
    plain <"$2" | seconds_out >"$scratch/have"
    plain <"$1" | seconds_out | while IFS= read -r line; do grep -qxF -e "$line" "$scratch/have" || echo "$line"; done
}
awk '/^run +method/ { on = 1 } on && /^```/ { exit } on' "$LBR_SOURCE/README.md" >"$scratch/shown"
ok "README.md shows what make run prints" test "$(wc -l <"$scratch/shown")" -gt 8
(cd "$scratch" && "$LIBRATION" run "$LBR_SOURCE/experiments/outer-solar-system.lbr" >output 2>&1)
none "as it is" "$(missing "$scratch/shown" "$scratch/output")"
awk '/^\$ libration check/ { on = 1; next } on && /^```/ { exit } on' "$LBR_SOURCE/README.md" >"$scratch/shown"
ok "README.md shows a certificate" test -s "$scratch/shown"
"$LIBRATION" check kahan-li-8-17 >"$scratch/output"
none "as it is" "$(missing "$scratch/shown" "$scratch/output")"
sed -i 's/ 8 / 9 /' "$scratch/shown"
ok "another number would be found" test -n "$(missing "$scratch/shown" "$scratch/output")"
done_testing
