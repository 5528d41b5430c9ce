// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the documents and puts a section for each on the page.
"use strict";

/** Whose results these are: the project, its commit, and what made them. */
function aboutPage(about, documents) {
  if (!about) return;
  const put = (id, text) => document.getElementById(id).textContent = text;
  document.title = `${about.project}: results of gauntlet`;
  put("title", about.project);
  const bad = documents.filter((d) => d.schema === "gauntlet.run" ? !d.clean : d.schema === "gauntlet.check" ? !d.as_expected :
    [d, ...(d.combinations || [])].some((one) => (one.findings || []).length));
  const shown = documents.filter((d) => d !== about);
  const judged = shown.some((d) => ["run", "check", "sanitize", "repro"].some((verb) => d.schema === `gauntlet.${verb}`));
  put("lead", bad.length ? `${bad.length} of ${plural(shown.length, "result")} ${bad.length === 1 ? "has" : "have"} findings.` :
    judged ? "Nothing was found." : `${plural(shown.length, "result")}.`);
  put("about", [about.commit && `commit ${about.commit}`, about.date, ...new Set(shown.map((d) => d.made_by).filter(Boolean))].filter(Boolean).join("; "));
}

function start() {
  const documents = JSON.parse(document.getElementById("documents").textContent);
  const all = (name) => documents.filter((d) => d.schema === "gauntlet." + name);
  const one = (name) => all(name)[0] || null;
  const list = one("list"), time = one("time"), detection = one("detection");
  const fixes = all("why").flatMap((d) => d.fixes);
  const fixIds = new Map(fixes.length ? fixes.map((f) => [`${f.variant}@${f.without.form}`, fixId(f)]) : []);
  const main = document.getElementById("main"), contents = document.getElementById("sections");
  const section = (id, title, draw) => {
    main.append(h("section", {id, "aria-labelledby": id + "-title"}, h("h2", {id: id + "-title"}, title), draw));
    contents.append(h("li", {}, h("a", {href: "#" + id}, title)));
  };
  const each = (name, title, draw) => all(name).forEach((d, k) =>
    section(k ? `${name}-${k + 1}` : name, title(d), draw(d)));
  if (list) section("overview", "Overview", overviewSection(list, detection, fixes));
  each("run", (d) => `gauntlet run: ${(d.command[0] || "").split("/").pop()}`, runSection);
  const own = (d) => !list && d.forms.length > 0 && d.forms.every(isOwn);
  each("check", (d) => !own(d) ? "Forms" : d.forms.length === 1 ? `Check: ${d.forms[0].variant}` : "Checks", (d) => own(d) ? ownSection(d) : formsSection(d, list, fixIds));
  if (fixes.length) section("fixes", fixes.every((fix) => fix.variant.endsWith(".gauntlet")) ? "Compared" : "Fixes", fixesSection(fixes, detection, time));
  each("claims", () => "Statements", claimsSection);
  each("time", () => "Time", (d) => timeSection(d, list));
  each("repro", () => "A case", reproSection);
  each("witness", () => "Schedules", witnessSection);
  each("prove", () => "Proofs", proveSection);
  each("sanitize", (d) => `Sanitized: ${d.file}`, sanitizeSection);
  contents.append(h("li", {}, h("a", {href: "#main"}, "Top")));
  aboutPage(one("about"), documents);
  if (list) document.getElementById("lead").textContent =
    `${plural(list.variants.length, "kernel")} that teach reduction on GPUs, what is wrong with them, and what each fix changes.`;
  // report.html?open has everything open: for printing, and for a search over all of it.
  if (new URLSearchParams(location.search).has("open")) {
    for (const details of document.querySelectorAll("details.item")) {
      details.show();
      details.open = true;
    }
  }
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.tagName === "DETAILS") {
      target.show();
      target.open = true;
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
}
start();
