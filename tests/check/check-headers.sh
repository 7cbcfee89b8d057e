# check-headers.sh - every public header compiles alone, as C17 and as C++11, and includes next to nothing.
. "$LBR_SOURCE/tools/tap.sh"
cd "$LBR_SOURCE/include" || exit 1

for header in libration.h libration/*.h; do
    echo "#include <$header>" >"$scratch/alone.c"
    ok "$header alone as C17" "$CC" -std=c17 -pedantic -Wall -Wextra -Werror -fsyntax-only -I. "$scratch/alone.c"
    ok "$header alone as C++11" g++ -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I. "$scratch/alone.c"
done

none "no system header but stddef.h and stdint.h" \
    "$(grep -Hn '#[[:blank:]]*include[[:blank:]]*<' libration.h libration/*.h | grep -v '<\(stddef\|stdint\)\.h>')"
done_testing
