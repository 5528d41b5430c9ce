// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of Observable Plot that the page draws with.
export {plot, lineY, ruleY, dot, text, tip, pointer, selectLast} from "@observablehq/plot";
