// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the page of the catalogue begins with: one race, how many defects each tool reports, what the letters mean.
"use strict";

const letters = [
  ["A", "notes after a Zhihu article: a ladder of optimisations for a sum of floats, six kernels"],
  ["B", "notes after NVIDIA's reduction slides: two kernels"],
  ["C", "a beginner's course: sums of ints with atomics, six kernels, with figures of a profiler"],
  ["D", "notes on a chapter of a CUDA book: warp primitives and cooperative groups, three kernels"],
  ["E", "\u201cReduction\u201d, 17 April 2023: the tree in three steps, then CUB's DeviceReduce, three kernels"]];

/** Of the forms with a defect, in how many anything is reported. */
function bars(detection, total) {
  const any = (test) => detection.forms.filter((form) => form.cases.some(test)).length;
  const said = (tool) => (c) => Array.isArray((c.tools || {})[tool]) && c.tools[tool].length > 0;
  const rows = [["this program", any((c) => (c.simt || []).length), "ours"],
    ["a plain run's output is wrong", any((c) => c.output && c.output !== "right" && c.output !== "refused")],
    ["compute-sanitizer, any tool", any((c) => detection.tools.some((tool) => said(tool)(c)))],
    ...detection.tools.map((tool) => [`\u2013 ${tool}`, any(said(tool))])];
  return h("figure", {}, h("figcaption", {}, `In how many of ${total} forms with a defect something is reported, on the same cases (${detection.device}, ${detection.date.slice(0, 10)})`),
    h("table", {class: "bars", "aria-label": "Detection"}, h("tbody", {}, rows.map(([name, count, kind]) =>
      h("tr", {class: kind || null}, h("th", {scope: "row"}, name), h("td", {class: "number"}, String(count)),
        h("td", {class: "bar"}, h("i", {style: `width:${100 * count / total}%`})))))));
}

function overviewSection(list, detection, fixes) {
  const shown = fixes.find((fix) => fix.race && fix.variant === "volatile_warp_tail" && fix.fix === "syncwarp") || fixes.find((fix) => fix.race);
  const total = list.variants.flatMap((v) => v.forms).filter((form) => form.expected.length).length;
  return [
    shown ? [h("p", {}, "One of them: ", h("a", {href: "#" + fixId(shown)}, `${shown.variant} without its ${shown.fix}`), `. ${shown.what[0].toUpperCase()}${shown.what.slice(1)}.`),
      interleaving(shown.race.trace, `A schedule that the GPU may choose, with ${shown.race.got} instead of ${shown.race.right}: each store, and the loads that see its value; what decides is red`)] : null,
    detection ? bars(detection, total) : null,
    h("p", {}, "A form is a kernel as documented, with all its fixes, or without one of them; the letters say who prints it or describes it:"),
    h("dl", {class: "letters"}, letters.flatMap(([letter, text]) => [h("dt", {}, letter), h("dd", {}, text)])),
    h("p", {class: "soft"}, "More of each is in docs/documents.md; kernels without a letter are ours.")];
}
