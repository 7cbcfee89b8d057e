# check-readme.sh - the C programs in README.md and docs/c-interface.md compile and run as they stand (a system for the tool by
# the tool), and the first is short; the model runs by the commands shown.
. "$LBR_SOURCE/tools/tap.sh"

awk -v dir="$scratch" '
    /^```c$/ { n++; file = dir "/readme" n ".c"; next }
    /^```/ { file = "" }
    file { print > file }' "$LBR_SOURCE/README.md" "$LBR_SOURCE/docs/c-interface.md"

first=
for source in "$scratch"/readme*.c; do
    block=$(basename "$source" .c)
    ! grep -q 'int lbr_model' "$source" || ok "$block is run by the tool" "$LIBRATION" run "$source" --steps 10
    grep -q 'int main' "$source" || continue
    : "${first:=$source}"
    ok "$block compiles" "$CC" -std=c17 -Wall -Werror -I"$LBR_SOURCE/include" -o "$scratch/$block" "$source" \
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
done_testing
