/* comma.h - a locale that writes numbers with something else than a point. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMA_H
#define COMMA_H
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Into this locale, one of those that are installed or one that is made for the purpose; 0: it cannot be had. The C
 * locale is back with setlocale(LC_ALL, "C"). Who calls this asks for what POSIX has. */
__attribute__((unused)) static int into_locale(const char *name, const char *alias, const char *point)
{
    char folder[] = "/tmp/libration-locale.XXXXXX", command[300];
    int good = 0;

    if ((setlocale(LC_ALL, name) || setlocale(LC_ALL, alias)) && !strcmp(localeconv()->decimal_point, point)) return 1;
    if (!mkdtemp(folder)) return 0;
    snprintf(command, sizeof command, "localedef -c -i %s -f UTF-8 %s/%s >/dev/null 2>&1", alias, folder, name);
    if (!system(command) && !setenv("LOCPATH", folder, 1))
        good = setlocale(LC_ALL, name) && !strcmp(localeconv()->decimal_point, point);
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command)) printf("# %s remains\n", folder);
    if (!good) setlocale(LC_ALL, "C");
    return good;
}

/* A decimal comma, or a point of two bytes; SKIP is told where there is none. */
__attribute__((unused)) static int into_comma(void) { return into_locale("de_DE.UTF-8", "de_DE", ","); }
__attribute__((unused)) static int into_two_bytes(void) { return into_locale("ps_AF.UTF-8", "ps_AF", "\u066b"); }
#endif
