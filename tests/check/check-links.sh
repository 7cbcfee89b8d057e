# check-links.sh - the documents, in the tree and installed: every relative link leads to a file, every anchor to a
# heading, every file that is named is there, and the rooms are those of the build.
. "$LBR_SOURCE/tools/tap.sh"

# The text outside of fenced blocks, of a file.
prose() { awk '/^```/ { fenced = !fenced; next } !fenced' "$1"; }

# Links [text](target) of a file, without those to the network.
links() { prose "$1" | sed 's/`[^`]*`//g' | grep -o '\](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^[a-z]*:' | sort -u; }

# The anchors of a file: headings in small letters, without punctuation, blanks as hyphens; one that comes again is numbered.
anchors() {
    prose "$1" | sed -n 's/^##* //p' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g' |
        awk '{ print (seen[$0]++ ? $0 "-" seen[$0] - 1 : $0) }'
}

# What is wrong in the links of a file.
broken() {
    links "$1" | while read -r link; do
        file=${link%%#*} anchor=
        case $link in *'#'*) anchor=${link#*#} ;; esac
        [ -n "$file" ] && file=$(dirname "$1")/$file || file=$1
        if [ ! -f "$file" ]; then echo "$1: $link: there is no such file"
        elif [ -n "$anchor" ] && ! anchors "$file" | grep -qxF -e "$anchor"; then echo "$1: $link: there is no such heading"; fi
    done
}

# Files that are named between backticks, from the root of the documents: `examples/pendulum.c`.
unnamed() {                     # ROOT FILE
    grep -oE '`(docs|examples|experiments|models)/[A-Za-z0-9_-]+\.[a-z]+`' "$2" | tr -d '`' | sort -u | while read -r name; do
        [ -f "$1/$name" ] || echo "$2: $name: there is no such file"
    done
}

# Sources that are named between backticks: by their path, by room and file, or by the file alone; NAME in capitals, and
# FILE, stand for many, and so does a star.
unplaced() {                    # FILE, asked at the root of the tree
    grep -oE '`(src|include|tests|tools|bench|fuzz|cmake)/[A-Za-z0-9_./*-]+|`[A-Za-z0-9_./*-]+\.(c|h|inc|cpp|sh|cmake)`' "$1" |
        tr -d '`' | grep -v '[A-Z][A-Z]' | sort -u | while read -r name; do
        case $name in
        */*) set -- $name src/$name include/$name tests/$name ;;
        *) set -- $(find src include tests bench fuzz examples cmake -name "$name") ;;
        esac
        for place; do [ -e "$place" ] && continue 2; done
        echo "$name"
    done
}

# The rooms in the tables of a document, and those of the build, under the name of the list in which they stand.
rooms_told() { awk '/^The library, from/ { of = "library" } /^The tool:/ { of = "tool" } /^## / { of = "" }
    of && /^\| `[a-z]+` \|/ { gsub("`", "", $2); print of, $2 }' "$1" | sort; }
rooms_built() { sed -n 's/^lbr_rooms(LBR_\([A-Z]*\) *\(.*\))$/\1 \2/p' cmake/sources.cmake |
    while read -r of rooms; do for room in $rooms; do
        echo "$([ "$of" = LIBRARY ] && echo library || echo tool) $room"
    done; done | sort; }

asked() {                       # ROOT WHERE
    for file in "$1"/README.md "$1"/CONVENTIONS.md "$1"/CHANGELOG.md "$1"/docs/*.md; do
        name=${file#"$1"/}
        if [ ! -f "$file" ]; then fail "$2: there is $name"; continue; fi
        none "$2: links of $name" "$(broken "$file")"
        none "$2: files that $name names" "$(unnamed "$1" "$file")"
    done
}

asked "$LBR_SOURCE" "in the tree"
ok "installs" cmake --install "$LBR_BUILD" --prefix "$scratch/prefix"
root=$(find "$scratch/prefix" -name README.md -exec dirname {} \; | head -1)
ok "documents are installed" test -n "$root"
asked "$root" "installed"
none "all documents, pictures and examples are installed" "$(cd "$LBR_SOURCE" && find docs examples models experiments \
    -name '*.md' -o -name '*.svg' -o -name '*.[ch]' -o -name '*.lbr' | while read -r file; do cmp -s "$file" "$root/$file" || echo "$file"; done)"
none "documents that nothing leads to" "$(cd "$LBR_SOURCE" && for file in docs/*.md; do
    name=$(basename "$file")
    grep -l "($file[#)]" README.md >/dev/null || grep -lE "\]\($name[#)]" docs/*.md | grep -qv "^$file$" || echo "$file"
done)"

cd "$LBR_SOURCE" || exit 1
for file in README.md CONVENTIONS.md CHANGELOG.md docs/*.md; do
    none "sources that $file names and that are not there" "$(unplaced "$file")"
done
rooms_told docs/architecture.md >"$scratch/told"
rooms_built >"$scratch/built"
ok "docs/architecture.md tells of rooms" test -s "$scratch/told"
none "they are those of the library and of the tool" "$(diff "$scratch/told" "$scratch/built")"

# What a document shows of a file is the file, but for comments.
bare() { sed 's/ *#.*//' "$@" | grep -v '^$'; }
shown=$(sed -n 's/.*this is `\(experiments\/[a-z-]*\.lbr\)`.*/\1/p' "$LBR_SOURCE/docs/experiments.md")
ok "docs/experiments.md names the file that it shows" test -f "$LBR_SOURCE/${shown:-none}"
awk '/this is `experiments/ { on = 1 } on && /^```/ { if (inside) exit; inside = 1; next } inside' "$LBR_SOURCE/docs/experiments.md" >"$scratch/shown"
bare "$scratch/shown" >"$scratch/a"
bare "$LBR_SOURCE/$shown" >"$scratch/b"
ok "and shows all of it" test -s "$scratch/a"
none "as it is" "$(diff "$scratch/a" "$scratch/b")"

# Against: the questions must find what is wrong.
mkdir "$scratch/bad"
printf '# A heading, of two\n[a](none.md) [b](#no-heading) [c](#a-heading-of-two)\n`[d](code.md)` `docs/none.md`\n' >"$scratch/bad/README.md"
ok "a broken link and a broken anchor would be found" test "$(broken "$scratch/bad/README.md" | wc -l)" = 2
printf '`src/core/none.c` `core/none.h` `none*.inc` `core/lu.c` `lu.h` `test_NAME.c`\n' >"$scratch/bad/sources.md"
ok "and sources that are not there" test "$(unplaced "$scratch/bad/sources.md" | tr '\n' ' ')" = \
    "core/none.h none*.inc src/core/none.c "
ok "a file that is not there would be found" test "$(unnamed "$scratch/bad" "$scratch/bad/README.md" | wc -l)" = 1
done_testing
