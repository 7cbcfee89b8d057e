/* setting_words.c - the words that are settings of a run. SPDX-License-Identifier: BSD-3-Clause */
#include "setting_words.h"

#include <string.h>

static const char *const words[LBR_SETTINGS] = {
    [LBR_SETTING_METHOD] = "method", [LBR_SETTING_STEP] = "step",   [LBR_SETTING_STEPS] = "steps",
    [LBR_SETTING_TIME] = "time",     [LBR_SETTING_EVERY] = "every", [LBR_SETTING_RECORD] = "record",
    [LBR_SETTING_FROM] = "from",     [LBR_SETTING_UNTIL] = "until", [LBR_SETTING_CONTROL] = "control",
};

int lbr_setting_of(const char *name)
{
    for (int i = 0; i < LBR_SETTINGS; i++)
        if (!strcmp(words[i], name)) return i;
    return -1;
}

const char *lbr_setting_text(int setting) { return words[setting]; }
