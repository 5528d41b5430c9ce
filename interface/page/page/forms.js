// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Forms and their verdicts, and what each fix changes.
"use strict";

function verdict(form) {
  if (form.outcome === "mismatch") return chip("bad", "not as expected");
  if (form.outcome === "incomplete") return chip("mark", "not finished");
  // As it should be: by far the most, and no more than a word.
  if (!form.expected.length) return h("span", {class: "soft"}, "holds");
  return form.found.length ? h("span", {}, "caught") : chip("mark", "unseen");
}

/** " in" and the kernels that show it, where more than one has findings. */
function inKernels(form, what) {
  const findings = form.counterexamples.flatMap((example) => example.findings).filter((f) => f.kernel);
  const kernels = (list) => [...new Set(list.map((f) => f.kernel))].sort();
  const own = kernels(findings.filter((f) => expected(f) === expected(what)));
  return own.length && kernels(findings).length > 1 ? " in " + own.join(", ") : "";
}

function shownFindings(form, own = false) {
  const list = form.outcome === "mismatch" && !(own && !form.expected.length) ? [
    ...form.missing.map((what) => "not found: " + expected(what)),
    ...form.extra.map((what) => "not expected: " + expected(what) + inKernels(form, what))] : form.found.map(expected);
  return [...list, ...form.problems].join(", ");
}

const isOwn = (form) => form.form === "spec" || form.variant.endsWith(".gauntlet");

/** Checks of a user's own specs: what was found first, with its lines and parties; then what holds. */
function ownSection(check) {
  const name = (form) => form.form === "spec" ? form.variant : `${form.variant}@${form.form}`;
  const of = (form) => form.outcome === "mismatch" ? chip("bad", "FAILS") : verdict(form);
  const wrong = check.forms.filter((form) => form.outcome === "mismatch"), others = check.forms.filter((form) => form.outcome !== "mismatch");
  const files = [...new Set(check.forms.map((form) => form.variant))];
  return [command(`gauntlet check ${files.join(" ")} --cases ${check.cases} --seed ${check.seed}`),
    wrong.map((form) => h("article", {},
      h("h3", {}, breakable(name(form)), " ", of(form)),
      h("p", {}, shownFindings(form, true), h("span", {class: "soft"}, `; ${plural(form.cases, "case")}`)),
      form.counterexamples.map((example) => [command(`gauntlet repro '${shortCase(example.case)}'`), findings(example.findings, true)]))),
    others.length ? table(["spec", "verdict", "cases"], others.map((form) => [breakable(name(form)), of(form), String(form.cases)]),
      {numbers: [2], label: "What is as it should be"}) : null];
}

function formsSection(check, list, fixIds) {
  const variants = new Map(list ? list.variants.map((v) => [v.id, v]) : []);
  const rows = check.forms.map((form) => {
    const variant = variants.get(form.variant), example = form.counterexamples[0];
    const fix = fixIds.get(`${form.variant}@${form.form}`);
    return h("tr", {},
      h("th", {scope: "row"}, breakable(form.variant), variant ? h("div", {class: "soft"}, variant.documents || "ours") : ""),
      h("td", {}, fix ? h("a", {href: "#" + fix}, breakable(form.form)) : breakable(form.form)),
      h("td", {}, verdict(form)), h("td", {}, breakable(shownFindings(form))),
      h("td", {class: "mono"}, example ? shortCase(example.case).replace(/^\S+ /, "") : ""));
  });
  const counted = (test) => check.forms.filter(test).length;
  const wrong = counted((f) => f.outcome !== "as expected");
  return [
    h("p", {}, `${plural(check.forms.length, "form")}: ${counted((f) => f.outcome === "as expected" && !f.expected.length)} hold, ` +
      `${counted((f) => f.outcome === "as expected" && f.found.length)} show the defect that they must, ${wrong} not as expected; on ${check.executor}, seed ${check.seed}.`),
    search("Find", () => rows),
    table(["variant", "form", "verdict", "findings", "smallest case"], rows, {label: "Forms"}),
    h("h3", {}, "What was found"),
    check.forms.filter((f) => f.outcome === "mismatch").map((form) => item(null,
      [h("span", {class: "name"}, form.form === "spec" ? form.variant : `${form.variant}@${form.form}`), " ", verdict(form)],
      () => form.counterexamples.map((example) => [command(`gauntlet repro '${shortCase(example.case)}'`), findings(example.findings)]))),
    wrong ? null : h("p", {class: "soft"}, "Nothing but what is expected.")];
}

