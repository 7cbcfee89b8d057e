# check-reproduce.sh - the experiments: every claim that is not too long holds, and is broken by what must break it; the
# command around them.
. "$LBR_SOURCE/tools/tap.sh"
cd "$scratch" || exit 1

# All of them, once; the rest of this file is about a few.
"$LIBRATION" reproduce --all --quick --bite --json --report all >all.json 2>all.err
status=$?
ok "libration reproduce --all --quick --bite passes" test $status = 0
ok "its page has less than 3 MB: $(wc -c <all/index.html)" test "$(wc -c <all/index.html)" -lt 3000000
pictures=$(awk '/<svg/ { inside = 1 } inside { n += length($0) + 1 } /<\/svg>/ { inside = 0 } END { print n + 0 }' \
    all/index.html)
if command -v gnuplot >/dev/null; then ok "the pictures are all there" test "$pictures" -gt 1000000; fi
dots=$(grep -o '<svg.*' all/index.html | awk '{ n = gsub(/h0/, ""); if (n > most) most = n } END { print most + 0 }')
if command -v gnuplot >/dev/null; then ok "dots are enough for a pattern: $dots" test "$dots" -gt 4000; fi
[ $status = 0 ] || sed 's/^/# /' all.err
none "each experiment is there" "$(for f in "$LBR_SOURCE"/experiments/*.lbr; do
    grep -q "\"id\": \"$(basename "$f" .lbr)\"" all.json || basename "$f"
done)"
none "each claim holds" "$(grep -n '"holds": false' all.json)"
none "each bites" "$(grep -n '"bites": \(false\|null\)' all.json)"
none "none has failed" "$(grep -n '"failure"' all.json)"
ok "there are more than 80 claims" test "$(grep -c '"bites": true' all.json)" -gt 80

# status STATUS WORDS ARGUMENTS...: how it ends, and what it says.
status() {
    want=$1 words=$2; shift 2
    "$LIBRATION" reproduce "$@" >said 2>&1
    got=$?
    if [ $got = "$want" ] && grep -q -e "$words" said; then pass "reproduce $*: $want, $words"
    else fail "reproduce $*: $want, $words" "$got: $(head -5 said)"; fi
}
status 0 '[0-9]* claims hold, 0 do not, 0 skipped' kepler-orbits
status 0 '^lorenz-orders: ' V
status 0 '^kepler-orders: ' II.4.4
status 0 '^collocation: ' II.1 --quick
status 2 'no experiment is about IX' IX
status 2 "did you mean 'kepler-orbits'" kepler-orbit
status 2 'there is no experiment' something-else
status 2 'needs the name' --quick
status 2 'one or the other' --all V
status 2 "no option '--slow'" --all --slow
status 2 'No such file' ./nothing.lbr
status 2 'needs DIR' --all --report
not_ok "II is not I, nor V VI" sh -c "'$LIBRATION' reproduce I.1 | grep -q -e '^collocation' -e '^limit-cycles'"

# An experiment of one's own: holds or not, bites or not.
cat >mine.lbr <<'END'
title "Mine"
use   harmonic-oscillator
run   a: method = stormer-verlet, step = 0.1, time = 20
claim "<sharp> & \"quoted\"": drift(a.H) < 0.002 against step = 4*step
END
status 0 '1 claim holds, 0 do not, 0 skipped; 1 bite, 0 do not' mine.lbr --bite
{ cat mine.lbr; echo 'claim "blunt": drift(a.H) < 1 against step = 4*step'; } >blunt.lbr
status 1 'BLUNT  holds also step = 4\*step' blunt.lbr --bite
{ cat mine.lbr; echo 'claim "gone": mean(window(a.H, 0.1, 9e9)) < 1e9 against steps = 0'; } >gone.lbr
status 1 'BLUNT  breaks, but without a number: steps = 0  \[-\]: window(...) is not a number' gone.lbr --bite
status 0 '2 claims hold' blunt.lbr
{ cat mine.lbr; echo 'claim "false": drift(a.H) > 1'; } >false.lbr
status 1 'FAILS  false' false.lbr
{ cat mine.lbr; echo 'run long: method = gauss:2, step = 0.001, steps = 1e10, every = 1e10'
  echo 'claim "long": drift(long.H) < 1'; } >long.lbr
status 0 '1 claim holds, 0 do not, 1 skipped' long.lbr --quick
{ cat mine.lbr; echo 'run far: method = gauss:2, step = 0.001, steps = 1e10, every = 1e10'
  echo 'run near: step = 0.1, steps = 10, from = far'
  echo 'run one[k = 1..1000]: method = stormer-verlet, step = 0.1, steps = 1e8, every = 1e8'
  echo 'plot of = [near, one], x = t, y = H'; } >pictured.lbr
ok "pictures of --quick do not wait for long runs, nor for many" \
    timeout 60 "$LIBRATION" reproduce pictured.lbr --quick --report pictured

# The report.
"$LIBRATION" reproduce mine.lbr kepler-orders --bite --report page >said 2>&1
ok "a report is written" test -s page/index.html
ok "with its text escaped" grep -q '&lt;sharp&gt; &amp; &quot;quoted&quot;' page/index.html
ok "and it says that curves are thinned" grep -q 'Curves are thinned' page/index.html
none "and nothing from elsewhere" \
    "$(grep -n -i -e '<script' -e '<link' -e 'src=' -e 'http' page/index.html | cut -c1-200)"
ok "and no other file" test "$(ls page)" = index.html
if command -v gnuplot >/dev/null; then ok "and its picture" test "$(grep -c '<svg' page/index.html)" = 1; fi
status 2 'without --force' mine.lbr --report page
status 0 'page/index.html' mine.lbr --report page --force
status 2 'is not a folder' mine.lbr --report mine.lbr
: >page/other
status 2 'other files' mine.lbr --report page --force

# Ctrl-C ends everything.
"$LIBRATION" reproduce long.lbr >said 2>&1 &
child=$!
sleep 1
kill -TERM $child
wait $child
ok "interrupted: status 130" test $? = 130
done_testing
