/* source.h - the text of a model: its file and the files it uses, as one list of statements.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_SYNTAX_SOURCE_H
#define LBR_SYNTAX_SOURCE_H
#include "ast.h"
#include "libration/model.h"

#include <limits.h>

/* A statement that counts, and where it stands. */
typedef struct lbr_line {
    lbr_file *file;
    const lbr_statement *statement;
    const char *folder; /* of its file; NULL: the gallery, which reads no files */
    int depth;          /* 0: the file itself; 1: the one it uses; ... */
    int failed;         /* an error has been found in what it declares */
    int order;          /* its number among those of the model, from 1; LBR_AFTER_ALL: it comes after them */
} lbr_line;
enum { LBR_AFTER_ALL = INT_MAX };

/* What is read of a file after all statements of the model. */
lbr_line lbr_line_after(lbr_file *file, const char *folder);

typedef struct lbr_source {
    lbr_arena arena;
    char *name;                 /* "kepler": of the file, without folder and suffix */
    const char *title, *origin; /* its title and source statements, or those of what it uses */
    lbr_file **file;
    int nfiles;
    lbr_line *line;
    int nlines; /* model statements in the order in which they count */
    lbr_line *extra;
    int nextra; /* runs, measures, plots, tables, claims of the file itself */
    lbr_line *first_run;
    int nfirst; /* the first run of each file that is used, the innermost first */
    lbr_file **given;
    int ngiven;          /* texts of the command line: no part of the model, but what is wrong in them is told here */
    uint64_t digest;     /* of all files */
    const char *message; /* what went wrong, for people; never NULL after a failure */
    lbr_mistake *mistake;
    int nmistakes; /* the same one by one, of the last report */
} lbr_source;

/* Reads `what`: a name without '/' and '.' is a model (or an experiment) of the gallery, anything else a file. On
 * failure source->message says why; LBR_EARG: the text, or there is none; LBR_ENOMEM. Free it in any case. */
lbr_status lbr_source_open(lbr_source *source, const char *what);
/* The same from a text of the caller (which must live as long); folder may be NULL. */
lbr_status lbr_source_text(lbr_source *source, const char *name, const char *text, size_t size, const char *folder);
void lbr_source_free(lbr_source *source);
/* Where a name stands for a file beside others (a folder, NULL: none); NULL: no memory. All files that are named by
 * read("...") in the texts and in what is given, in whatever statement; their number, or -1: no memory. */
char *lbr_source_path(lbr_arena *arena, const char *folder, const char *name);
int lbr_source_reads(lbr_source *source, const char ***list);
/* How many errors have been found in all files, and in what is given. */
int lbr_source_errors(const lbr_source *source);
/* All of them as one text, in source->message; what was kept of them is then forgotten. LBR_EARG, or LBR_ENOMEM. */
lbr_status lbr_source_report(lbr_source *source);
/* What the command line gives, under a name for its places ("--set q"): read once, whoever asks for it. LBR_EARG,
 * LBR_ENOMEM: source->message. */
lbr_status lbr_source_given(lbr_source *source, const char *name, const char *text, lbr_given what, lbr_file **file);
#endif
