# check-symbols.sh - the library exports what its headers declare, and every name of it begins with lbr_.
. "$LBR_SOURCE/tools/tap.sh"

names() { awk 'NF >= 3 { print $3 }' | sed 's/@.*//' | sort -u; }
exported=$(nm -D --defined-only "$LBR_BUILD/libration.so" | names)
global=$(nm -g --defined-only "$LBR_BUILD/libration.a" | names)
declared() { sed 's,/\*.*\*/,,' "$@" | sed -n '/#/!s/.*LBR_API[^(]*[ *]\(lbr_[a-z0-9_]*\)[[:blank:]]*(.*/\1/p' | sort -u; }
core=$(ls "$LBR_SOURCE"/include/libration/*.h | grep -v '/jit\.h$')

ok "the shared library exports something" test -n "$exported"
none "every exported name begins with lbr_" "$(echo "$exported" | grep -v '^lbr_')"
none "so does every global name of the static library" "$(echo "$global" | grep -v '^lbr_')"

echo "$exported" >"$scratch/exported"
declared $core >"$scratch/declared"
declared "$LBR_SOURCE"/include/libration/*.h >"$scratch/with-jit"
nm -D --defined-only "$LBR_BUILD/libration-jit.so" | names >"$scratch/jit"
none "nothing is exported that the headers do not declare" "$(comm -23 "$scratch/exported" "$scratch/declared")"
none "everything that the headers declare is exported" "$(comm -13 "$scratch/exported" "$scratch/declared")"
none "ration-jit exports that and jit.h" "$(comm -3 "$scratch/jit" "$scratch/with-jit")"
none "every global name of it begins with lbr_ too" \
    "$(nm -g --defined-only "$LBR_BUILD/libration-jit.a" | names | grep -v '^lbr_')"
ok "the soname is libration.so.0" \
    test "$(objdump -p "$LBR_BUILD/libration.so" | awk '$1 == "SONAME" { print $2 }')" = libration.so.0
none "it needs nothing but libc and libm" \
    "$(objdump -p "$LBR_BUILD/libration.so" | awk '$1 == "NEEDED" && $2 !~ /^(libc|libm|ld-linux.*)\.so/ { print $2 }')"
done_testing
