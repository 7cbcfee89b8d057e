# check-format.sh - all C is laid out by tools/format, and no line is longer than 120 columns.
. "$LBR_SOURCE/tools/tap.sh"
cd "$LBR_SOURCE" || exit 1

# Lines that are too long, of the files named.
long() { awk 'length > 120 { print FILENAME ":" FNR }' "$@"; }

none "no line is longer than 120 columns" "$(find src include tests bench examples fuzz \
    -name '*.[ch]' -o -name '*.inc' -o -name '*.cpp' | sort | xargs awk 'length > 120 { print FILENAME ":" FNR }')"
changed=$(tools/format --check 2>"$scratch/why")
case $? in
2) pass "files are laid out as tools/format does it # SKIP $(cat "$scratch/why")" ;;
*) none "files are laid out as tools/format does it" "$changed" ;;
esac

# Against: the question about long lines must find one.
printf '%0121d\n' 0 >"$scratch/long.c"
ok "a line of 121 columns would be found" test -n "$(long "$scratch/long.c")"
done_testing
