/* test_run_results.c - what libration run gives to programs: its JSON, key by key, and files of samples and events.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/run_kill.h"

#define PENDULUM                                                 \
    "title \"Pendulum\"\n"                                       \
    "param g = 1, w = [1, 2], m[i = 1..2, j = 1..2] = i - j/4\n" \
    "canonical q[2], p[2]\n"                                     \
    "H = sq(p)/2 - g*cos(q[1]) + q[2]^2/2\n"                     \
    "start q = [1, 0.3], p = [0, 0]\n"                           \
    "section down: q[1] = 0, p[1] < 0\n"                         \
    "section a_rather_long_name_of_a_section: q[2] = 0\n"
#define RUN "run method = stormer-verlet, step = 0.1, time = 100\n"

/* --- JSON -------------------------------------------------------------------------------------------------------- */

static void one_run(void)
{
    spit("one.lbr", PENDULUM RUN "measure dH = drift(H), series = H - first(H), v = [last(q[1]), 7], n = count(down)\n"
                                 "table t: columns = [method, step, dH, v]\n");
    ok(tool("run|one.lbr|--json") == 0 && is_json(), "JSON of a run without a name: %s", told);
    ok(is_text("title", "Pendulum"), "its title");
    ok(number("parameters.g") == 1 && number("parameters.w[1]") == 2, "parameters: numbers and lists");
    ok(number("parameters.m[0][1]") == 0.5 && number("parameters.m[1][0]") == 1.75, "and matrices, by rows");
    ok(number("measures.dH") > 0 && number("measures.dH") < 0.01, "a measure");
    ok(number("measures.v[1]") == 7 && number("measures.v[0]") == number("state[0]"), "a measure that is a vector");
    ok(!at("measures.series"), "a series is not told");
    ok(number("measures.n") == 15 && members("events.down") == 15, "events are told, all that are counted");
    ok(fabs(number("events.down[3].state[0]")) < 1e-14 && number("events.down[3].state[2]") < 0, "with their states");
    ok(number("events.down[3].t") > number("events.down[2].t"), "and times");
    ok(members("runs") == 1 && number("runs[0].measures.dH") == number("measures.dH"), "the same in runs");
    ok(number("runs[0].parameters.g") == 1 && members("runs[0].events.down") == 15, "parameters and events there");
    ok(members("claims") == 0 && members("tables") == 1, "no claims, one table");
    ok(is_text("tables[0].name", "t") && is_text("tables[0].columns[2]", "dH"), "its name and columns");
    ok(is_text("tables[0].rows[0][0]", "stormer-verlet") && number("tables[0].rows[0][1]") == 0.1, "its rows");
    ok(number("tables[0].rows[0][2]") == number("measures.dH"), "with all digits");
    ok(number("tables[0].rows[0][3][1]") == 7, "and vectors");
}

