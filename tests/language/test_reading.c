/* test_reading.c - a statement is entered and left as a whole: what is set, what is seen, what is put back.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/modelled.h"
#include "support/tap.h"

#include <string.h>

static modelled x;
static lbr_lower *lo;

static const lbr_line *line_of(int k) { return x.source.line + k; }

static int seen(const char *name)
{
    lbr_node node = { .kind = LBR_NODE_NAME, .text = name, .place = { 1, 99 }, .first = { 1, 99 } };
    int found;

    lo->quiet = 1;
    found = lbr_lower_value(lo, &node) != NULL;
    lo->quiet = lo->at.failed = 0;
    return found;
}

/* Everything is as it was, whatever happened inside. */
static void put_back(void)
{
    lbr_reading outside = lo->at, before = lbr_lower_enter(lo, line_of(1), LBR_WHERE_RATE);

    ok(!memcmp(&before, &outside, sizeof before), "what was there is given");
    ok(lo->at.file == line_of(1)->file && lo->at.order == 2 && lo->at.where == LBR_WHERE_RATE && !lo->at.failed,
       "file, number and what is allowed are the statement's");
    lbr_local_push(lo, "k", lbr_value_number(lo, 1), 1);
    lbr_lower_allow(lo, LBR_WHERE_CONSTANT);
    lo->at.loop = 3, lo->at.drawn = 1;
    lbr_lower_fail(lo, (lbr_place){ 1, 1 }, "on purpose");
    ok(lbr_lower_leave(lo, &before) == LBR_EARG && !memcmp(&lo->at, &outside, sizeof outside),
       "an error is given, and everything put back");
    ok(lbr_source_errors(&x.source) == 1 && lbr_source_report(&x.source) == LBR_EARG &&
           strstr(x.source.message, ":1:1: on purpose"),
       "it is in the file");
    before = lbr_lower_enter(lo, line_of(0), 0);
    ok(lbr_lower_leave(lo, &before) == LBR_OK && lo->last == 1, "the next one knows nothing of it");
}

/* Names that are bound are those of the statement, unless it is asked to see those around it. */
static void names(void)
{
    lbr_reading outer = lbr_lower_enter(lo, line_of(1), 0), inner;
    lbr_line after = lbr_line_after(x.source.file[0], NULL);

    lbr_local_push(lo, "k", lbr_value_number(lo, 1), 1);
    ok(seen("k"), "a name that is bound is seen");
    inner = lbr_lower_enter(lo, &after, LBR_WHERE_AROUND);
    ok(seen("k") && !(lo->at.where & LBR_WHERE_AROUND), "inside too, where that is asked for");
    lbr_lower_leave(lo, &inner);
    inner = lbr_lower_enter(lo, &after, 0);
    ok(!seen("k"), "and not otherwise");
    lbr_lower_leave(lo, &inner);
    ok(seen("k"), "it is there again afterwards");
    lbr_lower_leave(lo, &outer);
    ok(!seen("k"), "and gone outside");
}

/* In the middle of the text names are known from their statements on; after all of it all are. */
static void order(void)
{
    lbr_line after = lbr_line_after(x.source.file[0], NULL);
    lbr_reading before = lbr_lower_enter(lo, line_of(0), 0);

    ok(seen("a") && !seen("b"), "in the first statement: no name of the second");
    lbr_lower_leave(lo, &before);
    before = lbr_lower_enter(lo, &after, 0);
    ok(seen("a") && seen("b"), "after all statements: all names");
    lbr_lower_leave(lo, &before);
}

/* No memory is said by the status, not by an error. */
static void starved(void)
{
    lbr_reading before = lbr_lower_enter(lo, line_of(0), 0);

    lbr_lower_refused(lo, (lbr_place){ 1, 1 },
                      &(lbr_message){ .status = LBR_ENOMEM, .text = "no memory for 4 numbers" });
    ok(lbr_lower_leave(lo, &before) == LBR_ENOMEM && !lbr_source_errors(&x.source), "memory that is gone is no error");
}

int main(void)
{
    if (!ok(open_text(&x, "param a = 1\nparam b = 2\ncanonical q, p\nH = p^2/2\n"
                          "run method = rk4, step = 1, steps = 1\n"),
            "a model"))
        return tap_done();
    lo = &x.m->lo;
    put_back();
    names();
    order();
    starved();
    close_model(&x);
    return tap_done();
}
