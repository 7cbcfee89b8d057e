# check-data.sh - the library has no writable data: nothing of it is shared by threads but constants.
. "$LBR_SOURCE/tools/tap.sh"

# Constant tables that hold pointers are in .data.rel.ro, which is read-only once the library is loaded.
writable() {
    objdump -h "$1" | awk '
        /file format/ { object = $1 }
        $2 ~ /^\.(t?data|t?bss|l?data|lbss)(\.|$)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ {
            print object, $2, "holds 0x" $3, "bytes" }'
    objdump -t "$1" | awk '/\*COM\*/ { print "common symbol", $NF }'
}

lib=$LBR_BUILD/libration.a
ok "objdump reads the library" objdump -h "$lib"
none "no object of the library has writable data" "$(writable "$lib")"

# Against: the same question about an object that has some must find it.
printf 'static int count; int *f(void); int *f(void) { return &count; }\n' >"$scratch/bad.c"
$CC -c -o "$scratch/bad.o" "$scratch/bad.c"
ok "a static counter would be found" test -n "$(writable "$scratch/bad.o")"
done_testing