static void several(void)
{
    spit("two.lbr", PENDULUM "run method = stormer-verlet, step = 0.1, time = 10\n"
                             "run a: g = 2\n"
                             "run v[k = 1..3]: step = 0.1/k\n"
                             "measure dH = drift(H)\n"
                             "claim v[3].dH < v[1].dH\n"
                             "table columns = [dH]\n");
    ok(tool("run|two.lbr|--json") == 0 && is_json() && members("runs") == 4, "JSON of several runs: %s", told);
    ok(is_text("title", "Pendulum") && is_text("model", "two") && !at("parameters"), "title and model are shared");
    ok(number("runs[0].parameters.g") == 2 && number("runs[1].parameters.g") == 1, "parameters are each one's own");
    ok(number("runs[3].measures.dH") < number("runs[1].measures.dH"), "and so are measures");
    ok(is_null("tables[0].name") && members("tables[0].rows") == 4 && is_text("tables[0].rows[2][0]", "v[2]"),
       "a table without a name, with the names of runs");
    ok(number("tables[0].rows[2][1]") == number("runs[2].measures.dH"), "and their numbers");
    ok(tool("run|two.lbr|--json|--run|v[2]") == 0 && is_json() && members("runs") == 1 && at("measures.dH"),
       "one of them has its measures, too");
    ok(number("step") == 0.05 && is_text("name", "v[2]"), "and its keys at the top");
    ok(members("claims") == 0 && members("tables") == 0, "nothing is claimed and listed of it");
    ok(is_text("model", "two") && is_text("runs[0].model", "two"), "each run has the model");
    ok(is_text("kernel", "interpreter") && is_null("kernel_from"), "what has evaluated it");
    spit("bare.lbr", "canonical q, p\nH = p^2/2\nrun method = rk4, step = 1, steps = 1\n");
    ok(tool("run|bare.lbr|--json") == 0 && at("sections") && !strncmp(at("sections"), "{}", 2) &&
           !strncmp(at("events"), "{}", 2),
       "sections and events are there without any");
    spit("none.lbr", PENDULUM "run method = stormer-verlet, step = 0.1, time = 10\nrun v[k = 1..2]:\n"
                              "measure x = mean(window(H, 50, 60)), never = when(H > 50), soon = when(H < 50)\n"
                              "claim v.x < 1\n");
    ok(tool("run|none.lbr|--json") == 1 && is_null("runs[0].measures.x") && is_null("runs[0].measures.never"),
       "what is missing is null, and so is what is infinite");
    ok(members("runs[0].infinite") == 1 && is_text("runs[0].infinite[0]", "never"), "and it is told which is");
    ok(is_text("claims[0].why", "v.x is not a number"), "a claim says why it is unknown");
    ok(tool("run|none.lbr") == 1 && strstr(out, "FAILS   v.x < 1  [- .. -]  v.x is not a number\n"),
       "a list without numbers, for people: %s", out);
    spit("fails.lbr", "canonical q, p\nH = p^2/2 - sqrt(q)\nstart q = 0.1, p = -1\n"
                      "run a: method = stormer-verlet, step = 0.5, steps = 10\nmeasure x = last(q)\n");
    ok(tool("run|fails.lbr|--json") == 3 && is_json() && is_null("runs[0].measures.x"),
       "null of a run that has failed");
    ok(toolf("run|%s/examples/pendulum.c|--json", getenv("LBR_SOURCE")) == 0 && is_json() && members("runs") == 1 &&
           members("tables") == 0,
       "a system in C has the same keys: %s", told);
}

/* What a run that goes on can tell, and what not. */
static void resumed(void)
{
    spit("one.lbr", PENDULUM RUN "measure dH = drift(H)\n");
    ok(tool("run|one.lbr|--time|40|--checkpoint|c") == 0 && tool("run|one.lbr|--resume|c|--json") == 0 && is_json(),
       "a checkpoint made without JSON: %s", told);
    ok(members("events.down") == 9 && number("events.down[0].t") > 40, "events are those since then");
    ok(at("measures") && !at("measures.dH"), "and nothing is measured");
    ok(members("warnings") == 1 && strstr(text_at("warnings[0]"), "step 400") &&
           strstr(text_at("warnings[0]"), "left out are measures"),
       "which a warning says: %s", text_at("warnings[0]"));
    remove("c");
}

/* Half a run proves nothing: the whole one breaks the first claim and keeps the others, its second half alone would do
 * the opposite. */
