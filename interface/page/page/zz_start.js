// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the documents and puts a section for each on the page.
"use strict";

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
  each("check", () => "Forms", (d) => formsSection(d, list, fixIds));
  if (fixes.length) section("fixes", "Fixes", fixesSection(fixes, detection, time));
  each("claims", () => "Statements", claimsSection);
  each("time", () => "Time", (d) => timeSection(d, list));
  each("repro", () => "A case", reproSection);
  each("witness", () => "Schedules", witnessSection);
  each("prove", () => "Proofs", proveSection);
  each("sanitize", (d) => `Sanitized: ${d.file}`, sanitizeSection);
  each("run", () => "A program", runSection);
  document.getElementById("lead").textContent = list ?
    `${plural(list.variants.length, "kernel")} that teach reduction on GPUs, what is wrong with them, and what each fix changes.` :
    "Results of gauntlet.";
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
