/* test_run_looks.c - what is looked at in runs: rates, abbreviations of measures, angles without jumps; runs without
 * settings, models from standard input. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#define ROTOR                         \
    "param m = 2\n"                   \
    "canonical q[2], p[2]\n"          \
    "H = sq(p)/(2*m) - cos(q[1])\n"   \
    "start q = [0, 1], p = [5, 1]\n"  \
    "section turn: sin(q[1]/2) = 0\n" \
    "run method = gauss:4, step = 0.1, time = 20\n"

/* Every claim of the text holds. */
static void holds(const char *text, const char *what)
{
    spit("m.lbr", text);
    ok(tool("run|m.lbr") == 0 && strstr(out, "holds") && !strstr(out, "FAILS"), "%s: %s", what, told);
}

static void refused(const char *text, const char *words)
{
    spit("m.lbr", text);
    ok(tool("run|m.lbr") == 2 && !*out && says(words), "refused: %s", told);
}

/* --- rates ------------------------------------------------------------------------------------------------------- */

static void rates(void)
{
    holds(ROTOR
          "let fast = q'\n"
          "observe v = q', f = p[1]', each[k = 1..2] = q[k]', speed = norm(fast), twice = 2*dot(v, fast)\n"
          "measure wrong = max(norm(v - p/m)), force = max(abs(f + sin(q[1]))), there = max(norm(v))\n"
          "measure one = max(norm(each - v)), more = max(abs(twice - 2*speed^2)), own = max(norm(q' - v))\n"
          "measure exactly = max(norm(exact.v - exact.p/m)), short = max(norm(fast - v))\n"
          "measure events = max(norm(turn.v - turn.p/m)), named = max(norm(turn.fast - turn.v)), n = count(turn)\n"
          "claim wrong = 0\nclaim force < 1e-15\nclaim one = 0\nclaim more < 1e-12\nclaim own = 0\nclaim n > 5\n"
          "claim exactly < 1e-13\nclaim short = 0\nclaim events = 0\nclaim named = 0\nclaim there > 2\n",
          "velocities and forces of a Hamiltonian");
    holds("state y[3]\n"
          "y' = cross(y, [y[1], y[2]/2, y[3]/3])\n"
          "observe rate = y', spectrum = eigenvalues([[y[1]', 1], [1, 0]])\n"
          "start y = [1, 0.5, 0.2]\n"
          "run method = rk4, step = 0.1, time = 5\n"
          "measure flat = max(abs(dot(rate, y))), size = max(norm(rate)), sum = max(abs(spectrum[1] + spectrum[2] - "
          "rate[1]))\n"
          "claim flat < 1e-14\nclaim size > 0.01\nclaim sum < 1e-14\n",
          "rates of the whole state, and what is solved for");
    holds("canonical q[2], p[2]\n"
          "H = sq(p)/2 + q[2]\n"
          "constraint c = (sq(q) - 1)/2\n"
          "observe a = p', v = q'\n"
          "start q = [1, 0], p = [0, 0]\n"
          "run method = rattle, step = 0.01, time = 3\n"
          "measure along = max(abs(dot(a, q) + sq(p))), free = max(abs(a[2] + 1)), tangent = max(abs(dot(v, q)))\n"
          "claim along < 1e-10\nclaim free > 0.5\nclaim tangent < 1e-12\n",
          "the forces of constraints are in them");
    holds("canonical q, p\nL = q'^2/2 + cos(q)\nobserve v = q'\nstart q = 1\n"
          "run method = gauss:2, step = 0.1, time = 2\nmeasure d = max(abs(v - p)), s = max(abs(v))\n"
          "claim d < 1e-15\nclaim s > 0.5\n",
          "of a Lagrangian");
    holds("canonical q[100], p[100]\nH = sq(p)/2 + sum(i = 1..99, (q[i+1] - q[i])^4)/4\nobserve a = p'\n"
          "start p[3] = 1\nrun method = stormer-verlet, step = 0.1, time = 2\n"
          "measure d = max(abs(a[1] - (q[2] - q[1])^3)), total = max(abs(sum(i = 1..100, a[i])))\n"
          "claim d < 1e-15\nclaim total < 1e-13\n",
          "of a long chain");
}

