# check-links.sh - the documents, in the tree and installed: every relative link leads to a file, every anchor to a heading, every file that is named is there.
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
ok "a file that is not there would be found" test "$(unnamed "$scratch/bad" "$scratch/bad/README.md" | wc -l)" = 1
done_testing