static void judged_in_part(void)
{
    spit("damp.lbr", "canonical q, p\nH = p^2/2 + q^2/2\nrayleigh = 0.1*q'^2/2\nstart q = 1\n"
                     "section up: q = 0, p > 0\n"
                     "run method = rk4, step = 0.1, steps = 1000\n"
                     "measure top = max(q), n = count(up)\ntable columns = [top, first(t)]\n"
                     "plot x = t, y = q\n"
                     "claim \"never above 0.5\": top < 0.5\nclaim \"begins at 1\": first(q) = 1\nclaim n = 16\n");
    ok(tool("run|damp.lbr") == 1 && strstr(out, "FAILS   never") && strstr(out, "holds   begins") &&
           strstr(out, "holds   n = 16"),
       "the whole run");
    ok(tool("run|damp.lbr|--steps|500|--checkpoint|d.chk|--events|e.csv") == 1, "a part of it, with a checkpoint: %s",
       told);
    ok(tool("run|damp.lbr|--resume|d.chk|--plot|rest.svg|--events|e.csv") == 0 && !*err,
       "the rest: nothing is claimed");
    ok(!strstr(out, "FAILS") && !strstr(out, "holds") && !strstr(out, "first(t)"), "nothing is judged or listed");
    ok(strstr(out, "note: the run went on from step 500, and samples from before are not in a checkpoint: left out are "
                   "claims, tables, the picture\n") &&
           !there("rest.svg"),
       "which a note says, and no picture is drawn");
    ok(lines("e.csv") == 17, "the file of events has them all");
    ok(tool("run|damp.lbr|--resume|d.chk|--json") == 0 && is_json() && members("claims") == 0 && members("tables") == 0,
       "nor in JSON: %s", told);
    ok(strstr(text_at("warnings[0]"), "claims, tables, measures") && members("events.up") == 8,
       "which has a warning, and the events since then");
    ok(tool("run|damp.lbr|--steps|0|--checkpoint|d.chk|--force") == 1 && tool("run|damp.lbr|--resume|d.chk") == 1 &&
           strstr(out, "holds   n = 16"),
       "from a checkpoint of the start everything is judged");
    remove("d.chk"), remove("e.csv");
}

/* --- the document ------------------------------------------------------------------------------------------------ */

/* Whether `key` is a row of the table of keys: | `key` | or | `a`, `key` |. */
static int is_row(const char *doc, const char *key)
{
    char quoted[80];

    snprintf(quoted, sizeof quoted, "`%s`", key);
    for (const char *s = doc; (s = strstr(s, quoted)); s++) {
        const char *line = s, *bar;

        while (line > doc && line[-1] != '\n') line--;
        bar = strchr(line + 1, '|');
        if (*line == '|' && bar && s < bar) return 1;
    }
    return 0;
}

/* Keys that are names of the model, not ours. */
static int is_name(const char *key)
{
    static const char *const names[] = { "g", "c", "cut", "r", "dH", "I" };

    for (int i = 0; i < COUNT(names); i++)
        if (!strcmp(key, names[i])) return 1;
    return 0;
}

static int all_in(const char *doc, char *text, int *n)
{
    int good = 1;

    for (char *s = text, *close; (s = strchr(s, '"')) && (close = strchr(s + 1, '"')); s = close + 1) {
        if (close[1] != ':' || close - s > 60) continue;
        *close = 0, ++*n;
        if (!is_name(s + 1) && !is_row(doc, s + 1)) good = 0, printf("# %s is not documented\n", s + 1);
        *close = '"';
    }
    return good;
}

/* Every key of the document's table occurs. */
static int all_occur(const char *doc, const char *text)
{
    int good = 1;
    const char *table = strstr(doc, "| key |"), *end = table ? strstr(table, "\n\n") : NULL;

    for (const char *line = table; line && line < end; line = strchr(line + 1, '\n')) {
        const char *bar = strchr(line + 3, '|');

        for (const char *s = strchr(line, '`'), *close; s && s < bar; s = strchr(close + 1, '`')) {
            char quoted[80];

            if (!(close = strchr(s + 1, '`'))) break;
            snprintf(quoted, sizeof quoted, "\"%.*s\":", (int)(close - s - 1), s + 1);
            if (!strstr(text, quoted)) good = 0, printf("# %s does not occur\n", quoted);
        }
    }
    return good && end;
}

