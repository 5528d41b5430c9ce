// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

extern "C" Part used_part() { return linked_part(); }
