# check-layers.sh - who may include whom: the layers of the library, from the lines that begin with #include.
. "$LBR_SOURCE/tools/tap.sh"
cd "$LBR_SOURCE" || exit 1

# A layer, and beside itself and the public headers, what it may include.
layers='
core
solve       core
stepper     core solve
plan        core solve stepper
series      core solve stepper plan
kind        core solve stepper plan series
observe     core solve stepper plan
model       core solve stepper plan
ensemble    core solve stepper plan
kernel      core solve stepper plan model
io          core solve stepper plan series observe model ensemble
experiment  core solve stepper plan series observe model ensemble kernel io
cli         experiment kernel model
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
none "plan and series know no kind by name" "$(grep -nE 'lbr_kind_find\("|lbr_kind_[a-z]+\[' src/plan/*.[ch] src/series/*.[ch] | grep -v 'lbr_kind_find(const')"
none "examples include public headers and their own only" "$(find examples -name '*.[ch]' | sort | strays examples)"

# Against: the question must find what is wrong.
mkdir "$scratch/core"
echo '#include "plan/plan.h"' >"$scratch/core/bad.c"
ok "an include upwards would be found" test -n "$(echo "$scratch/core/bad.c" | strays core)"
done_testing