static void documented(void)
{
    static char text[2 * MOST], doc[MOST];
    char file[4096];
    int n = 0;

    snprintf(file, sizeof file, "%s/docs/results.md", getenv("LBR_SOURCE") ? getenv("LBR_SOURCE") : ".");
    slurp(file, doc);
    spit("k.lbr", "param g = 1\ncanonical q[2], p[2]\nH = sq(p)/2 + g*q[2]\nconstraint c = sq(q) - 1\n"
                  "invariant I = 1\nsection cut: q[1] = 0\nstart q = [1, 0], p = 0\nobserve r = norm(q)\n"
                  "run method = rattle, step = 0.1, time = 10\nrun a: until = cut\nrun b: step = 0.2\n"
                  "measure dH = drift(H)\ntable t: columns = [dH]\nclaim b.energy_error < 1\n");
    ok(tool("run|k.lbr|--json") == 0 && is_json(), "an answer with every key: %s", told);
    snprintf(text, sizeof text, "%s", out);
    spit("f.lbr", "canonical q, p\nH = p^2/2 - sqrt(q)\nstart q = 0.1, p = -1\n"
                  "run method = stormer-verlet, step = 0.5, steps = 10\n");
    ok(tool("run|f.lbr|--json") == 3 && is_json(), "and one of a failure");
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s", out);
    ok(all_in(doc, text, &n) && n > 60, "all %d keys are documented", n);
    ok(all_occur(doc, text), "and all that are documented occur");
}

/* --- files ------------------------------------------------------------------------------------------------------- */

static void events(void)
{
    static char text[MOST];

    spit("one.lbr", PENDULUM RUN);
    ok(tool("run|one.lbr|--events|w.csv|--json") == 0 &&
           lines("w.csv") == 1 + members("events.down") + members("events.a_rather_long_name_of_a_section"),
       "a file of events has a line for each: %s", told);
    slurp("w.csv", text);
    ok(!strncmp(text, "section,t,q[1],q[2],p[1],p[2]\na_rather_long_name_of_a_section,", 62), "and a line of names");
    {
        double before = -1;
        int good = 1;

        for (char *s = strchr(text, '\n') + 1; *s; s = strchr(s, '\n') + 1) {
            double t = strtod(strchr(s, ',') + 1, NULL);

            good &= t > before, before = t;
        }
        ok(good, "by their times");
    }
    ok(tool("run|one.lbr|--time|41|--events|p.csv|--checkpoint|c") == 0 && !same_files("w.csv", "p.csv") &&
           tool("run|one.lbr|--resume|c|--events|p.csv") == 0 && same_files("w.csv", "p.csv"),
       "a file that is continued is the same: %s", told);
    ok(tool("run|one.lbr|--resume|c|--events|rest.csv") == 0 && lines("rest.csv") == lines("w.csv") - 19,
       "another one has the rest: %s", told);
    ok(tool("run|one.lbr|--events|w.csv") == 2 && says("w.csv"), "nothing is overwritten: %s", told);
    ok(tool("run|one.lbr|--events|x.csv|--out|./x.csv") == 2 && says("--out|--events|x.csv") && !there("x.csv"),
       "one file cannot be both: %s", told);
    ok(tool("run|one.lbr|--events|x.txt") == 2 && says("x.txt|.csv"), "a name that is no table's: %s", told);
    spit("none.lbr", "canonical q, p\nH = p^2/2 + q^2/2\nstart q = 1\n" RUN);
    ok(tool("run|none.lbr|--events|x.csv") == 2 && says("no section"), "a model without sections: %s", told);
    ok(toolf("run|%s/examples/pendulum.c|--events|x.csv", getenv("LBR_SOURCE")) == 2 && says("--events"),
       "a system in C: %s", told);
    remove("c");
}

static void events_of_several(void)
{
    static char text[MOST];
    double before = 1;
    int good = 1;

    spit("two.lbr",
         PENDULUM "run method = stormer-verlet\nrun a: step = 0.1, time = 9\nrun b: step = -3, time = -90\n");
    ok(tool("run|two.lbr|--events|e.csv") == 0 && there("e-a.csv") && there("e-b.csv"), "a file for each run: %s",
       told);
    slurp("e-b.csv", text);
    for (char *s = strchr(text, '\n') + 1; *s; s = strchr(s, '\n') + 1) {
        double t = strtod(strchr(s, ',') + 1, NULL);

        good &= t <= before, before = t;
    }
    ok(good && before < -50, "backwards in time, several sections in one step: later ones are earlier");
}

