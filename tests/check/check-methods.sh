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
done_testing
