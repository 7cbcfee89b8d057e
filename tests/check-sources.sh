# check-sources.sh - the lists in cmake/sources.cmake and the folders say the same.
. "$LBR_SOURCE/tools/tap.sh"
cd "$LBR_SOURCE" || exit 1

sort -u "$LBR_BUILD/tests/sources.txt" >"$scratch/listed"
{
    find src -name '*.c'
    find examples bench -name '*.c' -o -name '*.cpp'
    find tests -maxdepth 1 -name 'test_*.c' -o -maxdepth 1 -name '*.t' -o -maxdepth 1 -name 'check-*.sh'
} | grep -v '^tests/check-bits\.sh$' | sort -u >"$scratch/there"

none "every file that is listed exists" "$(comm -23 "$scratch/listed" "$scratch/there")"
none "every file that exists is listed" "$(comm -13 "$scratch/listed" "$scratch/there")"
done_testing