static void plain_names(void)
{
    static char text[MOST];

    spit("one.lbr", PENDULUM "observe A = [[q[1], 1], [2, q[2]]]\n" RUN);
    remove("w.csv"), remove("p.csv"), remove("e.csv"), remove("c");
    ok(tool("run|one.lbr|--names|plain|--out|w.csv|--events|e.csv") == 0, "plain names: %s", told);
    slurp("w.csv", text);
    ok(!strncmp(text, "t,q_1,q_2,p_1,p_2,H,A_1_1,A_1_2,A_2_1,A_2_2\n# model: one\n", 57), "are words");
    ok(strstr(text, "\n# method: stormer-verlet\n") && strstr(text, "\n# step: 0.1"), "with comments: method, step,");
    ok(strstr(text, "\n# parameter.w: [1, 2]\n") && strstr(text, "\n# parameter.m: [[0.75, 0.5], [1.75, 1.5]]\n0,1,"),
       "parameters, and then numbers");
    slurp("e.csv", text);
    ok(!strncmp(text, "section,t,q_1,q_2,p_1,p_2\n# model: one\n", 39), "events too");
    ok(tool("run|one.lbr|--names|plain|--time|41|--out|p.csv|--checkpoint|c") == 0 &&
           tool("run|one.lbr|--names|plain|--resume|c|--out|p.csv") == 0 && same_files("w.csv", "p.csv"),
       "continued: %s", told);
    ok(tool("run|one.lbr|--names|plain|--steps|0|--out|z.csv|--checkpoint|c|--force") == 0 &&
           tool("run|one.lbr|--names|plain|--resume|c|--out|z.csv") == 0 && same_files("w.csv", "z.csv"),
       "from the start on: %s", told);
    ok(tool("run|one.lbr|--names|fancy|--out|x.csv") == 2 && says("fancy|plain"), "no such names: %s", told);
    ok(tool("run|one.lbr|--names|plain") == 2 && says("--out"), "names of nothing: %s", told);
    spit("same.lbr", "state q[2], q_1\nq[1]' = 1\nq[2]' = 1\nq_1' = 1\nrun method = rk4, step = 0.1, steps = 3\n");
    ok(tool("run|same.lbr|--out|s.csv|--names|plain") == 2 && says("q_1") && !there("s.csv"), "two alike: %s", told);
    ok(tool("run|same.lbr|--out|s.csv") == 0, "without plain names they are two: %s", told);
    remove("c");
}

static void plain_files(void)
{
    spit("v.lbr", PENDULUM RUN "run a_b:\nrun v[k = -1..1, l = 1..2]: steps = 5\n");
    ok(tool("run|v.lbr|--names|plain|--out|x.csv|--events|y.csv") == 0, "runs with indices: %s", told);
    ok(there("x-a_b.csv") && there("x-v_1_2.csv") && there("x-v_-1_2.csv"), "their files are named without brackets");
    ok(there("y-v_0_1.csv") && !there("x-v[1,2].csv"), "those of events too");
    ok(tool("run|v.lbr|--out|x.csv|--force") == 0 && there("x-v[1,2].csv"), "with brackets if nothing is said: %s",
       told);
    ok(tool("run|v.lbr|--names|plain|--run|v[1,2]|--steps|3|--out|r.csv|--checkpoint|c") == 0 &&
           tool("run|v.lbr|--names|plain|--run|v[1,2]|--resume|c|--out|r.csv") == 0 &&
           same_files("r.csv", "x-v_1_2.csv"),
       "one of them, continued: %s", told);
    spit("v.lbr", PENDULUM RUN "run v_1:\nrun v[k = 1..2]: steps = 5\n");
    ok(tool("run|v.lbr|--names|plain|--out|z.csv") == 2 && says("v[1]|v_1|both") && !there("z-v_1.csv"),
       "two of one name are refused: %s", told);
    ok(tool("run|v.lbr|--out|z.csv") == 0 && there("z-v[1].csv"), "which with brackets are two: %s", told);
    remove("c");
    ok(tool("run|v.lbr|--names|plain|--run|v|--out|u.csv") == 0 && there("u-v_1.csv"),
       "and so they are where one is not asked for: %s", told);
}

