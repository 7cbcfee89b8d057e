# check-headers.sh - every public header compiles alone, as C17 and as C++11, and includes next to nothing.
. "$LBR_SOURCE/tools/tap.sh"
cd "$LBR_SOURCE/include" || exit 1

for header in libration.h libration/*.h; do
    echo "#include <$header>" >"$scratch/alone.c"
    ok "$header alone as C17" "$CC" -std=c17 -pedantic -Wall -Wextra -Werror -fsyntax-only -I. "$scratch/alone.c"
    ok "$header alone as C++11" g++ -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I. "$scratch/alone.c"
done

ok "what files in C define is declared" "$CC" -std=c17 -Wall -Wmissing-prototypes -Werror -fsyntax-only -I. ../examples/pendulum.c
printf '#include <libration.h>\nint lbr_model(lbr_system *out) { return lbr_system_init(out), 0; }\n' >"$scratch/model.c"
ok "also for C++, by the name that C has" g++ -x c++ -std=c++11 -I. -c -o "$scratch/model.o" "$scratch/model.c"
ok "... lbr_model" sh -c "nm '$scratch/model.o' | grep -q ' T lbr_model$'"
none "no system header but stddef.h and stdint.h" \
    "$(grep -Hn '#[[:blank:]]*include[[:blank:]]*<' libration.h libration/*.h | grep -v '<\(stddef\|stdint\)\.h>')"
done_testing
