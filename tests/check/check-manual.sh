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

if command -v groff >/dev/null; then
    shown() { groff -K utf8 -man -Tutf8 "$1" 2>/dev/null | grep -F '\&'; }
    none "nothing of troff is shown by libration.5" "$(shown "$LBR_BUILD/libration.5" | head -3)"
    none "nor by libration.3" "$(shown "$LBR_BUILD/libration.3" | head -3)"
    { cat "$LBR_BUILD/libration.5"; printf '\\\\&.lbr\n'; } >"$scratch/shown.5"
    ok "what is shown would be found" test -n "$(shown "$scratch/shown.5")"
else pass "nothing of troff is shown # SKIP there is no groff"; fi
none "the mark of what is exported is not explained" "$(grep 'define LBR_API' "$LBR_BUILD/libration.3")"
ok "the entry of a file in C is in libration.1" grep -q 'int lbr_model(lbr_system' "$LBR_BUILD/libration.1"

# Against: a page without one of the functions.
grep -v 'lbr_run_until(' "$LBR_BUILD/libration.3" >"$scratch/less.3"
ok "a function that is missing would be found" test -n "$(missing "$scratch/less.3")"
done_testing
