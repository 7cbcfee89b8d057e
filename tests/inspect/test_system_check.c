/* test_system_check.c - lbr_system_check: all models of the gallery pass, and no wrong number of them does.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/changed.h"
#include "support/share.h"
#include "support/tap.h"
#include "syntax/gallery.h"

/* --- the gallery is right ------------------------------------------------------------------------------------------
 */

/* Models have exact derivatives: whatever is found in them is a false alarm. */
static void right(const char *name)
{
    lbr_problem *problem;
    const lbr_system *s = lbr_problem_open(&problem, name) ? NULL : lbr_problem_system(problem);
    const lbr_system_report *r = NULL;
    lbr_status status = s ? lbr_system_check(s, NULL, &r) : LBR_EARG;

    ok(!status && r && r->wrong == 0, "%s: nothing is wrong", name);
    ok(r && r->right > 0 && r->n == r->wrong + r->right + r->open, "%s: %d things are right", name,
       r ? (int)r->right : 0);
    for (int64_t i = 0; r && i < r->n; i++)
        if (r->finding[i]->holds < 1) printf("# %s\n", r->finding[i]->text);
    lbr_system_report_free(r), lbr_problem_free(problem);
}

/* --- one wrong number ------------------------------------------------------------------------------------------------
 */

typedef struct tally {
    int asked, found, named;
} tally;

static int names(const lbr_system_report *r, const char *what)
{
    const char *dot = strrchr(what, '.');
    size_t n = strcspn(what, ".");

    for (int64_t i = 0; i < r->n; i++)
        if (!r->finding[i]->holds &&
            (!strncmp(r->finding[i]->what, what, n) || strstr(r->finding[i]->text, dot ? dot + 1 : what)))
            return 1;
    return 0;
}

/* Whether this one is found; it is to be, if it is not small beside the others. */
static void ask(changed *c, double factor, double largest, const double *y, tally *t)
{
    const lbr_system_report *r = NULL;
    double entry = changed_entry(c, c->s->defaults->t0, y);

    if (!(fabs(entry) >= 1e-4 * largest) || entry == 0) return;
    c->factor = factor;
    if (c->of == OF_MASS) {
        memcpy(c->mass, c->s->inverse_mass, (size_t)c->s->nq * sizeof *c->mass);
        c->mass[c->row] *= factor, c->system.inverse_mass = c->mass;
    }
    t->asked++;
    if (!lbr_system_check(&c->system, NULL, &r) && r->wrong > 0) t->found++, t->named += names(r, changed_name[c->of]);
    else
        printf("# %s[%d; %d, %d] = %g is overlooked when multiplied by %.10g\n", changed_name[c->of], (int)c->row,
               (int)c->column, (int)c->second, entry, factor);
    lbr_system_report_free(r);
    c->system.inverse_mass = c->s->inverse_mass;
}

static void each(changed *c, const int64_t n[3], double largest, const double *y, tally *t)
{
    for (c->row = 0; c->row < n[0]; c->row++)
        for (c->column = 0; c->column < n[1]; c->column++)
            for (c->second = 0; c->second < n[2]; c->second++) {
                if (c->of == OF_THIRD && c->second > c->column) continue; /* half of it is enough */
                ask(c, 1 + 1e-5, largest, y, t), ask(c, -1, largest, y, t);
            }
}

static double largest_of(changed *c, const int64_t n[3], const double *y)
{
    double most = 0;

    for (c->row = 0; c->row < n[0]; c->row++)
        for (c->column = 0; c->column < n[1]; c->column++)
            for (c->second = 0; c->second < n[2]; c->second++)
                most = fmax(most, fabs(changed_entry(c, c->s->defaults->t0, y)));
    return most;
}

/* Every number of every function, by a hundred thousandth and by its sign. Not at the start, where many are 0, but
 * near. */
static void wrong(const char *name)
{
    lbr_problem *problem;
    const lbr_system *s = lbr_problem_open(&problem, name) ? NULL : lbr_problem_system(problem);
    static changed c;
    const lbr_system_report *r = NULL;

    if (!ok(s != NULL, "%s: there is one", name)) return;
    changed_open(&c, s);
    ok(!lbr_system_check(&c.system, NULL, &r) && r->wrong == 0, "%s: nothing is wrong as long as nothing is changed",
       name);
    lbr_system_report_free(r);
    for (c.of = 0; c.of < OF_ALL; c.of++) {
        tally t = { 0 };
        int64_t n[3];

        changed_extents(s, c.of, n);
        if (!n[0]) continue;
        each(&c, n, largest_of(&c, n, s->defaults->y0), s->defaults->y0, &t);
        ok(t.found == t.asked, "%s: of %d wrong numbers of %s all are found (%d)", name, t.asked, changed_name[c.of],
           t.found);
        ok(t.named == t.found, "%s: and told by its name (%d)", name, t.named);
    }
    lbr_problem_free(problem);
}

/* --- a sign that does not show at the start ---------------------------------------------------------------------- */

/* The force in direction 2 is 0 where q2 is 0: near there it is not. */
static void not_at_y(void)
{
    lbr_problem *problem;
    const lbr_system *s = lbr_problem_open(&problem, "kepler") ? NULL : lbr_problem_system(problem);
    static changed c;
    const lbr_system_report *r = NULL;
    const char *told = NULL;

    changed_open(&c, s), c.of = OF_FORCE, c.row = 1, c.factor = -1;
    ok(changed_entry(&c, 0, s->defaults->y0) == 0, "kepler begins where one of the forces is 0");
    ok(!lbr_system_check(&c.system, NULL, &r) && r->wrong > 0, "its sign is found nevertheless");
    for (int64_t i = 0; r && i < r->n && !told; i++)
        if (!r->finding[i]->holds && strstr(r->finding[i]->text, "near y")) told = r->finding[i]->text;
    ok(told != NULL, "and it is told where: %s", told ? told : "");
    lbr_system_report_free(r), lbr_problem_free(problem);
}

int main(void)
{
    static const char *const all[] = { "henon-heiles", "kepler",    "kepler-polar",       "spherical-pendulum",
                                       "ellipsoid",    "heavy-top", "rigid-body-poisson", "double-pendulum",
                                       "oja",          "modes",     "triatomic",          "harmonic-oscillator" };

    for (int64_t i = 0; lbr_gallery(i) && !strcmp(lbr_gallery(i)->kind, "model"); i++)
        if (in_share(i, 1, 3) && strcmp(lbr_gallery(i)->name, "nbody")) right(lbr_gallery(i)->name); /* it takes long */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (in_share((int64_t)i, 1, 3)) wrong(all[i]);
    not_at_y();
    return tap_done();
}
