# check-language.sh - docs/language.md: its models load, its commands run, what they print is what it shows; nothing is
# missing.
#
# In the document a block marked lbr is a file whose first line is its name: "# NAME.lbr", then perhaps ": refused" (it
# has a mistake). A block marked sh has one command per line; "# status N" at its end is the exit status, 0 if there is
# none. A block marked text is what the commands before it print, compared word by word: ... is any number of words,
# times (12 ms) do not count, and numbers below 1e-11 are round-off, one as good as the other.
. "$LBR_SOURCE/tools/tap.sh"
document=$LBR_SOURCE/docs/language.md
mkdir "$scratch/bin" "$scratch/work"
ln -s "$LIBRATION" "$scratch/bin/libration"
PATH=$scratch/bin:$PATH
unset LC_ALL LANG
gnuplot=$(command -v gnuplot)                   # without it there are no pictures

# Blocks in their order: NNN.lbr, NNN.sh, NNN.text.
awk -v dir="$scratch" '
    /^```(lbr|sh|text)$/ { file = sprintf("%s/%03d.%s", dir, ++n, substr($0, 4)); printf "" > file; next }
    /^```/ { file = "" }
    file { print > file }' "$document"

# matches SHOWN SAID: word by word.
matches() {
    awk '
        function load(word, name,    line, n, m, i, part) {
            while ((getline line < name) > 0) {
                m = split(line, part)
                for (i = 1; i <= m; i++) {
                    if (part[i] ~ /^(us|ms|s)$/ && n && word[n] ~ /^[0-9.e+-]+$/) n--
                    else word[++n] = part[i]
                }
            }
            return n + 0
        }
        function roundoff(x) { return x ~ /^-?[0-9][0-9.]*e-[0-9]+$/ && x + 0 < 1e-11 && x + 0 > -1e-11 }
        function agree(a, b) { return a == b || (roundoff(a) && roundoff(b)) }
        BEGIN {
            n = load(want, ARGV[1]); m = load(have, ARGV[2])
            for (i = j = 1; j <= m; ) {                 # as shells match a star: go back to the last one
                if (i <= n && want[i] == "...") { star = i++; mark = j }
                else if (i <= n && agree(want[i], have[j])) { i++; j++ }
                else if (star) { i = star + 1; j = ++mark }
                else break
            }
            while (i <= n && want[i] == "...") i++
            if (i <= n || j <= m) { print "shown: " want[i] "; printed: " have[j]; exit 1 }
        }' "$1" "$2"
}

# A file of the document; its first line says what becomes of it.
model() {
    read -r _ name fate <"$1"
    name=${name%:}
    case $name in *.lbr) ;; *) fail "block $1 begins with its name" "$(head -1 "$1")"; return ;; esac
    cp "$1" "$scratch/work/$name"
    method=midpoint
    grep -q '^constraint' "$1" && grep -q '^canonical' "$1" && method=rattle
    (cd "$scratch/work" && libration run "$name" --method $method --step 0.001 --steps 0) >"$scratch/said" 2>&1
    status=$?
    case $fate in
    refused) [ $status = 2 ] && grep -q "^$name:[0-9]" "$scratch/said" ;;
    '') [ $status = 0 ] || [ $status = 1 ] ;;           # 1: claims about runs of no steps
    *) false ;;
    esac && pass "$name: ${fate:-loads}" || fail "$name: ${fate:-loads}" "status $status" "$(cat "$scratch/said")"
}

# Commands; what they print is kept.
commands() {
    : >"$scratch/said"
    while read -r line; do
        expected=${line##*# status }
        [ "$expected" != "$line" ] || expected=0
        [ -n "$gnuplot" ] || line=$(printf '%s\n' "$line" | sed 's/ --plot [^ ]*//; s/^ls .*svg$/true/')
        (cd "$scratch/work" && sh -c "$line") </dev/null >"$scratch/one" 2>&1
        status=$?
        cat "$scratch/one" >>"$scratch/said"
        if [ $status = "$expected" ]; then pass "$line"; else fail "$line" "status $status" "$(cat "$scratch/one")"; fi
    done <"$1"
}

for block in "$scratch"/[0-9]*.*; do
    case $block in
    *.lbr) model "$block" ;;
    *.sh) commands "$block" ;;
    *.text) if why=$(matches "$block" "$scratch/said"); then pass "the output shown in block $(basename "$block")"
            else fail "the output shown in block $(basename "$block")" "$why" "$(cat "$scratch/said")"; fi ;;
    esac
done

# --- nothing is missing: names that the sources know stand in the document between backquotes ------------------------

sed -n '/^# Reference/,$p' "$document" | awk '/^```/ { inside = !inside; next } !inside' |
    tr '\n' ' ' >"$scratch/reference"
quoted() { grep -o '`[^`]*`' "$scratch/reference" | tr -c 'A-Za-z0-9_' '\n' | sort -u; }
missing() { sort -u | grep -vxF "$(quoted)"; }
syntax=$LBR_SOURCE/src/syntax language=$LBR_SOURCE/src/language judge=$LBR_SOURCE/src/judge
# FROM TO FILE: the texts between lines that match; those that are one word.
texts() { sed -n "/$1/,/$2/p" "$3" | grep -o '"[^"]*"' | tr -d '"'; }
words() { texts "$@" | grep -x '[A-Za-z0-9]*'; }
none "every function is described" \
    "$(words '^static const function functions' '^};' "$language/functions.c" | missing)"
none "every function of series is described" \
    "$(words 'reductions\[\] = {' '^};' "$judge/trace_reduce.c" | missing)"
none "every setting of a plot is described" \
    "$(grep -o '"of x y [a-z ]*"' "$judge/judge_plot.c" | tr -d '"' | tr ' ' '\n' | missing)"
none "every statement is described" "$(words '^} statements\[\]' '^};' "$syntax/parse_statement.c" | missing)"
none "every reserved word is described" \
    "$(texts '^static const char reserved' ';$' "$language/names.c" | tr ' ' '\n' | grep . | missing)"
none "every option is described" \
    "$(grep -o '^    { "[a-z_]*"' "$LBR_SOURCE/src/core/options.c" | grep -o '[a-z_]*' | missing)"
for limit in NESTING:syntax/ast MOST_ERRORS:syntax/ast RANK:language/lower MOST_COMPONENTS:language/lower \
    MOST_EVALUATIONS:language/lower MOST_NODES:graph/dag MOST_LOOPS:graph/dag; do
    number=$(grep -o "LBR_${limit%:*} = [0-9]*" "$LBR_SOURCE/src/${limit#*:}.h" | grep -o '[0-9]*$')
    ok "the limit ${limit%:*} is as in the sources" grep -qw "${number:-none}" "$scratch/reference"
done
done_testing