static int dumped(const char *attribute, const char *part)
{
    static char text[MOST];
    char command[256];

    snprintf(command, sizeof command, "h5dump -a %s x.h5 >dump 2>&1", attribute);
    if (system(command)) return 0;
    slurp("dump", text);
    return strstr(text, part) != NULL;
}

static void hdf5(void)
{
    static char text[MOST];

    spit("one.lbr", PENDULUM RUN);
    remove("x.h5"), remove("e.h5"), remove("p.h5");
    ok(tool("run|one.lbr|--out|x.h5|--events|e.h5") == 0, "HDF5: %s", told);
    ok(tool("run|one.lbr|--time|41|--events|p.h5|--checkpoint|c") == 0 &&
           tool("run|one.lbr|--resume|c|--events|p.h5") == 0,
       "events that are continued: %s", told);
    remove("c");
    if (!have_h5dump()) return;
    ok(dumped("step", "H5T_IEEE_F64") && dumped("step", "(0): 0.1"), "the step is a number");
    ok(dumped("every", "H5T_STD_I64") && dumped("every", "(0): 1\n"), "every is an integer");
    ok(dumped("library", "\"0.") && !dumped("'library version'", "\"0."), "the version is told once");
    ok(dumped("parameter.g", "SCALAR") && dumped("parameter.g", "(0): 1"), "a parameter");
    ok(dumped("parameter.m", "( 2, 2 )") && dumped("parameter.m", "(1,0): 1.75, 1.5"), "a matrix of them");
    ok(dumped("method", "\"stormer-verlet\""), "texts are texts");
    ok(!system("h5dump -d section e.h5 >dump 2>&1"), "sections are numbers");
    slurp("dump", text);
    ok(strstr(text, "\"down") && strstr(text, "\"a_rather_long_name_of_a_section\""), "of words that are told");
    ok(!system("h5dump -d q e.h5 >a 2>&1 && h5dump -d q p.h5 | sed s/p.h5/e.h5/ >b 2>&1 && cmp -s a b"),
       "a file that is continued has the same numbers");
}

/* --- for people: many runs, many rows, many numbers --------------------------------------------------------------- */

static int widest(const char *text)
{
    int most = 0, n = 0;

    for (; *text; text++) {
        n = *text == '\n' ? 0 : n + (((unsigned char)*text & 0xc0) != 0x80);
        most = n > most ? n : most;
    }
    return most;
}

