/* libration.h - geometric numerical integration. SPDX-License-Identifier: BSD-3-Clause
 *
 * Four nouns: a *system* is what is integrated (system.h), a *method* how (method.h), a *plan* the two
 * joined and a *state* one trajectory (plan.h). Models in the language are opened by model.h; certificates of methods
 * are in series.h. */
#ifndef LIBRATION_H
#define LIBRATION_H
#include "libration/base.h"
#include "libration/system.h"
#include "libration/check.h"
#include "libration/method.h"
#include "libration/options.h"
#include "libration/observe.h"
#include "libration/plan.h"
#include "libration/model.h"
#include "libration/prolong.h"
#include "libration/series.h"
#endif
