/* run_files.c - the files that a command line names: each is one of its own. SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <string.h>

void run_files_add(run_files *f, const char *what, const char *path, lbr_name_kind kind)
{
    if (!path || f->no_memory) return;
    if (!LBR_ROOM(f->arena, f->list, f->n, f->most, 1)) {
        f->no_memory = 1;
        return;
    }
    f->list[f->n++] = (lbr_filename){ what, path, kind };
}

/* What the command reads beside its model, and where it speaks: nothing may be written there. */
void run_files_begin(run_files *f, const run_settings *s)
{
    run_files_add(f, "standard output", "/dev/stdout", LBR_NAME_READ);
    run_files_add(f, "standard error", "/dev/stderr", LBR_NAME_READ);
    if (strpbrk(s->file, "/."))
        run_files_add(f, run_is_c(s->file) ? "the system's file" : "the model", s->file, LBR_NAME_READ);
    run_files_add(f, "--start", s->start, LBR_NAME_READ);
    run_files_add(f, "--resume", s->resume, LBR_NAME_RESUMED);
    run_files_add(f, "--checkpoint", s->checkpoint, LBR_NAME_SAVED);
}

/* What a model consists of: its files, and the data that they read. */
void run_files_model(run_files *f, lbr_source *source)
{
    const char **data;
    int n = lbr_source_reads(source, &data);

    for (int k = 0; k < source->nfiles; k++)
        if (strpbrk(source->file[k]->name, "/."))
            run_files_add(f, "a file of the model", source->file[k]->name, LBR_NAME_READ);
    for (int k = 0; k < n; k++) run_files_add(f, "data that the model reads", data[k], LBR_NAME_READ);
    if (n < 0) f->no_memory = 1;
}

/* What a system in C consists of, once its file is compiled. */
void run_files_system(run_files *f, const lbr_csystem *c)
{
    for (const char *name = lbr_csystem_files(c); name && *name; name += strlen(name) + 1)
        run_files_add(f, "a file that the system includes", name, LBR_NAME_READ);
}

void run_files_plot(run_files *f, const char *path, int keep_script)
{
    const char *dot = path ? strrchr(path, '.') : NULL, *script, *data;

    run_files_add(f, "--plot", path, LBR_NAME_WRITTEN);
    if (!keep_script || !dot || strchr(dot, '/')) return;
    script = lbr_arena_format(f->arena, "%.*s.gp", (int)(dot - path), path);
    data = lbr_arena_format(f->arena, "%.*s.dat", (int)(dot - path), path);
    if (!script || !data) f->no_memory = 1;
    run_files_add(f, "the script of --plot", script, LBR_NAME_WRITTEN);
    run_files_add(f, "the data of --plot", data, LBR_NAME_WRITTEN);
}

int run_files_check(const run_files *f)
{
    lbr_message why;
    lbr_status status;

    if (f->no_memory) return complain("out of memory"), LBR_EXIT_MACHINE;
    return (status = lbr_filenames_check(f->list, f->n, &why)) ? run_unfit(why.text, status) : LBR_EXIT_DONE;
}

int run_files_out(const run_files *f, const run_settings *s, const char *what, const char *path)
{
    const lbr_filename out = { what, path, LBR_NAME_WRITTEN };
    lbr_message why;
    lbr_status status;

    if (!path) return LBR_EXIT_DONE;
    if (!(status = lbr_filename_apart(f->list, f->n, &out, &why)) && !s->resume)
        status = lbr_filename_table(path, s->force, &why);
    return status ? run_unfit(why.text, status) : LBR_EXIT_DONE;
}