static void many(void)
{
    spit("many.lbr", "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1\n"
                     "run method = stormer-verlet, step = 0.1, time = 10\nrun v[k = 1..500]: p = k/500\n"
                     "measure dH = drift(H)\ntable columns = [dH]\nclaim c[k = 1..500]: v[k].dH < 0.0014\n");
    ok(tool("run|many.lbr") == 1 && count(out, "\n") < 130, "500 runs: a summary, %d lines", count(out, "\n"));
    ok(strstr(out, "v[1] .. v[500]: 500 runs with stormer-verlet\n"), "of what they have in common");
    ok(strstr(out, "\n  steps                   100  for all\n") && strstr(out, "(v[1], v[500])\n"), "and what not");
    ok(strstr(out, "\n  start p               0.002        0.502            1  (v[1], v[500])\n"),
       "the start that varies");
    ok(strstr(out, "\n  dH ") && !strstr(out, "\n  start q"), "the measure, and nothing that is the same");
    ok(strstr(out, "\nv[50] ") && !strstr(out, "\nv[51] ") && strstr(out, "\nand 450 more rows, which --json"),
       "a long table is cut");
    ok(!strstr(out, "holds  ") && strstr(out, "\nFAILS   ") && strstr(out, "500 claims: 4"),
       "of claims those that fail");
    ok(tool("run|many.lbr|--json") == 1 && members("runs") == 500 && members("tables[0].rows") == 500 &&
           members("claims") == 500,
       "in JSON they are all there");
    spit("sweep.lbr", "param w = 1, z = 2\ncanonical q, p\nH = p^2/2 - w*cos(q)\nstart q = 1\n"
                      "run method = stormer-verlet, step = 0.1, time = 10\nrun v[k = 1..60]: w = k\n"
                      "measure dH = drift(H), e = energy_error\nclaim c[k = 1..60] \"small\": v[k].e < 4 against "
                      "method = explicit-euler\n");
    ok(tool("run|sweep.lbr") == 0 &&
           strstr(out, "\n  w                         1           31           60  (v[1], v[60])\n"),
       "the parameter that varies");
    ok(!strstr(out, "\n  z  ") && !strstr(out, "\n  dH ") && strstr(out, "\n  e  "), "measures that need no samples");
    ok(tool("reproduce|sweep.lbr") == 0 && count(out, "holds  ") == 1 && strstr(out, "(60 of 60)"),
       "reproduce: a family of claims is one line");
    ok(tool("reproduce|sweep.lbr|--bite") == 1 && strstr(out, "BLUNT") && strstr(out, " of 60)\n"),
       "but for those that do not bite");
    spit("few.lbr", "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1\n"
                    "run method = stormer-verlet, step = 0.1, time = 10\nrun v[k = 1..50]: p = k/500\n");
    ok(tool("run|few.lbr") == 0 && count(out, "\nv[") == 50, "50 runs have a line each");
    ok(tool("run|argon|--steps|10") == 0 && strstr(out, "and 20 more\n"), "many components are cut");
    ok(strstr(out, "\nt = ") && widest(strstr(out, "\nt = ")) <= 100, "and within a page");
}

/* A sweep between runs with names of their own. */
static void groups(void)
{
    static char text[8000] = "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1\nrun step = 0.1, time = 1\n"
                             "run w: method = rk4\nrun v[k = 1..60]: method = rk4, p = k/100\n";

    for (int k = 0; k < 30; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "run b%d: method = %s\n", k, k ? "midpoint" : "rk4");
    spit("groups.lbr", text);
    ok(tool("run|groups.lbr") == 0 && !strncmp(out, "w: 1 run with rk4\n", 18), "one run by its name: %s", told);
    ok(!strstr(out, "w .. w"), "and by that once");
    ok(strstr(out, "\n  steps                    10\n") != NULL, "whose numbers are its own");
    ok(strstr(out, "\nv[1] .. v[60]: 60 runs with rk4\n") != NULL, "then a sweep");
    ok(strstr(out, "\nb0 .. b29: 30 runs with several methods\n") != NULL, "then all that follow");
    ok(count(out, " run with ") + count(out, " runs with ") == 3, "no more");
}

/* Of a sweep the least and the largest, and which member breaks a claim; JSON has all of them. */
static void sweeps(void)
{
    double value[8];

    spit("sweep.lbr", "canonical q, p\nH = p^2/2 + q^2/2\nstart q = 1\n"
                      "run method = midpoint, step = 0.1, time = 1\nrun v[k = 1..5]: q = if(k = 3, 10, 1)\n"
                      "claim \"false\": max(v.q) < 5\nclaim \"true\": max(v.q) < 50\n");
    ok(tool("run|sweep.lbr") == 1 && strstr(out, "FAILS   false  [1 .. 10]  not so for v[3]: 10\n"), "what fails");
    ok(strstr(out, "holds   true  [1 .. 10]\n") != NULL, "and what holds");
    ok(tool("reproduce|./sweep.lbr") == 1 && strstr(out, "  FAILS  false  [1 .. 10]  not so for v[3]: 10\n"),
       "reproduce says the same");
    ok(tool("reproduce|./sweep.lbr|--report|sweep") == 1 && strstr(slurp("sweep/index.html", out), ">1 to 10<") &&
           strstr(out, "not so for v[3]: 10<"),
       "and so does its page");
    ok(tool("run|sweep.lbr|--json") == 1 && numbers("claims[0].value", value, 8) == 5 && value[2] == 10,
       "in JSON the list is whole");
}

