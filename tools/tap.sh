# tap.sh - the shell's side of tests/support/tap.h: TAP on standard output. Sourced, not run.
#
#     . "$LBR_SOURCE/tools/tap.sh"
#     ok "what must hold" test -f file          a command that must succeed
#     not_ok "what must not hold" test -f none  a command that must fail
#     pass TEXT, fail TEXT [DETAIL]...          a verdict of your own; details become comments
#     done_testing                              at the end
set -u
tap_count=0
tap_failed=0
scratch=$(mktemp -d) || exit 1                  # a folder for the script, removed at its end
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

pass() {
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s\n' $tap_count "$1"
}

fail() {
    tap_count=$((tap_count + 1)) tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' $tap_count "$1"
    shift
    if [ $# -gt 0 ]; then printf '%s\n' "$@" | sed 's/^/# /'; fi
}

# ok TEXT COMMAND...: on failure, what the command said goes into the comments.
ok() {
    tap_text=$1; shift
    if "$@" >"$scratch/tap.said" 2>&1; then pass "$tap_text"; else fail "$tap_text" "$(cat "$scratch/tap.said")"; fi
}

not_ok() {
    tap_text=$1; shift
    if "$@" >"$scratch/tap.said" 2>&1; then fail "$tap_text" "$(cat "$scratch/tap.said")"; else pass "$tap_text"; fi
}

# none TEXT LINES: there must be none.
none() { if [ -z "$2" ]; then pass "$1"; else fail "$1" "$2"; fi; }

done_testing() {
    echo "1..$tap_count"
    exit $((tap_failed > 0))
}
