/* report_html.h - reproduced experiments as a page to read: one file, nothing else needed.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_REPORT_REPORT_HTML_H
#define LBR_REPORT_REPORT_HTML_H
#include "experiment/reproduce.h"
#include "program/emit.h"

/* The folder of a report, and its page; pictures: a folder for the time being. */
typedef struct lbr_report_folder {
    const char *folder, *page;
    char *pictures;
    int made;
    lbr_arena arena;
} lbr_report_folder;

/* Makes the folder. One that is there must be empty, or hold nothing but a report of ours, which is replaced only with
 * `force`. Close it in any case: a folder that was made and is still empty goes too. */
lbr_status lbr_report_folder_open(lbr_report_folder *f, const char *folder, int force, lbr_message *message);
void lbr_report_folder_close(lbr_report_folder *f);

/* How it was made, for the head of the page. */
typedef struct lbr_report_about {
    int quick;
    double most, seconds;
} lbr_report_about;

/* The page as text; free it. LBR_ENOMEM is in its status. */
void lbr_report_html(lbr_text *page, const lbr_reproduction *r, int n, const lbr_report_about *about);

/* The same written to a file, as a whole or not at all. */
lbr_status lbr_report_write(const lbr_reproduction *r, int n, const lbr_report_about *about, const char *path,
                            int force, lbr_message *message);

/* --- inside ------------------------------------------------------------------------------------------------------ */

extern const char lbr_report_mark[], lbr_report_style[];
void lbr_html_text(lbr_text *page, const char *text); /* with & < > " ' escaped, and what is not UTF-8 replaced */
void lbr_html_told(lbr_text *page, const lbr_told *told);
/* The d of an SVG path, made shorter. 0: it is none that is read, and nothing was written. */
int lbr_html_path(lbr_text *page, const char *d, size_t length);
void lbr_html_svg(lbr_text *page, const char *svg, int number); /* a picture of gnuplot's, its names made unique */
#endif