function sourceTable(fix) {
  const line = (row) => {
    if (!row.left && !row.right) return h("tr", {class: "gap"}, h("td", {colspan: 4}, "\u22ee"));
    const side = (number, text, kind) => number ? [h("td", {class: "at mono " + kind}, String(number)),
      h("td", {class: "mono " + kind}, text)] : [h("td", {class: "at empty"}), h("td", {class: "empty"})];
    const same = row.kind === "same";
    const right = side(row.right, row.right_text, same ? "" : "in");
    if (same) right.forEach((td) => td.classList.add("empty"));
    return h("tr", {}, side(row.left, row.left_text, same ? "" : "out"), right);
  };
  const parts = [];  // lines that are the same, and lines that are not, in turn
  let before = null;
  for (const row of fix.source) {
    const changed = row.kind !== "same";
    if (changed !== before) parts.push(h("tbody"));
    before = changed;
    parts[parts.length - 1].append(line(row));
  }
  return h("figure", {}, h("figcaption", {}, "Source: without the fix, and with it; changed lines are marked"),
    h("table", {class: "source", "aria-label": "Source side by side"},
      h("thead", {}, h("tr", {}, h("th", {scope: "col", colspan: 2}, "without"), h("th", {scope: "col", colspan: 2}, "with"))),
      parts));
}

function sideCells(side, what) {
  const wrong = side.findings.length > 0;
  return [what, side.refused ? "refused: " + side.refused : side.total || "none", side.reference,
    wrong ? [...new Set(side.findings.map(expected))].join(", ") : chip("good", "nothing found")];
}

let pictures = 0;

