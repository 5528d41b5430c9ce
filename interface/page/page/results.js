// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements, single runs, whole programs.
"use strict";

const claimKinds = {"true": "good", "false": "bad", "half true": "mark", "true if": "mark", "obsolete": "mark"};

function claimsSection(claims) {
  const rows = claims.claims.map((claim) => h("tr", {id: `claim-${claim.number}`},
    h("th", {scope: "row", class: "number"}, String(claim.number)),
    h("td", {}, claim.statement, h("div", {class: "soft"}, claim.documents)),
    h("td", {}, chip(claimKinds[claim.verdict] || "mark", claim.verdict || "open")),
    h("td", {}, claim.reason, claim.figures ? h("details", {}, h("summary", {}, "figures"),
      h("p", {}, claim.figures, h("span", {class: "soft"}, ` (${claim.source})`)), claim.commands.map(command)) : null)));
  return [search("Find", () => rows),
    table(["no.", "statement", "verdict", "why"], rows, {label: "Statements"})];
}

function reproSection(repro) {
  return [command(`gauntlet repro '${shortCase(repro.case || "")}'`),
    repro.refused ? h("p", {}, "Refused: " + repro.refused) : [
      table(["array", "values"], repro.buffers.map((b) => [b.name, b.values.slice(0, 32).join(", ") + (b.cells > 32 ? ", \u2026" : "")]), {label: "Values"}),
      repro.findings.length ? findings(repro.findings) : h("p", {}, chip("good", "nothing found")),
      repro.trace ? [interleaving(repro.trace, "Interleaving; what decides is red"), intervals(repro.trace)] : null]];
}

function witnessSection(witness) {
  return witness.forms.filter((form) => form.verdict !== "no_race").map((form) => {
    const who = form.form === "spec" ? form.variant : `${form.variant}@${form.form}`;
    const steps = form.steps.map((step) => ({...step, decides: true}));
    steps.forEach((step, k) => {  // pairs on one cell: the second sees the first where it loads
      if (k % 2 && step.does === "loads") step.from = k - 1;
    });
    return item(null, [h("span", {class: "name"}, who), " ", h("span", {class: "soft"}, form.shows)], () => [
      h("p", {}, form.verdict === "found" ? `${form.got} instead of ${form.right}; in ${form.base} the result is right.` : form.shows),
      command(`gauntlet repro --trace '${shortCase(form.case)}'`),
      steps.length ? interleaving({events: steps}, "The steps that decide") : null]);
  });
}

function proveSection(prove) {
  const proofs = prove.cases || (prove.case ? [prove] : prove.forms || []);
  const missing = (m) => `${m.cell} has element ${m.element} ${plural(m.times, "time")}`;
  const proved = table(["what", "verdict", "because"], proofs.map((proof) => proof.case ? [
    code(shortCase(proof.case)), chip(proof.verdict === "proved" ? "good" : "mark", proof.verdict.replace("_", " ")),
    proof.miscount ? missing(proof.miscount) : proof.cause ? `${proof.cause.what} ${proof.cause.at}` : ""] : [
    code(proof.form), chip(proof.unexpected ? "bad" : "good", `${proof.proved} of ${proof.cases} proved`),
    proof.unexpected ? shortCase(proof.unexpected.case) : ""]), {label: "Proofs"});
  return [proved, proofs.flatMap((proof) => (proof.trees || []).slice(0, 4).map(treeFigure))];
}

function sanitizeSection(sanitize) {
  if (!sanitize.combinations && !sanitize.findings) {
    return table(["kernel", "can be run"], sanitize.kernels.map((k) => [code(k.signature), k.can_run ? "yes" : "no"]), {label: "Kernels"});
  }
  return (sanitize.combinations || [sanitize]).map((one) => [
    h("h3", {}, `${one.kernel} ${one.combination || ""}`),
    h("p", {class: "soft"}, `grid ${one.grid.join(",")}, block ${one.block.join(",")}, ${plural(one.schedules.length, "schedule")}`),
    one.findings.length ? findings(one.findings) : h("p", {}, chip("good", "clean"))]);
}

const stack = (frames) => frames.length ? h("div", {class: "soft"},
  "launched or called at " + frames.map((f) => `${f.line ? `${f.file}:${f.line}` : f.module} in ${f.function}`).join(", ")) : null;

function runSection(run) {
  return [command(["gauntlet run --", ...run.command].join(" ")),
    h("p", {}, run.clean ? chip("good", "clean") : chip("bad", "findings"), ` exit code ${run.exit_code}`),
    run.processes.map((process) => [
      h("h3", {}, process.program),
      table(["kernel", "launches", "findings"], process.kernels.map((k) => [code(k.name), String(k.launches), k.refused ? "not run: " + k.refused : String(k.findings)]), {numbers: [1], label: "Kernels"}),
      h("ul", {}, process.findings.map((f) => {
        const entry = finding(f.finding);
        entry.append(h("div", {class: "soft"}, `launch ${f.launch}`), stack(f.stack) || "");
        return entry;
      }), process.mistakes.map((m) => h("li", {}, chip(m.severity === "note" ? "mark" : "bad", m.kind), ` ${m.call}: ${m.detail}`, stack(m.stack)))),
      process.ended ? h("p", {}, process.ended) : null])];
}
