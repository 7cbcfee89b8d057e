/* test_growing.c - arrays and texts that grow, names of components, far names. SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. */
#include "core/clock.h"
#include "core/growing_text.h"
#include "core/text.h"
#include "support/heap.h"
#include "support/tap.h"

#include <string.h>

/* --- arrays ------------------------------------------------------------------------------------------------------ */

/* Whether x[i] is i for all i < n. */
static int counts_up(const int64_t *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != i) return 0;
    return 1;
}

static void one_by_one(void)
{
    enum { N = 1000 };
    lbr_arena arena = { 0 };
    int64_t *narrow = NULL, *wide = NULL, *implied = NULL, most_wide = 0;
    int most_narrow = 0, good = 1;
    long before = heap.calls;

    for (int i = 0; i < N; i++) {
        good &= LBR_ROOM(NULL, narrow, i, most_narrow, 1), narrow[i] = i;
        good &= LBR_ROOM(&arena, wide, i, most_wide, 1), wide[i] = i;
        good &= LBR_ROOM_FOR_ONE(NULL, implied, i), implied[i] = i;
    }
    ok(good, "there is room for each of %d", N);
    ok(counts_up(narrow, N), "by itself, counted by an int");
    ok(counts_up(wide, N), "in an arena, counted by an int64_t");
    ok(counts_up(implied, N), "by itself, without a counter");
    ok(most_narrow >= N && most_narrow <= 2 * N, "at most twice as much as is needed: %d", most_narrow);
    ok(most_wide == most_narrow, "for any kind of counter");
    if (heap_wrapped()) ok(heap.calls - before < 40, "with few allocations: %ld", heap.calls - before);
    lbr_mem_free(narrow), lbr_mem_free(implied), lbr_arena_free(&arena);
}

static void many_at_once(void)
{
    double *x = NULL;
    size_t most = 0;

    ok(LBR_ROOM(NULL, x, 0, most, 0) && !x, "room for nothing needs nothing");
    ok(LBR_ROOM(NULL, x, 0, most, 1000) && most >= 1000, "room for many at once");
    x[999] = 5;
    ok(LBR_ROOM(NULL, x, 1000, most, 1) && x[999] == 5, "keeps what was there");
    ok(most == 2000 && x[1999] == 0, "and the rest is zero");
    lbr_mem_free(x);
}

static void too_many(void)
{
    char *x = NULL, *before;
    int narrow = 0;
    int64_t wide = 0;

    ok(LBR_ROOM(NULL, x, 0, narrow, 10) && narrow >= 10, "a small one");
    x[0] = 'x', before = x;
    narrow = INT32_MAX;
    ok(!LBR_ROOM(NULL, x, INT32_MAX, narrow, 1), "more than an int counts is refused");
    narrow = 10;
    ok(!LBR_ROOM(NULL, x, 10, narrow, INT64_MAX), "and what would overflow");
    ok(!LBR_ROOM(NULL, x, 10, narrow, -1), "and less than nothing");
    ok(!lbr_room(NULL, &x, SIZE_MAX / 4, 10, 1, &wide, sizeof wide), "and more bytes than there can be");
    ok(x == before && x[0] == 'x' && narrow == 10 && wide == 0, "nothing has changed then");
    if (heap_wrapped()) {
        heap.calls = 0, heap.refuse = 1, heap.refused = 0;
        ok(!LBR_ROOM(NULL, x, 10, narrow, 100) && heap.refused, "no memory: refused");
        heap.refuse = 0;
        ok(x == before && x[0] == 'x' && narrow == 10, "and nothing has changed");
        ok(LBR_ROOM(NULL, x, 10, narrow, 100) && x[0] == 'x', "but it can grow later");
    }
    lbr_mem_free(x);
}

/* --- texts ------------------------------------------------------------------------------------------------------- */

static void texts(void)
{
    lbr_arena arena = { 0 };
    lbr_text own = { 0 }, kept = { .arena = &arena };
    long live = heap.live;

    for (int i = 0; i < 300; i++) lbr_text_format(&own, "%d,", i), lbr_text_put(&kept, "abc");
    ok(own.length == strlen(own.text) && strstr(own.text, ",299,"), "a text has everything that was put there");
    ok(kept.length == 900 && strlen(kept.text) == 900, "in an arena, too");
    lbr_text_bytes(&own, "x\0y", 3);
    ok(!memcmp(own.text + own.length - 3, "x\0y", 4), "bytes may be zero");
    lbr_text_free(&kept), lbr_text_free(&own);
    ok(!kept.text && !own.text && kept.arena == &arena, "they are empty again");
    if (heap_wrapped()) {
        lbr_text_put(&own, "abc");
        heap.calls = 0, heap.refuse = 1;
        lbr_text_format(&own, "%200s", "");
        heap.refuse = 0;
        ok(own.status == LBR_ENOMEM && !strcmp(own.text, "abc"), "no memory: it says so, and stays what it was");
        lbr_text_put(&own, "d");
        ok(!strcmp(own.text, "abc"), "and remains so");
        lbr_text_free(&own), lbr_arena_free(&arena);
        ok(heap.live == live, "all is freed");
    }
    lbr_arena_free(&arena);
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static void names(void)
{
    const int64_t index[] = { 2, -1, 30 }, shape[] = { 2, 3, 4 };
    int64_t found[3];
    lbr_arena arena = { 0 };
    char text[32];

    ok(lbr_component_name(text, sizeof text, "x", 0, index) == 1 && !strcmp(text, "x"), "x");
    ok(lbr_component_name(text, sizeof text, "x", 1, index) == 4 && !strcmp(text, "x[2]"), "x[2]");
    ok(lbr_component_name(text, sizeof text, "x", 3, index) == 10 && !strcmp(text, "x[2,-1,30]"), "x[2,-1,30]");
    ok(lbr_component_name(text, 5, "x", 3, index) == 10 && !strcmp(text, "x[2,"), "cut where there is no room");
    ok(!strcmp(lbr_arena_component(&arena, "name", 2, index), "name[2,-1]"), "in an arena");
    lbr_component_index(23, 3, shape, found);
    ok(found[0] == 2 && found[1] == 3 && found[2] == 4, "the last element of an array");
    lbr_component_index(5, 3, shape, found);
    ok(found[0] == 1 && found[1] == 2 && found[2] == 2, "rows come one after the other");
    lbr_arena_free(&arena);
    ok(lbr_text_distance("bogus", "out") >= lbr_text_far("bogus"), "bogus is far from out");
    ok(lbr_text_distance("metods", "methods") < lbr_text_far("metods"), "metods is near to methods");
}

static void clocks(void)
{
    double a = lbr_seconds(), b = lbr_seconds();

    ok(a > 0 && b >= a, "the clock goes forward");
}

int main(void)
{
    one_by_one(), many_at_once(), too_many();
    texts(), names(), clocks();
    return tap_done();
}
