# check-methods.sh - the methods that docs/methods.md finds in the book run by their names, on the models named beside them.
. "$LBR_SOURCE/tools/tap.sh"

# METHOD, a tab, MODEL: of rows whose last two columns are in backquotes.
awk -F'|' '/^## /{ here = /book/ } here && NF == 6 && $4 ~ /`/ && $5 ~ /`/ { split($4, a, "`"); split($5, b, "`"); print a[2] "\t" b[2] }' "$LBR_SOURCE/docs/methods.md" >"$scratch/rows"
tab=$(printf '\t')
count=0
while IFS=$tab read -r method model; do
    count=$((count + 1))
    ok "$method on $model" "$LIBRATION" run "$model" --method "$method" --steps 2 --no-compile
done <"$scratch/rows"
ok "there are many ($count)" test "$count" -gt 65
not_ok "one that does not exist does not run" "$LIBRATION" run kepler --method no-such-method --steps 2 --no-compile

# What methods need is said in words that method.h explains.
needs() { "$LIBRATION" methods "$@" --json | sed -n '/"needs": \[/,/\]/p' | sed 's/.*"needs"//' | grep -o '"[a-z-]*"' | tr -d '"'; }
{ needs; cut -f1 "$scratch/rows" | while read -r method; do needs "$method"; done; } | sort -u >"$scratch/needs"
unknown() { while read -r word; do grep -q "^ \*     $word  " "$LBR_SOURCE/include/libration/method.h" || echo "$word"; done; }
ok "methods need something" test "$(wc -l <"$scratch/needs")" -gt 12
none "method.h knows the words" "$(unknown <"$scratch/needs")"
ok "a word that it does not know would be found" test "$(echo wings | unknown)" = wings
done_testing
