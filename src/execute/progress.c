/* progress.c - how far a run is, for whoever waits at a terminal. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "executing.h"
#include "core/clock.h"

#include <stdio.h>
#include <unistd.h>

void lbr_progress_start(lbr_progress *p, const lbr_job *job)
{
    *p = (lbr_progress){ .on = job->progress && isatty(STDERR_FILENO), .name = job->name, .of = job->among };
    if (!p->of) p->alone = (lbr_progress_of){ .run = 1, .runs = 1 };
    if (!p->of) p->of = &p->alone;
    if (p->of->began == 0) p->of->began = lbr_seconds(), p->of->last = p->of->began + 0.5;
}

/* To the terminal itself: streams show what would steer it (cli/terminal.c). That it could not be said does not matter.
 */
void lbr_progress_line(const char *text)
{
    char line[1000];
    int n = snprintf(line, sizeof line, "\r%.900s\033[K", text);

    if (write(STDERR_FILENO, line, (size_t)n) < 0) return;
}

/* "17 s", "3 min 20 s", "2 h 5 min" */
static void duration(double seconds, char text[32])
{
    int64_t s = seconds < 1e9 ? (int64_t)(seconds + 0.5) : 1000000000;

    if (s < 60) snprintf(text, 32, "%d s", (int)s);
    else if (s < 3600) snprintf(text, 32, "%d min %d s", (int)(s / 60), (int)(s % 60));
    else snprintf(text, 32, "%lld h %d min", (long long)(s / 3600), (int)(s % 3600 / 60));
}

/* By steps. Of runs whose steps are not known yet, those before and this one speak. */
double lbr_progress_part(const lbr_progress_of *of, int64_t from, int64_t done, int64_t total)
{
    double here = (double)(done - from) / (double)(total - from), steps = (double)total, all = of->all;

    if (!(all > 0)) all = (of->before + steps) / (double)of->run * (double)of->runs;
    return (of->before + here * steps) / all;
}

void lbr_progress_show(lbr_progress *p, int64_t from, int64_t done, int64_t total)
{
    lbr_progress_of *of = p->of;
    double now, part;
    char left[32], text[400];
    int n = 0;

    if (!p->on || done <= from || (now = lbr_seconds()) < of->last + 0.5) return;
    part = lbr_progress_part(of, from, done, total);
    duration((now - of->began) * (1 - part) / part, left);
    if (of->runs > 1)
        n = snprintf(text, sizeof text, "%.100s%srun %lld of %lld: ", p->name ? p->name : "", p->name ? ", " : "",
                     (long long)of->run, (long long)of->runs);
    snprintf(text + n, sizeof text - (size_t)n, "%3d %%  step %lld of %lld, %s left",
             (int)(100 * ((double)done / (double)total)), (long long)done, (long long)total, left);
    lbr_progress_line(text);
    of->last = now, of->shown = 1;
}

void lbr_progress_end(lbr_progress *p)
{
    if (p->of == &p->alone && p->alone.shown) lbr_progress_line("");
}
