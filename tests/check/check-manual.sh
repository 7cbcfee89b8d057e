# check-manual.sh - the pages of the manual: every public name is in libration.3, every function of the language in
# libration.5, and troff reads both.
. "$LBR_SOURCE/tools/tap.sh"

page=$LBR_BUILD/libration.3
declared=$(cat "$LBR_SOURCE"/include/libration/*.h | grep -o '\blbr_[a-z_]*(' | tr -d '(' | sort -u)
missing() { for name in $declared; do grep -q "\b$name(" "$1" || echo "$name"; done; }
none "every function of the headers is in libration.3" "$(missing "$page")"
functions=$(sed -n '/^static const function functions/,/^};/p' "$LBR_SOURCE/src/language/functions.c" |
    grep -o '{ "[a-z0-9]*"' | grep -o '[a-z0-9]*')
ok "the language has functions" test -n "$functions"
none "each of them is in libration.5" \
    "$(for name in $functions; do grep -qE "(\b|fB|, )$name\b" "$LBR_BUILD/libration.5" || echo "$name"; done)"
for page in "$LBR_BUILD/libration.3" "$LBR_BUILD/libration.5"; do
    name=$(basename "$page")
    if command -v groff >/dev/null; then
        none "troff has nothing to say about $name" \
            "$(groff -K utf8 -man -Tutf8 -ww "$page" 2>&1 >/dev/null | grep -vE "can't break|cannot (break|adjust)|can't find" | head -5)"
    else pass "troff has nothing to say about $name # SKIP there is no groff"; fi
done

# Against: a page without one of the functions.
grep -v 'lbr_run_until(' "$LBR_BUILD/libration.3" >"$scratch/less.3"
ok "a function that is missing would be found" test -n "$(missing "$scratch/less.3")"
done_testing
