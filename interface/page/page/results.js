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
      repro.trace ? [interleaving(marked(repro.trace, repro.findings), repro.findings.length ? "What the threads of the findings do; their steps are red" :
        "What the threads do"), intervals(repro.trace)] : null]];
}

/** Steps of a witness as events: of a pair on one cell the second sees the first where it loads. */
const deciding = (steps) => steps.map((step, k) => ({...step, decides: true, ...(k % 2 && step.does === "loads" ? {from: k - 1} : {})}));

function witnessSection(witness) {
  return witness.forms.filter((form) => form.verdict !== "no_race").map((form) => {
    const who = form.form === "spec" ? form.variant : `${form.variant}@${form.form}`;
    const steps = deciding(form.steps);
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
    h("h3", {}, shortName(one.kernel), ` ${one.combination || ""}`),
    h("p", {class: "soft"}, `grid ${one.grid.join(",")}, block ${one.block.join(",")}, ${plural(one.schedules.length, "schedule")}`),
    one.findings.length ? findings(one.findings, true) : h("p", {}, chip("good", "clean"))]);
}

/** Where a launch or a call stands: the innermost line of the user's, and the others folded. */
function stack(frames, what) {
  if (!frames.length) return null;
  const named = (f) => `${f.line ? `${f.file}:${f.line}` : f.module} in ${f.function}`;
  const known = frames.find((f) => f.source) || frames[0], others = frames.filter((f) => f !== known);
  return h("div", {class: "soft"}, `${what} at `, named(known), known.source ? [" ", code(known.source)] : null,
    others.length ? h("details", {}, h("summary", {}, "called from"), others.map((f) => h("div", {}, named(f)))) : null);
}

function runSection(run) {
  return [command(["gauntlet run --", ...run.command].join(" ")),
    h("p", {}, run.clean ? chip("good", "clean") : chip("bad", "findings"), ` exit code ${run.exit_code}`),
    run.processes.map((process) => [
      h("h3", {}, process.program.split("/").pop()),
      h("ul", {class: "findings"}, process.findings.map((f) => {
        const entry = finding(f.finding, true);
        entry.append(h("div", {class: "soft"}, `launch ${f.launch}`), stack(f.stack, "launched") || "");
        return entry;
      }), process.mistakes.map((m) => h("li", {class: "finding"}, chip(m.severity === "note" ? "mark" : "bad", m.kind), " ", ...shortCall(m.call), `: ${m.detail}`, stack(m.stack, "called")))),
      table(["launches", "findings", "kernel"], process.kernels.map((k) => [String(k.launches), k.refused ? "not run: " + k.refused : String(k.findings), h("code", {}, shortName(k.name))]),
        {numbers: [0, 1], label: "Kernels"}),
      process.ended ? h("p", {}, process.ended) : null])];
}
