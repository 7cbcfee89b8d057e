/* report_json.c - results of runs, for programs; docs/results.md tells every key. SPDX-License-Identifier: BSD-3-Clause
 */
#include "report.h"

#include <math.h>

static void monitor(lbr_json *j, const char *key, const lbr_monitor *m)
{
    lbr_json_open(j, key, '{');
    lbr_json_pairs(j, "initial", m->len != 1, &m->len, m->first, m->first_low);
    lbr_json_pairs(j, "final", m->len != 1, &m->len, m->last, m->last_low);
    lbr_json_number(j, "max_error", m->worst);
    lbr_json_number(j, "relative_error", lbr_report_relative(m));
    lbr_json_close(j, '}');
}

static void state(lbr_json *j, const lbr_result *r)
{
    lbr_json_pairs(j, "state", 1, &r->dim, r->y, r->low);
    lbr_json_open(j, "names", '[');
    for (int64_t i = 0; i < r->dim; i++) lbr_json_text(j, NULL, r->component[i]);
    lbr_json_close(j, ']');
}

static void constraint(lbr_json *j, const lbr_result *r)
{
    const lbr_residuals *e = &r->residual;

    if (r->has_constraint) { /* of a manifold: no velocities */
        lbr_json_open(j, "constraint", '{');
        lbr_json_number(j, "position", e->position);
        lbr_json_number(j, "velocity", r->has_velocity ? e->velocity : NAN);
        lbr_json_number(j, "position_scaled", e->position_scaled);
        lbr_json_number(j, "velocity_scaled", r->has_velocity ? e->velocity_scaled : NAN);
        lbr_json_close(j, '}');
    } else lbr_json_text(j, "constraint", NULL);
    if (r->nmultipliers) lbr_json_array(j, "multipliers", 1, &r->nmultipliers, r->multiplier);
    else lbr_json_text(j, "multipliers", NULL);
}

static void kept(lbr_json *j, const lbr_result *r)
{
    if (r->has_energy) monitor(j, "energy", &r->energy);
    else lbr_json_text(j, "energy", NULL);
    lbr_json_open(j, "invariants", '{');
    for (int64_t i = 0; i < r->ninvariants; i++) monitor(j, r->invariant[i].name, &r->invariant[i]);
    lbr_json_close(j, '}');
    constraint(j, r);
}

static void sections(lbr_json *j, const lbr_result *r)
{
    lbr_json_open(j, "sections", '{');
    for (int64_t k = 0; k < r->nevents; k++) {
        lbr_json_open(j, r->events[k].name, '{');
        lbr_json_number(j, "count", (double)r->events[k].count);
        lbr_json_close(j, '}');
    }
    lbr_json_close(j, '}');
}

/* Those whose states were kept. */
static void events(lbr_json *j, const lbr_result *r)
{
    lbr_json_open(j, "events", '{');
    for (int64_t k = 0; k < r->nevents; k++) {
        const lbr_events *e = r->events + k;

        if (e->count && !e->y) continue;
        lbr_json_open(j, e->name, '[');
        for (int64_t i = 0; i < e->count; i++) {
            lbr_json_open(j, NULL, '{');
            lbr_json_number(j, "t", e->t[i]);
            lbr_json_array(j, "state", 1, &r->dim, e->y + i * r->dim);
            lbr_json_close(j, '}');
        }
        lbr_json_close(j, ']');
    }
    lbr_json_close(j, '}');
}

static void parameters(lbr_json *j, const lbr_parameter *const *list, int64_t n)
{
    lbr_json_open(j, "parameters", '{');
    for (int64_t i = 0; i < n; i++) {
        const lbr_parameter *p = list[i];

        if (p->value) lbr_json_array(j, p->name, p->rank, p->shape, p->value);
        else lbr_json_text(j, p->name, NULL);
    }
    lbr_json_close(j, '}');
}

static void counts(lbr_json *j, const lbr_stats *s, double first_error)
{
    const struct {
        const char *key;
        int64_t n;
    } row[] = { { "total", lbr_evaluations(s) },
                { "force", s->force },
                { "field", s->field },
                { "gradient", s->gradient },
                { "jacobian", s->jacobian },
                { "constraint", s->constraint },
                { "flow", s->flow },
                { "map", s->map } };

    lbr_json_open(j, "evaluations", '{');
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) lbr_json_number(j, row[i].key, (double)row[i].n);
    lbr_json_close(j, '}');
    lbr_json_open(j, "iterations", '{');
    lbr_json_number(j, "nonlinear", (double)s->iterations);
    lbr_json_number(j, "worst", (double)s->worst);
    lbr_json_number(j, "first_error", first_error);
    lbr_json_close(j, '}');
}

static void rounding(lbr_json *j, const lbr_rounding *r)
{
    if (isnan(r->state)) {
        lbr_json_text(j, "roundoff", NULL);
        return;
    }
    lbr_json_open(j, "roundoff", '{');
    lbr_json_number(j, "state", r->state);
    lbr_json_number(j, "energy", r->energy);
    lbr_json_close(j, '}');
}

/* That it was interrupted is told to people as the last word. */
static void warnings(lbr_json *j, const lbr_result *r)
{
    char text[60];

    snprintf(text, sizeof text, "interrupted at step %lld", (long long)r->steps);
    lbr_json_open(j, "warnings", '[');
    if (r->exit == LBR_EXIT_INTERRUPTED) lbr_json_text(j, NULL, text);
    for (int k = 0; k < r->nwarnings; k++) lbr_json_text(j, NULL, r->warning[k]);
    lbr_json_close(j, ']');
}

static void failure(lbr_json *j, const lbr_result *r)
{
    if (!r->exit) {
        lbr_json_text(j, "failure", NULL);
        return;
    }
    lbr_json_open(j, "failure", '{');
    lbr_json_text(j, "text", r->text);
    lbr_json_number(j, "step", (double)(r->exit == LBR_EXIT_NUMERICS ? r->failed_step : r->steps));
    lbr_json_number(j, "t", r->exit == LBR_EXIT_NUMERICS ? r->failed_t : r->t);
    lbr_json_text(j, "component", *r->failed_component ? r->failed_component : NULL);
    lbr_json_close(j, '}');
}

void lbr_report_keys(lbr_json *j, const lbr_result *r, const lbr_parameter *const *parameter, int64_t nparameters)
{
    lbr_json_text(j, "model", r->model);
    parameters(j, parameter, nparameters);
    lbr_json_text(j, "method", r->method);
    lbr_json_number(j, "step", r->h);
    lbr_json_number(j, "steps", (double)r->steps);
    lbr_json_number(j, "every", (double)r->every);
    lbr_json_pairs(j, "t", 0, NULL, &r->t, r->low ? &r->t_low : NULL);
    state(j, r);
    kept(j, r);
    sections(j, r);
    events(j, r);
    counts(j, &r->stats, r->first_error);
    rounding(j, &r->rounding);
    failure(j, r);
    warnings(j, r);
    lbr_json_number(j, "seconds", r->seconds);
    lbr_json_number(j, "compile_seconds", r->compile_seconds);
    lbr_json_text(j, "kernel", r->kernel);
    lbr_json_number(j, "kernel_from", r->kernel_from < 0 ? NAN : (double)r->kernel_from);
}
