# check-layers.sh - who may include whom: the layers of the library, from the lines that begin with #include.
. "$LBR_SOURCE/tools/tap.sh"
cd "$LBR_SOURCE" || exit 1

# A layer, and beside itself and the public headers, what it may include.
layers='
core
inspect     core
solve       core
stepper     core solve
plan        core stepper
series      core stepper plan
kind        core solve stepper plan series
graph       core
program     core stepper graph
syntax      core
language    graph program syntax
model       core solve stepper graph program syntax language
runs        core plan syntax language model
ensemble    plan
kernel      core stepper program model runs
io          core
execute     core plan runs kernel io
plot        core io kernel execute
judge       program graph language model io runs execute plot
experiment  core plan io execute runs plot judge
report      plan program io kernel execute experiment
cli         core syntax kernel io execute runs plot judge experiment report
'

# What a lower layer declares and a higher one defines: LAYER NAME FILE. There is no other inversion; the linker would find one that is not told here only
# where a program leaves out files.
inversions='
plan lbr_kinds src/kind/list.c
'

# Where NAME leads, included by FILE: a layer, "public", "system", or "nowhere".
leads_to() {                    # FILE NAME, the name with its brackets or quotes
    name=$(echo "$2" | tr -d '<>"')
    case $2 in
    '"'*) places="$(dirname "$1") src include" ;;
    *) places="src include" ;;
    esac
    for place in $places; do
        [ -f "$place/$name" ] || continue
        path=$(realpath --relative-to=. "$place/$name")
        case $path in
        include/*) echo public ;;
        src/*/*) path=${path#src/}; echo "${path%%/*}" ;;
        examples/*) echo examples ;;
        *) echo "$path" ;;
        esac
        return
    done
    case $2 in '"'*) echo nowhere ;; *) echo system ;; esac
}

# The includes of the files on standard input that lead to none of the places named.
strays() {
    while read -r file; do
        sed -n 's/^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*\(["<][^">]*[">]\).*/\1/p' "$file" | while read -r name; do
            target=$(leads_to "$file" "$name")
            case " $* public system " in *" $target "*) ;; *) echo "$file includes $name: $target" ;; esac
        done
    done
}

for folder in src/*/; do
    layer=$(basename "$folder")
    row=$(echo "$layers" | awk -v layer="$layer" '$1 == layer')
    if [ -z "$row" ]; then fail "src/$layer is a layer known to this check"; continue; fi
    none "includes of src/$layer" "$(find "$folder" -name '*.[ch]' -o -name '*.inc' | sort | strays $row)"
done
echo "$inversions" | while read -r layer name file; do
    [ -z "$layer" ] || { grep -q "^extern.* $name\[\];" src/$layer/*.h && grep -q "^const.* $name\[\] =" "$file"; } || echo "$name"
done >"$scratch/inversions"
none "what $(echo $inversions | cut -d' ' -f1) declares, the list of kinds defines" "$(cat "$scratch/inversions")"
# What is bound while a statement is read is forgotten by lbr_local_pop and lbr_local_pop_to.
bound_by_hand() { grep -nE '\<lo(->|\.)at\.nlocals *(--|[-+]=|= *[^=])' "$@"; }
none "names are bound and forgotten by lbr_local_push and lbr_local_pop" "$(bound_by_hand $(ls src/*/*.c | grep -vE '^src/language/(lower|names)\.c$'))"
# Arrays of structs that begin with their size have one stride: lbr_strided.
striding() { grep -nE '\(size_t\)[a-z]+ \* [a-z.>-]+->size\>' "$@"; }
none "elements of a caller's arrays are found by lbr_strided" "$(striding $(ls src/*/*.[ch] | grep -v "^src/execute/"))"
# By name: of a kind, a row, a stepper or the place in a list; or in a sentence, whose methods kinds offer (lbr_kind.offers).
methods=$(sed -n 's/^.*[ (]\(\.name = \|ROW(\)"\([a-z0-9]*-[a-z0-9-]*\)".*/\2/p' src/kind/*.c | sort -u | tr '\n' '|')
named='lbr_(kind|row)_find\("|lbr_kind_[a-z]+\[|&lbr_stepper_[a-df-z]|lbr_kinds\[[1-9]|"[^"]*\<('$methods'rattle|gauss|rk4|midpoint|collocation\()'
by_name() {                     # FILE ...
    grep -nE "$named" "$@" | grep -vE 'lbr_kind_find\(const|define ADDRESS|:[0-9]+: *\*|:[0-9]+:.*/\*[^"]*$'
}
none "plan and series know no kind by name" "$(by_name src/plan/*.[ch] src/series/*.[ch])"
# A statement is entered and left as a whole: what is set of it by hand, outside of names.c (definitions inside it) and where something is tried quietly.
by_hand() {                     # FILE ...
    grep -nE '\<lo(->|\.)at\.(((file|folder|order|floor|where) *[|&]?= *[^=])|(failed *= *0))|\<lo(->|\.)at *= *[^=]' "$@" | grep -vE 'quiet'
}
none "statements are entered by lbr_lower_enter and left by lbr_lower_leave" "$(by_hand src/*/*.[ch] | grep -vE '^src/language/(lower|names)\.c:')"
none "examples include public headers and their own only" "$(find examples -name '*.[ch]' | sort | strays examples)"

# Against: the question must find what is wrong.
mkdir "$scratch/core"
echo '#include "plan/plan_inside.h"' >"$scratch/core/bad.c"
ok "an include upwards would be found" test -n "$(echo "$scratch/core/bad.c" | strays core)"
echo 'm->lo.at.file = line->file, m->lo.at.failed = 0;' >"$scratch/core/hand.c"
for line in 'lbr_row_find("gauss")' 'p->stepper == &lbr_stepper_runge_kutta' '"only rattle does"' '"lobatto-3a:s has one"' 'return lbr_kinds[1];'; do
    echo "$line" >"$scratch/core/named.c"
    ok "a kind known by name would be found: $line" test -n "$(by_name "$scratch/core/named.c")"
done
echo 'm->lo.at.nlocals--;' >"$scratch/core/bound.c"
ok "a name forgotten by hand would be found" test -n "$(bound_by_hand "$scratch/core/bound.c")"
echo 'x = (const lbr_part *)((const char *)first + (size_t)i * first->size);' >"$scratch/core/stride.c"
ok "a stride by hand would be found" test -n "$(striding "$scratch/core/stride.c")"
ok "a statement entered by hand would be found" test -n "$(by_hand "$scratch/core/hand.c")"
done_testing
