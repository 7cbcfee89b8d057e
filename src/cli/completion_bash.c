/* completion_bash.c - words completed in bash. SPDX-License-Identifier: BSD-3-Clause
 *
 * The line is taken apart here: bash splits words at ':' and '=', which are inside names of methods and flags, and has
 * them as they are typed, with quotes and backslashes. Bash puts such back where names of files need them. A name with
 * a line end in it would be two, which are not there: it is not offered. */
#include "completion.h"

static void begin(void)
{
    fputs("# bash completion of libration, made by: libration completion bash\n"
          "_libration()\n"
          "{\n"
          "    local line=${COMP_LINE:0:COMP_POINT} word= value before command words= offers= cut= quote= c i file\n"
          "    local -a given\n"
          "\n"
          "    for ((i = 0; i < ${#line}; i++)); do\n"
          "        c=${line:i:1}\n"
          "        case $quote$c in\n"
          "        \"''\" | '\"\"') quote= ;;\n"
          "        '\"\\' | '\\') i=$((i + 1)) word+=${line:i:1} ;;\n"
          "        \"'\" | '\"') quote=$c ;;\n"
          "        \"'\"? | '\"'?) word+=$c ;;\n"
          "        ' ' | $'\\t') [[ $word ]] && given+=(\"$word\"); word= cut= ;;\n"
          "        :) word+=: cut=$word ;;\n"
          "        *) word+=$c ;;\n"
          "        esac\n"
          "    done\n"
          "    command=${given[1]-} before=${given[${#given[@]}-1]} value=$word\n"
          "    [[ $word == --*=* ]] && before=${word%%=*} value=${word#*=} cut=${cut#*=}\n"
          "    case $command:$before in\n",
          stdout);
}

static void offer(unsigned offers)
{
    fputs(" offers='", stdout);
    for (unsigned k = 1; k <= OFFER_SHELLS; k *= 2)
        if (offers & k) printf(" %u.", k);
    fputs("'", stdout);
}

/* A flag with a value: what may follow it. */
static void flag_(const command *c, const offered *f)
{
    if (!f->has_value) return;
    printf("    %s:--%s)", c->name, f->name);
    if (f->words) printf(" words='%s'", f->words);
    offer(f->offers);
    fputs(" ;;\n", stdout);
}

static void put_flag(const char *name, const char *value, const char *doc, void *ctx)
{
    (void)value, (void)doc, (void)ctx;
    printf(" --%s", name);
}

static void names(const command *c, unsigned offers)
{
    printf("    %s:*) words='", c->name);
    flags_each(c, put_flag, NULL);
    fputs(" --help'", stdout);
    offer(offers);
    fputs(" ;;\n", stdout);
}

static void command_(const command *c) { (void)c; }

static void kind(unsigned k)
{
    printf("    [[ $offers == *' %u.'* ]] && words+='", k);
    put_words(k);
    fputs("'\n", stdout);
}

static void end(void)
{
    const command *c;

    fputs("    :*) words='", stdout);
    for (int i = 0; (c = command_number(i)); i++) printf("%s ", c->name);
    fputs("--help --version' ;;\n    esac\n", stdout);
    kind(OFFER_METHODS), kind(OFFER_MODELS), kind(OFFER_EXPERIMENTS), kind(OFFER_SHELLS);
    printf("    mapfile -t COMPREPLY < <(\n"
           "        compgen -W \"$words\" -- \"$value\"\n"
           "        { [[ $offers == *' %d.'* ]] && compgen -f -- \"$value\"\n"
           "          [[ $offers == *' %d.'* ]] && compgen -d -- \"$value\"; } | while IFS= read -r file; do\n"
           "            [[ -e $file || -L $file || $file == '~'* ]] && printf '%%s\\n' \"$file\"\n"
           "        done)\n"
           "    [[ $offers == *' %d.'* || $offers == *' %d.'* ]] && compopt -o filenames\n"
           "    [[ $cut ]] && COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
           "}\n"
           "complete -F _libration libration\n",
           OFFER_FILES, OFFER_FOLDERS, OFFER_FILES, OFFER_FOLDERS);
}

const shell shell_bash = { "bash", begin, command_, flag_, names, end };
