# check-install.sh - installs into a scratch prefix and builds an outside client with pkg-config and with CMake.
. "$LBR_SOURCE/tools/tap.sh"

ok "installs" cmake --install "$LBR_BUILD" --prefix "$scratch/first"
mv "$scratch/first" "$scratch/prefix"           # an installation may be moved as a whole
prefix=$scratch/prefix

for file in include/libration.h include/libration/plan.h lib/libration.so lib/libration.so.0 lib/libration.a lib/libration-jit.so lib/libration-jit.a include/libration/jit.h \
    lib/pkgconfig/libration.pc lib/cmake/libration/libration-config.cmake share/man/man1/libration.1 share/man/man3/libration.3 share/man/man5/libration.5 bin/libration \
    share/bash-completion/completions/libration share/zsh/site-functions/_libration share/fish/vendor_completions.d/libration.fish; do
    ok "there is $file" test -e "$prefix/$file"
done
not_ok "no header of the inside is installed" test -e "$prefix/include/core"
ok "the tool runs from there" "$prefix/bin/libration" --version

needs() { objdump -p "$1" | grep -q 'NEEDED.*libration\.so\.0'; }

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
cp "$LBR_SOURCE/tests/install/client.c" "$LBR_SOURCE/tests/install/CMakeLists.txt" "$scratch"
cp "$LBR_SOURCE/examples/two_methods.c" "$scratch/model.c"
cd "$scratch" || exit 1
version=$(sed -n "s/^#define LBR_VERSION_[A-Z]* //p" "$LBR_SOURCE/include/libration/base.h" | paste -sd.)
ok "pkg-config knows the version" test "$(pkg-config --modversion libration)" = "$version"

ok "pkg-config, shared: builds" "$CC" -std=c17 -o shared client.c $(pkg-config --cflags --libs libration) -lm
ok "pkg-config, shared: links to the shared library" needs shared
ok "pkg-config, shared: runs" env LD_LIBRARY_PATH="$prefix/lib" ./shared
ok "pkg-config, static: builds" "$CC" -std=c17 -static -o static client.c $(pkg-config --static --cflags --libs libration)
not_ok "pkg-config, static: needs no shared library" needs static
ok "pkg-config, static: runs" ./static

ok "pkg-config, machine code: builds" "$CC" -std=c17 -o jit model.c $(pkg-config --cflags --libs libration-jit) -lm
ok "pkg-config, machine code: runs" env LD_LIBRARY_PATH="$prefix/lib" ./jit
ok "pkg-config, machine code, static: builds" \
    "$CC" -std=c17 -o jit-static model.c "$prefix/lib/libration-jit.a" $(pkg-config --cflags libration-jit) -lm
ok "pkg-config, machine code, static: runs" ./jit-static
for library in $(sed -n '/set_target_properties(libration::jit-static /,/^)/p' "$prefix"/lib/cmake/libration/libration-targets.cmake |
    grep -o 'LINK_ONLY:[a-z]*' | sed 's/.*://'); do
    ok "pkg-config, machine code, static: names -l$library" sh -c "pkg-config --static --libs libration-jit | grep -q -- '-l$library\b'"
done

ok "CMake: configures" cmake -G Ninja -S . -B cmake -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix"
ok "CMake: builds" cmake --build cmake
ok "CMake, shared: links to the shared library" needs cmake/client_shared
not_ok "CMake, static: needs no shared library" needs cmake/client_static
ok "CMake, shared: runs" cmake/client_shared
ok "CMake, static: runs" cmake/client_static
ok "CMake, machine code: runs" cmake/client_jit
done_testing