/** A picture that the program drew; its ids are made different from those of the others. */
function picture(text, caption) {
  const image = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const all = [image, ...image.querySelectorAll("*")];
  const ids = new Set(all.map((element) => element.id).filter(Boolean));
  pictures += 1;
  for (const attribute of all.flatMap((element) => [...element.attributes])) {
    attribute.value = attribute.value.split(/([\s#()"']+)/)
      .map((word) => ids.has(word) ? `${word}-${pictures}` : word).join("");
  }
  return h("figure", {}, h("figcaption", {}, caption),
    h("div", {class: "wide", tabindex: 0, role: "group", "aria-label": caption}, document.importNode(image, true)));
}

function toolsTable(detection, variant, form, smallest) {
  const measured = detection && detection.forms.find((f) => f.variant === variant && f.form === form);
  if (!measured) return null;
  const any = (test) => measured.cases.some(test);
  const seen = (found) => found ? chip("good", "sees it") : chip("mark", "silent");
  const cells = [["output of a plain run", seen(any((c) => c.output && c.output !== "right" && c.output !== "refused"))],
    ["guard pages on a GPU", seen(any((c) => (c.fence || []).length))],
    ...detection.tools.map((tool) => [tool, seen(any((c) => Array.isArray((c.tools || {})[tool]) && c.tools[tool].length))]),
    ["this program", seen(any((c) => (c.simt || []).length))]];
  return [h("h3", {}, "Which tool sees it"), table(["tool", "verdict"], cells, {kind: "plain", label: "Tools"}),
    h("p", {class: "soft"}, `Measured on ${detection.device}, ${detection.date.slice(0, 10)}, over ${plural(measured.cases.length, "case")}.`,
      / blocks=/.test(smallest || "") ? " All of them are too small for this defect, which needs 2^31 elements or more; gauntlet check runs a few blocks of such a grid." : null)];
}

function costTable(time, variant, fix) {
  const rows = time ? time.fixes.filter((f) => f.variant === variant && f.fix === fix) : [];
  if (!rows.length) return null;
  const percent = (x) => `${x > 0 ? "+" : ""}${x.toFixed(1)} %`;
  return [h("h3", {}, "What it costs"),
    table(["type", "n", "time", "noise"], rows.map((f) => [f.in, power(f.n), percent(f.cost_percent), percent(f.noise_percent).replace("+", "\u00b1")]),
      {kind: "plain", numbers: [1, 2, 3], label: "Cost"}),
    h("p", {class: "soft"}, `Beside the form without it, on ${time.device.name}; below 0 the fix is faster.`)];
}

const fixId = (fix) => `fix-${fix.variant}-${fix.fix}`.replace(/[^\w-]+/g, "_");

/** What `gauntlet why` knows of a fix by itself, without the documents that were measured. */
function evidence(fix) {
  if (!fix.tools || !fix.tools.length) return null;
  return [h("h3", {}, "Which tool sees it"),
    table(["tool", "says"], fix.tools.map((t) => [t.who, t.says ? chip("good", t.says) : chip("mark", "silent")]), {kind: "plain", label: "Tools"}),
    h("p", {class: "soft"}, `Measured on ${fix.tools_from}.`)];
}

function fixEntry(fix, detection, time) {
  const form = fix.without.form;
  const own = fix.variant.endsWith(".gauntlet");
  const summary = [h("span", {class: "name"}, own ? `${fix.variant} beside ${fix.fix}` : `${fix.variant}: ${fix.fix}`), h("div", {class: "soft"}, fix.what)];
  return item(fixId(fix), summary, () => [
    fix.case ? [h("h3", {}, "The smallest case"), command(`gauntlet repro '${shortCase(fix.case)}'`)] : null,
    table(["form", "result", "right", "findings"], [sideCells(fix.without, form), sideCells(fix.with, fix.with.form)], {label: "Before and after"}),
    fix.difference ? h("p", {}, "The first value that differs: ", code(fix.difference),
      ` is ${fix.without.at_difference} without the fix, ${fix.with.at_difference} with it`) : null,
    fix.race ? [
      h("h3", {}, "A schedule that makes it wrong"),
      h("p", {}, `${fix.race.got} instead of ${fix.race.right}`, fix.race.words ? `, since ${fix.race.words}` : "", `; in ${fix.race.base} the result is right.`),
      command(`gauntlet repro --trace '${shortCase(fix.race.case)}'`),
      fix.race.trace.events.length ? interleaving(fix.race.trace, "Interleaving: each store, and the loads that see its value; what decides is red") :
        interleaving({events: deciding(fix.race.steps)}, "The steps that decide")] : null,
    fix.race ? null : interleaving(marked(fix.without.trace, fix.without.findings), `Steps of ${form}`),
    fix.source.length ? sourceTable(fix) : null,
    findings(fix.without.findings),
    h("div", {class: "pair"}, ["without", "with"].map((which) => fix[which].tree ?
      picture(fix[which].tree, `Summation tree of ${fix[which].form}`) : null)),
    h("div", {class: "pair"}, ["without", "with"].map((which) => {
      const figure = intervals(fix[which].trace);
      return figure ? h("div", {}, h("h3", {}, fix[which].form), figure) : null;
    })),
    toolsTable(detection, fix.variant, form, fix.case) || evidence(fix), costTable(time, fix.variant, fix.fix)]);
}

function fixesSection(fixes, detection, time) {
  const entries = fixes.map((fix) => fixEntry(fix, detection, time));
  const all = (open) => () => entries.forEach((entry) => {
    if (open) entry.show();
    entry.open = open;
  });
  if (entries.length === 1) {
    all(true)();
    return entries;
  }
  return [h("p", {}, "Each fix by itself: the form that has every other fix, beside the fixed form, on the same case."),
    search("Find", () => entries),
    h("p", {class: "print-not"}, h("button", {type: "button", onclick: all(true)}, "Open all"), " ",
      h("button", {type: "button", onclick: all(false)}, "Close all")), entries];
}
