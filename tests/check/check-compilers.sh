# check-compilers.sh - kernels by every compiler at hand: none is refused because it gives other numbers than the interpreter.
#
# usage: check-compilers.sh         gcc and clang, on texts that compilers have taken for something else, for the plainest and the widest
#                                   instruction set that is there
#        check-compilers.sh all     every gcc-N and clang-N too, every instruction set, and every model of the gallery with three methods
#        check-compilers.sh all COMPILER...     the same, by these compilers
. "$LBR_SOURCE/tools/tap.sh"

compilers="gcc clang"
mode=${1:-}
if [ $# -gt 1 ]; then shift; compilers=$*
elif [ "$mode" = all ]; then compilers="$compilers $(for v in 10 11 12 13 14 15 16 17 18 19 20; do echo gcc-$v clang-$v; done)"; fi

# Five bodies in space: a Nystrom kernel whose q and p are halves of one local array (tests/compilers/grouped-stores.c).
cat >"$scratch/five.lbr" <<END
param m[i=1..5] = 1/i
canonical q[5,3], p[5,3]
H = sum(i=1..5, sq(p[i])/(2*m[i])) - 0.8*sum(i=2..5, j=1..i-1, m[i]*m[j]/sqrt(sq(q[i]-q[j])+0.1))
start q[i=1..5,k=1..3] = i*sin(i*k), p[i=1..5,k=1..3] = 0.1*cos(i+k)
run step = 0.02
END

# pairs: METHOD MODEL [ARGUMENT]...
pairs() {
    cat <<END
calvo-sanz-serna-4-5 $scratch/five.lbr
gauss:6 outer-solar-system
midpoint outer-solar-system
stormer-verlet outer-solar-system
gauss:2 nbody --set n=9
stormer-verlet nbody --set n=20
rk4 nbody --set n=40
stormer-verlet lennard-jones-box --set side=3
rattle chain --set n=9
END
    [ "${1:-}" = all ] || return
    for model in $("$LIBRATION" models --json | sed -n 's/.*"name": "\([^"]*\)".*/\1/p'); do
        for method in stormer-verlet rk4 gauss:4; do echo "$method $model"; done
    done
}

# refused COMPILER ISA: the pairs whose kernel was refused.
refused() {
    pairs "$mode" | while read -r method model more; do
        "$LIBRATION" run "$model" --method "$method" --steps 20 --isa "$2" --compile wait --json $more >"$scratch/out" 2>"$scratch/said"
        status=$?
        case $status in 0 | 1 | 2 | 3) ;; *) echo "$method $model $more: status $status" ;; esac
        if grep -q 'other numbers\|what is written' "$scratch/said"; then echo "$method $model $more"; fi
        grep -q '"fused"' "$scratch/out" && echo x >>"$scratch/fused"
    done
}

# Of several names of one program, the first.
compilers=$(for c in $compilers; do
    p=$(command -v "$c") && echo "$(readlink -f "$p") $c"
done | awk '!seen[$1]++ { print $2 }')

isas=
for isa in baseline v3 v4; do
    "$LIBRATION" run kepler --steps 0 --isa $isa >/dev/null 2>&1 && isas="$isas $isa"
done
[ "$mode" = all ] || isas=$(echo $isas | awk '{ print $1, (NF > 1 ? $NF : "") }')

LIBRATION_CACHE=$scratch/cache
export LIBRATION_CACHE LIBRATION_CC
for LIBRATION_CC in $compilers; do
    command -v "$LIBRATION_CC" >/dev/null || continue
    for isa in $isas; do
        : >"$scratch/fused"
        none "$LIBRATION_CC, $isa: every kernel gives the interpreter's numbers" "$(refused "$LIBRATION_CC" $isa)"
        ok "$LIBRATION_CC, $isa: and there are kernels" test "$(wc -l <"$scratch/fused")" -ge 6
    done
done
ok "there is a compiler" test "$tap_count" -gt 0
done_testing
