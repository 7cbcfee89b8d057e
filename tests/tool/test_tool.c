/* test_tool.c - the command line: exit statuses, sentences on stderr, JSON that is JSON with the keys that are
 * promised. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#include <libration.h>

/* --- the commands ------------------------------------------------------------------------------------------------ */

static void general(void)
{
    ok(typed("--help") == 0 && strstr(out, "methods") && strstr(out, "check") && !*err, "--help tells the commands");
    ok(typed("--version") == 0 && isdigit((unsigned char)out[strlen("libration ")]), "--version: %.20s", out);
    ok(typed("") == 2 && strstr(err, "usage"), "without arguments: the usage on stderr, status 2");
    ok(typed("metods") == 2 && strstr(err, "methods"), "a misspelt command is named, and the near one");
    ok(typed("frobnicate") == 2 && strstr(err, "frobnicate") && strstr(err, "--help"), "an unknown command: status 2");
    ok(typed("methods --help") == 0 && strstr(out, "usage: libration methods"), "help of one command");
    ok(!is_json_text("{\"a\": 1,}") && !is_json_text("[1 2]") && is_json_text("{\"a\": [1, -2e3, null, \"x\\\"\"]}"),
       "the reader of JSON tells right from wrong");
}

/* Rows of the catalogue, and members of families. */
static int entries(void)
{
    int n = 0;

    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *m = lbr_catalogue(i);
        n += m->stride ? (m->last - m->first) / m->stride + 1 : 1;
    }
    return n;
}

static void methods(void)
{
    ok(typed("methods") == 0 && strstr(out, "kahan-li-8-17") && strstr(out, "gauss:1..16"), "the catalogue for people");
    ok(strstr(out, "radau-2a:1..16              2k-1      k    -     -    -") &&
           strstr(out, "lobatto-3b:2..16            2k-2      k  yes     -    -") &&
           strstr(out, "suzuki:4..18                   k   many  yes   yes  T+V") &&
           strstr(out, "suzuki-general:1..1000         4   many"),
       "families with the order of their members, and what all of them are");
    ok(typed("methods --json") == 0 && is_json(), "the catalogue as JSON");
    ok(has_keys(
           "name type family order order_quadratic_kinetic stages symmetric symplectic explicit digits needs source"),
       "with its keys");
    ok(count(out, "\"name\":") == entries() && count(out, "\"gauss:") == 16, "families member by member: %d entries",
       count(out, "\"name\":"));
    ok(typed("methods --order 8 --json") == 0 && count(out, "\"name\":") >= 9 &&
           count(out, "\"name\":") == count(out, "\"order\": 8"),
       "--order picks");
    ok(typed("methods --symplectic --json") == 0 && !strstr(out, "\"rk4\"") && strstr(out, "\"midpoint\""),
       "--symplectic picks");
    ok(typed("methods --symmetric --json") == 0 && !strstr(out, "\"symplectic-euler\"") &&
           strstr(out, "\"trapezoidal\""),
       "--symmetric picks");
    ok(typed("methods kahan-li-8-17 --json") == 0 && is_json() && has_keys("coefficients gamma") &&
           count(out, "0.13020248308889008087881763") == 2,
       "one method: all digits as text, the list expanded");
    ok(typed("methods gauss:2 --json") == 0 && is_json() && has_keys("A b c"), "a tableau");
    ok(typed("methods p8s17") == 0 && strstr(out, "kahan-li-8-17:"), "an alias");
    ok(typed("methods 'compose(suzuki:4, midpoint)'") == 0 && strstr(out, "order       4"), "an expression");
    ok(typed("methods stormer-verlot") == 2 && strstr(err, "stormer-verlet"), "a misspelt name: the nearest one");
    ok(typed("methods gauss:17") == 2 && strstr(err, "gauss:16"), "out of range: the range");
    ok(typed("methods --order x") == 2 && typed("methods --order") == 2 && typed("methods a b") == 2 &&
           typed("methods --frob") == 2,
       "bad usage: 2");
}

static void check(void)
{
    ok(typed("check --all") == 0 && !strstr(out, "FAILS") && strstr(out, ", 0 fail"), "all certificates hold");
    ok(typed("check --all --json") == 0 && is_json() && has_keys("name property claimed found holds by detail") &&
           !strstr(out, "\"holds\": false"),
       "as JSON");
    ok(typed("check kahan-li-8-17 --json") == 0 && is_json() && strstr(out, "word 1111113"),
       "one: the first condition that fails");
    ok(typed("check gauss:16") == 0 && strstr(out, "assumptions") && strstr(out, "B(33)"),
       "Gauss with 16 stages by assumptions");
    ok(typed("check 'compose(strang, rk4)' rk4") == 0 && strstr(out, "compose(strang, rk4)"),
       "expressions, and several");
    ok(typed("check") == 2 && typed("check --all rk4") == 2 && typed("check nothing") == 2 && typed("check --bad") == 2,
       "bad usage: 2");
}

static void machine(void)
{
    out_file = "/dev/full";
    ok(typed("check --all") == 4 && strstr(err, "could not be written"), "a full disk: status 4 and a sentence");
    ok(typed("methods --json") == 4, "also for JSON");
}

static void tests(void) { general(), methods(), check(), machine(); }

int main(void) { return with_tool(tests); }