static void wrong_rates(void)
{
    static const struct {
        const char *text, *words;
    } row[] = {
        { "canonical q, p\nobserve v = q'\nH = p^2/2 + v\n", "m.lbr:3:13|'v' has a rate" },
        { "canonical q, p\nlet v = q'\nH = p^2/2 + v\n", "m.lbr:3:13|'v' has a rate" },
        { "canonical q, p\nlet v(x) = x*q'\nH = p^2/2 + v(1)\n", "m.lbr:3:13|'v' has a rate" },
        { "canonical q, p\nH = p^2/2\nobserve v = q'\nlet w = 2*v\ninvariant I = w\n", "m.lbr:5:15|'w' has a rate" },
        { "canonical q, p\nH = p^2/2\nobserve v = q'\nconstraint c = v\n", "m.lbr:4:16|'v' has a rate" },
        { "canonical q, p\nlet v = p'\nL = q'^2/2 + v\n", "m.lbr:3:14|'v' has a rate" },
        { "canonical q, p\nH = p^2/2\nobserve v = p'\nstart p = v\n", "m.lbr:4:11|'v' has a rate" },
        { "canonical q, p\nH = p^2/2\nobserve v = grad(q'^2, q)\n", "m.lbr:3:18|derivatives of rates" },
        { "canonical q, p\nH = p^2/2\nobserve v = bracket(q, p'^2)\n", "derivatives of rates" },
        { "canonical q, p\nH = p^2/2\nobserve v = H'\n", "only a variable of the state" },
        { "canonical q, p\nH = p^2/2 + q'\n", "m.lbr:2:14|observe" },
        { "canonical q, p\nL = q'^4\nobserve v = q'\nstart p = 1\nrun method = rk4, step = 1, steps = 1\n",
          "quadratic in the velocities" },
    };

    for (int i = 0; i < COUNT(row); i++) refused(row[i].text, row[i].words);
}

/* --- abbreviations ----------------------------------------------------------------------------------------------- */

static void abbreviations(void)
{
    holds(ROTOR "run a:\nrun b: step = 0.05\n"
                "observe s = norm(q)\n"
                "let twice = 2*s, shifted[k = 1..2] = q[k] + s\n"
                "measure far = max(s), both = max(norm(shifted - q - [s, s]))\n"
                "let half = far/2, swing = spread(q[2]), steps2 = 2*steps, pair[k = 1..2] = far + k\n"
                "measure quarter = half/2, third = max(twice)/2 - far\n"
                "let eighth = quarter/2\n"
                "table of = [a, b], columns = [half, swing, pair]\n"
                "claim a.eighth = a.far/8\nclaim b.half > 1\nclaim a.third = 0\nclaim a.both < 1e-12\n"
                "claim abs(a.swing - 10) < 1e-12\nclaim a.steps2 = 400\nclaim a.pair[2] = a.far + 2\n"
                "claim max(abs(a.twice - 2*a.s)) = 0\n",
          "of what is observed and measured");
    spit("used.lbr", ROTOR "measure far = max(q[2])\nlet half = far/2\n");
    holds("use \"used.lbr\"\nmeasure n = last(q[2])\nclaim n > 1\n", "those of a file that is used do no harm");
}

static void wrong_abbreviations(void)
{
    static const struct {
        const char *text, *words;
    } row[] = {
        { "measure x = max(q[1])\nlet y = x\nobserve z = y\n", "m.lbr:9:13|'y' is made of what is measured" },
        { "measure x = y\nlet y = 2*x\n", "'x' is used before it is declared" },
        { "let y = z + max(q[1])\nlet z = 2*y\nmeasure x = z\n", "recursion" },
        { "let f(x) = drift(x)\n", "m.lbr:7:12|a function is of numbers" },
        { "let y = drift(q)\nclaim y < 1\nrun a:\n", "'y' is a quantity of a run: write a.y" },
        { "let y = drift(q)\nmeasure x = exact.y\n", "'y' is measured over a run" },
        { "let y = drift(q)\nmeasure x = max(turn.y)\n", "'y' is measured over a run" },
        { "let y = drft(q)\n", "m.lbr:7:9|drft" },
        { "let y = drift(zz)\nmeasure x = y\n", "m.lbr:7:15|'zz'" },
    };
    char text[2000];

    for (int i = 0; i < COUNT(row); i++)
        snprintf(text, sizeof text, "%s%s", ROTOR, row[i].text), refused(text, row[i].words);
}

/* --- angles ------------------------------------------------------------------------------------------------------ */

static void angles(void)
{
    holds(ROTOR "run a:\nrun v[k = 1..2]: step = 0.1/k\n"
                "observe angle = atan2(sin(q[1]), cos(q[1])), both = [mod(q[1], 2*pi), -mod(q[1], 2*pi)]\n"
                "measure jumps = spread(angle), none = max(abs(unwrap(angle) - q[1])), far = last(unwrap(both)[1])\n"
                "measure other = max(norm(unwrap(both) - [q[1], -q[1]])), ends = last(unwrap(turn.angle))\n"
                "claim a.jumps < 6.4\nclaim a.none < 1e-13\nclaim a.far > 30\nclaim a.other < 1e-13\n"
                "claim max(max(abs(unwrap(v.angle) - v.q[1]))) < 1e-13\nclaim a.ends < 7\n",
          "unwrap removes jumps of 2 pi");
    refused(ROTOR "measure x = unwrap(3)\n", "unwrap takes a series");
    refused(ROTOR "measure x = unwrap(q, 3)\n", "unwrap takes 1 argument");
    refused(ROTOR "observe x = unwrap(q)\n", "there is no function 'unwrap'");
}

/* --- runs -------------------------------------------------------------------------------------------------------- */

