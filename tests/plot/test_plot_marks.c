/* test_plot_marks.c - the marks of an SVG as paths: where they were, as large and as coloured, and nothing else is
 * touched. SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin, so that each allocation can be made to fail. */
#include "support/heap.h"
#include "support/tap.h"

#include <string.h>

#include "plot/plot_parts.h"

#define USE(number, place, colour) \
    "<use xlink:href='#gpPt" number "' transform='translate(" place ") scale(0.90)' color='rgb(" colour ")'/>\n"
#define DISC "<path stroke=\"#000102\" stroke-linecap=\"round\" stroke-width=\"1.8\" d=\""

static void becomes(const char *svg, const char *wanted, const char *what)
{
    lbr_text ink = { 0 };

    lbr_svg_marks(&ink, svg);
    ok(ink.text && !strcmp(ink.text, wanted), "%s: %.200s", what, ink.text ? ink.text : "");
    lbr_text_free(&ink);
}

static void marks(void)
{
    becomes("<svg>" USE("6", "1.50,2.00", " 0, 1, 2") "\t" USE("6", "3.00,4.25", " 0, 1, 2") "</svg>",
            "<svg>" DISC "M1.5,2h0M3,4.25h0\"/>\n</svg>", "discs in a row");
    becomes(USE("6", "1,2", "0,1,2") USE("4", "1,2", "0,1,2") USE("6", "-0.05,2", "0,1,2"),
            DISC "M1,2h0\"/>\n"
                 "<path stroke=\"none\" fill=\"#000102\" d=\"M0.1,1.1L1.9,1.1L1.9,2.9L0.1,2.9Z\"/>\n" DISC
                 "M-0.05,2h0\"/>\n",
            "others, and in their order");
    becomes(USE("6", "1,2", "0,1,2") USE("6", "1,2", "255,0,10"),
            DISC "M1,2h0\"/>\n<path stroke=\"#ff000a\" stroke-linecap=\"round\" stroke-width=\"1.8\" d=\"M1,2h0\"/>\n",
            "other colours");
    becomes(USE("6", "9,50", "0,1,2") USE("6", "300,1", "0,1,2") USE("6", "4,51", "0,1,2"),
            DISC "M300,1h0M4,51h0M9,50h0\"/>\n", "along bands");
    becomes("<use xlink:href='#gpPt6' color='red'/><use a><use ", "<use xlink:href='#gpPt6' color='red'/><use a><use ",
            "what is no mark");
    becomes(USE("5", "1,2", "0,1,2"), USE("5", "1,2", "0,1,2"), "open ones");
    becomes("<use xlink:href='#gpPt6' transform='translate(1,2) scale(0.90)' color='rgb(0,1,2)'/",
            "<use xlink:href='#gpPt6' transform='translate(1,2) scale(0.90)' color='rgb(0,1,2)'/",
            "one without an end");
    becomes("", "", "nothing");
}

static void no_memory(void)
{
    static char svg[20000] = "<svg>";
    long n = 0, live = heap.live;
    int bad = 0;

    for (int k = 0; k < 150; k++) strcat(svg, USE("6", "1.50,2.00", " 0, 1, 2"));
    do {
        lbr_text ink = { 0 };

        heap.calls = heap.refused = 0, heap.refuse = ++n;
        lbr_svg_marks(&ink, svg);
        heap.refuse = 0;
        bad += (ink.status == LBR_ENOMEM) != (heap.refused > 0);
        lbr_text_free(&ink);
        bad += heap.live != live;
    } while (heap.refused && n < 1000);
    ok(!bad && n > 3, "each of %ld allocations may fail", n - 1);
}

int main(void)
{
    marks();
    no_memory();
    return tap_done();
}
