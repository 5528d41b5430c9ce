/* SPDX-FileCopyrightText: Reduction Gauntlet authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program under `gauntlet run` can ask of what was found in it, for test frameworks
 * (gauntlet/gtest.hpp is one such use). There is nothing to link with: look the functions up by
 * dlsym(RTLD_DEFAULT, "gauntlet_mark"), which returns a null pointer where the program runs by
 * itself. Any thread may call them. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The moment of this call, to be given to the others. */
unsigned long long gauntlet_mark(void);

/* How many errors and warnings there were since: also those that had been found before, and were
 * found again. What gauntlet_finding returns is of the last such call of this thread. */
size_t gauntlet_findings_since(unsigned long long mark);

/* The text of one of them, counted from 0, in several lines, without colours. A null pointer if
 * there is none. It is valid until this thread calls gauntlet_findings_since again. */
const char* gauntlet_finding(size_t index);

/* What was found since for the first time was expected: it counts no more, neither in the reports
 * of `gauntlet run` nor for its exit code. */
void gauntlet_forget(unsigned long long mark);

#ifdef __cplusplus
}
#endif