static void runs(void)
{
    holds(ROTOR "run a:\n\n# nothing\nrun v[k = 1..2]:\nrun b: # goes on\n  time = 1\nmeasure n = last(t)\n"
                "claim a.n = 20\nclaim v.n = 20\nclaim b.n = 1\nclaim a.H = v[1].H\nrun z:",
          "a run without settings is as the shared ones say");
    ok(strstr(out, "z ") != NULL, "also at the end of the text");
    holds("param L = 1\ncanonical q, p\nH = p^2/2 + L*q^2\nstart q = 1\nrun method = rk4, step = 0.1, steps = 5\n"
          "run a:\n  L = 2\nclaim a.L = 2\n",
          "what may be a setting is one");
}

/* --- standard input ---------------------------------------------------------------------------------------------- */

/* The tool reads this file. */
static int reading(const char *file, const char *arguments)
{
    int before = dup(0), f = open(file, O_RDONLY), code;

    dup2(f, 0), close(f);
    code = tool(arguments);
    dup2(before, 0), close(before);
    return code;
}

static void standard_input(void)
{
    static char large[(1 << 20) + 10];

    spit("m.lbr", ROTOR);
    ok(reading("m.lbr", "run|-|--json") == 0 && is_text("model", "stdin") && number("t") == 20, "run -: %s", told);
    ok(reading("m.lbr", "compare|-|--time|1|--methods|rk4|--steps|10,20") == 0, "compare -: %s", told);
    ok(reading("m.lbr", "methods|--fits|-|--json") == 0 && is_json() && strstr(out, "\"fits\": true"),
       "methods --fits -: %s", told);
    spit("own.lbr", "state y\ny' = -y\nstart y = 1\nmethod mine = splitting(a = [1/2, 1/2], b = [1])\n");
    ok(reading("own.lbr", "check|-") == 0 && strstr(out, "mine"), "check -: %s", told);
    ok(reading("m.lbr", "reproduce|-") == 2 && says("standard input|libration run -"), "reproduce -: %s", told);
    spit("uses.lbr", "use \"m.lbr\"\nrun step = 0.5\n");
    ok(reading("uses.lbr", "run|-|--json") == 0 && number("step") == 0.5, "files are those of the current folder");
    spit("wrong.lbr", "canonical q, p\nH = z\n");
    ok(reading("wrong.lbr", "run|-") == 2 && says("stdin:2:5: there is no name 'z'"), "mistakes have places: %s", told);
    ok(reading("/dev/null", "run|-") == 2 && says("no variables"), "nothing: %s", told);
    memset(large, '#', sizeof large - 1), spit("large.lbr", large);
    ok(reading("large.lbr", "run|-") == 2 && says("standard input|limit of a text"), "too much: %s", told);
    ok(reading("/dev/zero", "run|-") == 2 && says("standard input"), "without an end: %s", told);
    ok(reading(".", "run|-") == 2 && says("standard input: Is a directory"), "a folder: %s", told);
    ok(!system("printf 'canonical q, p\\n\\0H = p^2' >zero.lbr") && reading("zero.lbr", "run|-") == 2 &&
           says("zero byte"),
       "a zero byte: %s", told);
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

static void messages(void)
{
    refused(ROTOR "run a:\nplot of = turn, x = t, y = H\n", "m.lbr:8:11|'turn' is a section, not a run|of = a.turn");
    refused(ROTOR "plot of = [turn], x = t, y = H\n", "'turn' is a section, not a run|x = turn.t");
    holds(ROTOR "run a:\nplot of = a.turn, x = t, y = H\nclaim count(a.turn) > 1\n", "as it says");
    refused("param norm = 2\nstate x\nx' = norm(x)\n", "m.lbr:3:6|parameter|line 1|hides");
    refused("canonical q, p\nlet sq = p^2\nH = sq(p)\n", "m.lbr:3:5|abbreviation|line 2|hides");
    refused("param a = 2\nstate x\nx' = a(x)\n", "'a' is not a function\n");
    refused("param first = 2\nstate x\nx' = x\nrun method = rk4, step = 1, steps = 1\nmeasure y = first(x)\n",
            "m.lbr:5:13|parameter|line 1|hides");
    refused("state x\nx' = 1\nH = x\n", "m.lbr:3:1|rates and H exclude each other|invariant H");
    refused("canonical q, p\nH = p^2\nq' = p\n", "m.lbr:3:1|rates and H exclude each other|invariant H");
    spit("m.lbr", ROTOR "measure x = max(H)\nclaim x > 1\n");
    ok(tool("run|m.lbr|--steps|1e13") == 4 && says("would take 4.8e+05 GB for 1e+13 samples of 6 numbers|every|record"),
       "too many samples are refused before: %s", told);
}

static void tests(void)
{
    rates(), wrong_rates(), abbreviations(), wrong_abbreviations(), angles(), runs(), standard_input(), messages();
}

int main(void) { return with_tool(tests); }
