# check-miscompiled.sh - known faults of compilers, as small as they can be made: tests/compilers/*.c.
#
# Which compiler has which fault is told, and is no failure: kernels are compared with the interpreter. What must hold is that each
# program is right as it is written: without optimisation, and with every access checked.
. "$LBR_SOURCE/tools/tap.sh"

# said COMPILER FLAGS FILE: what the program said, and its status as the last word; "none" if it could not be made.
said() {
    # shellcheck disable=SC2086
    if ! "$1" -std=c17 -w $2 "$3" -o "$scratch/program" >"$scratch/log" 2>&1; then echo none; return; fi
    "$scratch/program" >"$scratch/out" 2>&1
    echo "$(tr '\n' ' ' <"$scratch/out")$?"
}

status_of() { echo "${1##* }"; }

for cc in gcc clang $(for v in 11 12 13 14 15 16 17 18 19 20; do echo gcc-$v clang-$v; done); do
    command -v "$cc" >/dev/null || continue
    for file in "$LBR_SOURCE"/tests/compilers/*.c; do
        name=${file##*/}
        case $(status_of "$(said "$cc" -O0 "$file")") in
        0 | 77) pass "$cc: $name is right without optimisation" ;;
        *) fail "$cc: $name is right without optimisation" "$(cat "$scratch/log" "$scratch/out" 2>/dev/null)" ;;
        esac
        for level in -O1 -O2 -O3; do
            text=$(said "$cc" $level "$file")
            case $(status_of "$text") in
            0) echo "# $cc $level: $name is right" ;;
            1) echo "# $cc $level: $name: this compiler has the fault: ${text% *}" ;;
            77) echo "# $cc $level: $name cannot be run on this processor" ;;
            *) fail "$cc $level: $name is right or has the fault" "$text" ;;
            esac
        done
    done
done
for file in "$LBR_SOURCE"/tests/compilers/*.c; do
    text=$(said "${CC:-cc}" "-g -O0 -fsanitize=address,undefined -fno-sanitize-recover=all" "$file")
    case $(status_of "$text") in
    0 | 77) pass "${file##*/} does nothing that is undefined" ;;
    none) echo "# ${CC:-cc} has no sanitizers" ;;
    *) fail "${file##*/} does nothing that is undefined" "$(cat "$scratch/out")" ;;
    esac
done
ok "there is a compiler" test "$tap_count" -gt 0
done_testing
