/* judge.c - placeholder */
#include "judge.h"
struct lbr_judgement { int none; };
lbr_status lbr_judge_open(lbr_judgement **j, lbr_experiment *x) { (void)x; *j = NULL; return LBR_OK; }
void lbr_judge_free(lbr_judgement *j) { (void)j; }
int lbr_judge_needs(const lbr_judgement *j, int i) { (void)j, (void)i; return 0; }
lbr_status lbr_judge_claims(lbr_judgement *j, const lbr_verdict **v, int64_t *n) { (void)j, *v = NULL, *n = 0; return LBR_OK; }
int lbr_judge_excuses(const lbr_judgement *j, int i) { (void)j, (void)i; return 0; }
lbr_status lbr_judge_tables(lbr_judgement *j, FILE *out) { (void)j, (void)out; return LBR_OK; }
int64_t lbr_judge_plots(const lbr_judgement *j) { (void)j; return 0; }
lbr_status lbr_judge_draw(lbr_judgement *j, const char *p, int k, int f, lbr_message *m) { (void)j, (void)p, (void)k, (void)f, (void)m; return LBR_OK; }
lbr_status lbr_judge_draw_check(const lbr_judgement *j, const char *p, int k, int f, lbr_message *m) { (void)j, (void)p, (void)k, (void)f, (void)m; return LBR_OK; }
