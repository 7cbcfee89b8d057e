/* setting_words.h - the words that are settings of a run. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_LANGUAGE_SETTING_WORDS_H
#define LBR_LANGUAGE_SETTING_WORDS_H

/* In the order of their list. */
typedef enum {
    LBR_SETTING_METHOD,
    LBR_SETTING_STEP,
    LBR_SETTING_STEPS,
    LBR_SETTING_TIME,
    LBR_SETTING_EVERY,
    LBR_SETTING_RECORD,
    LBR_SETTING_FROM,
    LBR_SETTING_UNTIL,
    LBR_SETTING_CONTROL, /* of a later version: known, and refused */
    LBR_SETTINGS
} lbr_setting_word;

/* Which one a name is, or -1; the word of one. */
int lbr_setting_of(const char *name);
const char *lbr_setting_text(int setting);
#endif