static void lists(void)
{
    ok(tool("models") == 0 && widest(out) <= 100 && strstr(out, "\nmodels, HLW I: ") &&
           strstr(out, "\nexperiments, HLW V: "),
       "models in groups, within a page");
    ok(tool("models|--grep|KEPLER") == 0 && strstr(out, "  kepler-polar ") && !strstr(out, "  pendulum "),
       "those with a word");
    ok(tool("models|--grep|kepler|--json") == 0 && is_json() && strstr(out, "\"kepler-polar\"") &&
           !strstr(out, "\"pendulum\""),
       "in JSON, too");
    ok(tool("models|--grep|VOLT lotka") == 0 && strstr(out, "lotka-volterra") && !strstr(out, "  kepler"),
       "words, each of them, in any order: %s", told);
    ok(tool("models|--grep|lotka kepler") == 2, "one that is not there");
    ok(tool("methods|--grep|symmetric explicit 8") == 0 && strstr(out, "\nkahan-li-8-17 ") && !strstr(out, "\nrk4 "),
       "of methods too, in any of their texts: %s", told);
    ok(tool("models|--grep|nonesuch") == 2 && says("nonesuch"), "a word that is nowhere: %s", told);
    ok(tool("methods") == 0 && widest(out) <= 100 && strstr(out, "\nGauss\ngauss:1..16 "), "methods in groups");
    ok(tool("methods|--grep|symmetric") == 0 && strstr(out, "\nmidpoint ") && !strstr(out, "\nrk4 "),
       "those that are symmetric");
    ok(tool("methods|--grep|explicit|--order|4|--json") == 0 && is_json() && strstr(out, "\"rk4\"") &&
           !strstr(out, "\"gauss:2\""),
       "explicit ones of order 4, in JSON");
    ok(tool("methods|--grep|nonesuch") == 2 && says("no method"), "a word that is nowhere: %s", told);
}

/* Measures are worked out by the rules of the machine's numbers: nothing is 0 because it looks so. */
static void infinities(void)
{
    spit("inf.lbr",
         "canonical q, p\nH = p^2/2 + q^2/2\nstart q = 1\nrun method = stormer-verlet, step = 0.1, steps = 3\n"
         "measure i = 1e300*last(exp(700 + q)), nn = i - i, mm = i*0, dd = 0/(i - i), ff = i*0 + 1\n"
         "measure gg = if(last(q) > 5, 1, 0)*i, fine = last(q) - last(q), none = 0*last(q)\n"
         "measure rate = last(q' - p)\n"
         "claim nn = 0\nclaim mm = 0\nclaim fine = 0\nclaim none = 0\nclaim rate = 0\n");
    ok(tool("run|inf.lbr|--json") == 1 && is_json(), "claims about infinities fail%s", told);
    ok(is_null("measures.nn") && is_null("measures.mm"), "inf - inf and 0*inf are no numbers");
    ok(is_null("measures.dd") && is_null("measures.ff"), "nor is what is made of them");
    ok(is_null("measures.gg"), "nor if the 0 is that of a choice");
    ok(number("measures.fine") == 0 && number("measures.none") == 0, "of numbers they are 0");
    ok(number("measures.rate") == 0, "also along the flow");
    ok(!strncmp(at("claims[0].holds"), "false", 5) && !strncmp(at("claims[2].holds"), "true", 4),
       "and so are the claims");
}

static void all(void)
{
    infinities();
    one_run(), several(), resumed(), judged_in_part();
    documented(), events(), events_of_several(), plain_names(), plain_files(), hdf5();
    many(), groups(), sweeps(), lists();
}

int main(void) { return with_tool(all); }
