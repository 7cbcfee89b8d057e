# check-readme.sh - the C programs in README.md compile and run as they stand, and the first is short.
. "$LBR_SOURCE/tools/tap.sh"

awk -v dir="$scratch" '
    /^```c$/ { n++; file = dir "/readme" n ".c"; next }
    /^```/ { file = "" }
    file { print > file }' "$LBR_SOURCE/README.md"

first=
for source in "$scratch"/readme*.c; do
    grep -q 'int main' "$source" || continue
    block=$(basename "$source" .c)
    : "${first:=$source}"
    ok "$block compiles" "$CC" -std=c17 -Wall -Werror -I"$LBR_SOURCE/include" -o "$scratch/$block" "$source" \
        -L"$LBR_BUILD" -Wl,-rpath,"$LBR_BUILD" -lration -lm
    ok "$block runs" "$scratch/$block"
done
ok "README.md has a C program" test -n "$first"
ok "the first one is under 25 lines" test "$(cat "${first:-/dev/null}" | wc -l)" -lt 25
done_testing
