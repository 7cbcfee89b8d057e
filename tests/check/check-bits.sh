# check-bits.sh - two builds of tests/test_bits give the same bits, line by line.
#
# usage: check-bits.sh REFERENCE OTHER
#
# Given --print, each prints nothing but lines "bits METHOD PROBLEM HASH".
. "$LBR_SOURCE/tools/tap.sh"

bits() { "$1" --print | sed -n 's/^bits //p' | sort; }
bits "$1" >"$scratch/reference"
bits "$2" >"$scratch/other"

ok "there are bits to compare" test -s "$scratch/reference"
awk '
    { key = $0; sub(/[ \t]+[^ \t]+$/, "", key); hash[FILENAME, key] = $NF; if (!seen[key]++) order[++n] = key }
    END {
        for (i = 1; i <= n; i++) {
            a = hash[ARGV[1], order[i]]; b = hash[ARGV[2], order[i]]
            print (a == b && a != "" ? "same" : "differ"), order[i], (a == "" ? "none" : a), (b == "" ? "none" : b)
        }
    }' "$scratch/reference" "$scratch/other" >"$scratch/verdicts"
while read -r verdict line; do
    case $verdict in
    same) pass "the same bits: ${line% * *}" ;;
    *) fail "the same bits: ${line% * *}" "$line" ;;
    esac
done <"$scratch/verdicts"
done_testing
