/* progress.c - how far a run is, for whoever waits at a terminal. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "executing.h"
#include "core/clock.h"

#include <stdio.h>
#include <unistd.h>

void lbr_progress_start(lbr_progress *p, int wanted)
{
    *p = (lbr_progress){ .on = wanted && isatty(STDERR_FILENO), .began = lbr_seconds() };
    p->last = p->began + 0.5; /* nothing is said of what takes less than a second */
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

void lbr_progress_show(lbr_progress *p, int64_t from, int64_t done, int64_t total)
{
    double now;
    char left[32], text[120];

    if (!p->on || done <= from || (now = lbr_seconds()) < p->last + 0.5) return;
    duration((now - p->began) * (double)(total - done) / (double)(done - from), left);
    snprintf(text, sizeof text, "%3d %%  step %lld of %lld, %s left", (int)(100 * ((double)done / (double)total)),
             (long long)done, (long long)total, left);
    lbr_progress_line(text);
    p->last = now, p->shown = 1;
}

void lbr_progress_end(lbr_progress *p)
{
    if (p->shown) lbr_progress_line("");
    p->shown = 0;
}
