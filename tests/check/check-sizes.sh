# check-sizes.sh - how long files, functions and lines of the library and the tool are: CONVENTIONS.md, Files.
. "$LBR_SOURCE/tools/tap.sh"
cd "$LBR_SOURCE" || exit 1

lists='_rows\.c$'               # lists of coefficients do not count

# Files on standard input with more than 500 lines.
long_files() { while read -r file; do n=$(wc -l <"$file"); [ "$n" -le 500 ] || echo "$file has $n lines"; done; }

# Functions of more than 60 lines, in these files: from the line where a declaration begins to the brace in the first column that ends it.
long_functions() {
    awk 'FNR == 1 { begin = start = 0 }
        /^{/ { start = begin ? begin : FNR }
        /^}/ { if (start && FNR - start + 1 > 60) print FILENAME ":" start " has " FNR - start + 1 " lines"; begin = start = 0; next }
        start { next }
        /^[A-Za-z]/ { if (!begin) begin = FNR; if (/;$/) begin = 0; next }
        /^$|^#|^\/\*|^ \*|;$/ { begin = 0 }' "$@"
}

# Lines of more than 120 columns; a character is one, however many bytes it has.
wide_lines() { LC_ALL=C awk '{ gsub(/[\200-\277]/, ""); if (length($0) > 120) print FILENAME ":" FNR " has " length($0) " columns" }' "$@"; }

none "files of src have at most 500 lines" "$(find src -name '*.[ch]' -o -name '*.inc' | grep -v "$lists" | sort | long_files)"
none "functions have at most 60 lines" "$(long_functions $(find src -name '*.[ch]' -o -name '*.inc' | grep -v "$lists" | sort))"
none "lines have at most 120 columns" "$(wide_lines $(find src include -name '*.[ch]' -o -name '*.inc' | sort))"

# Against: the questions must find what is too much.
long() { echo 'static int f(int a,'; echo '             int b)'; echo '{'; yes '    a++;' | head -"$1"; echo '}'; }
{ long 30; echo; long 57; } >"$scratch/long.c"
ok "a function of 61 lines would be found" test "$(long_functions "$scratch/long.c" | wc -l)" -eq 1
{ long 56; long 56; } >"$scratch/fits.c"
none "one of 60 lines would not" "$(long_functions "$scratch/fits.c")"
yes | head -501 >"$scratch/file.c"
ok "a file of 501 lines would be found" test -n "$(echo "$scratch/file.c" | long_files)"
printf '%121s\n' x >"$scratch/wide.c"
ok "a line of 121 columns would be found" test -n "$(wide_lines "$scratch/wide.c")"
done_testing
