// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements, and the small parts that all sections share. Text is always set as text.
"use strict";

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}
const h = (tag, attributes, ...children) =>
  build(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const chip = (kind, text) => h("span", {class: "chip " + kind}, text);
const code = (text) => h("code", {}, text);
const command = (text) => h("code", {class: "command"}, text);
/** A long name, which may be broken behind its hyphens and underscores. */
const breakable = (text) => text.split(/(?<=[_@-])/).flatMap((part, k) => k ? [h("wbr"), part] : [part]);
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const expected = (what) => (what.array ? `${what.kind} ${what.array}` : what.kind);

/** A table in a frame that scrolls by itself. Rows are arrays of cells. */
function table(head, rows, {kind = "cards", numbers = [], label = ""} = {}) {
  const at = (k) => (numbers.includes(k) ? {class: "number"} : {});
  return h("div", {class: "wide", tabindex: kind === "cards" ? null : 0,
                   role: kind === "cards" ? null : "group", "aria-label": label || null},
    h("table", {class: kind, "aria-label": label || null},
      h("thead", {}, h("tr", {}, head.map((text, k) => h("th", {scope: "col", ...at(k)}, breakable(text))))),
      h("tbody", {}, rows.map((cells) => cells instanceof Element ? cells
        : h("tr", {}, cells.map((cell, k) => h("td", {...at(k), "data-label": head[k]}, cell)))))));
}

/** The case without what usually stays the same. */
function shortCase(line) {
  return line.replace(/ (data=ones|seed=1|offset=0|tail=poison|schedule=lockstep)(?= |$)/g, "");
}

/** An entry that is drawn when it is opened first; `draw` returns its content. */
function item(id, summary, draw) {
  const body = h("div");
  let drawn = false;
  const show = () => {
    if (drawn) return;
    drawn = true;
    body.append(...[draw()].flat(Infinity).filter(Boolean));
  };
  const details = h("details", {class: "item", id,
                                ontoggle: () => details.open && show()},
    h("summary", {}, summary), body);
  details.show = show;
  return details;
}

/** A box that hides the rows or entries of `list` that do not contain what is typed. */
function search(label, list) {
  const status = h("span", {class: "soft", role: "status"});
  const filter = (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const one of list()) {
      const text = one.textContent.toLowerCase();
      one.hidden = !words.every((word) => text.includes(word));
      shown += one.hidden ? 0 : 1;
    }
    status.textContent = words.length ? `${shown} shown` : "";
  };
  return h("label", {class: "search"}, label, h("input", {type: "search", oninput: filter}), status);
}

/** Without its template's arguments, parameters and inner namespaces; the whole name in a tooltip. */
function shortName(name) {
  let depth = 0, plain = "";
  for (const c of name.replace(/^void /, "").replace(/\boperator[<>(),]+/g, "operator")) {
    if (c === "<" || c === "(") depth += 1;
    if (!depth) plain += c;
    if ((c === ">" || c === ")") && depth) depth -= 1;
  }
  const parts = plain.trim().split("::").filter(Boolean);
  const short = parts.length > 2 ? `${parts[0]}::\u2026::${parts[parts.length - 1]}` : parts.join("::");
  return short && short !== name ? h("span", {title: name}, breakable(short)) : breakable(name);
}

/** A launch's name with its shape as it is, or a call's. */
function shortCall(text) {
  const at = text.indexOf("<<<");
  return at < 0 ? [text] : [shortName(text.slice(0, at).trim()), " ", text.slice(at)];
}

/** Axes that are 0 are left out at the end: "3", "3,1". */
const blockOf = (block) => String(block).replace(/(,0)+$/, "");

function party(p) {
  const value = p.value ? `, value ${p.value}` : "";
  const place = p.file ? ` at ${p.file}:${p.line}` : "";
  return `block ${blockOf(p.block)} warp ${p.warp} lane ${p.lane}${value}${place}`;
}

/** The lines of both parties, where the page has them, each with what happened there. */
function excerpt(places) {
  const lines = places.filter((p) => p && p.source);
  return lines.length ? h("table", {class: "excerpt", "aria-label": "Source lines"}, h("tbody", {}, lines.map((p) =>
    h("tr", {}, h("td", {class: "at mono"}, `${p.file}:${p.line}`), h("td", {class: "mono"}, p.source,
      h("div", {class: "soft"}, "^ " + p.what)))))) : null;
}

/** The two accesses of a race in an order that it allows, as steps of a schedule. */
function raceEvents(f) {
  if (!f.other || !f.kind.startsWith("race_") || !f.array) return [];
  const does = {race_read_write: ["loads", "stores"], race_write_read: ["stores", "loads"]}[f.kind] || ["stores", "stores"];
  // A finding names the later access first.
  return [f.other, f.at].map((p, k) => ({launch: 1, block: blockOf(p.block), warp: p.warp, lane: p.lane, does: does[k],
    cell: `${f.array}[${f.index}]`, value: p.value || "?", value_in_base: "", file: p.file.split("/").pop(), line: p.line, decides: true}));
}

function finding(f, drawn = false) {
  const cell = f.array ? ` ${f.array}[${f.index}]` : "";
  const kind = f.severity === "note" ? "mark" : "bad";
  const verbs = {race_write_read: ["read", "write"], race_read_write: ["write", "read"], race_write_write: ["write", "write"],
    poison_output: ["used", "comes from"]}[f.kind] || ["here", "the other party"];
  const who = (p, what) => `${what} by ${party(p).replace(/ at [^ ]*$/, "")}`.replace("from by", "from");
  const lines = excerpt([f.other && {...f.other, what: who(f.other, verbs[1])}, {...f.at, what: who(f.at, verbs[0])}]);
  const events = drawn ? raceEvents(f) : [];
  return h("li", {class: "finding"}, chip(kind, f.kind), h("strong", {}, cell), f.count > 1 ? ` (${f.count} times)` : "",
    f.detail ? ": " + f.detail : "",
    f.kernel ? h("div", {class: "soft"}, "in ", shortName(f.kernel)) : null,
    lines || h("div", {class: "soft"}, party(f.at), f.other ? h("div", {}, "the other party: " + party(f.other)) : ""),
    events.length ? interleaving({events}, "The two threads that nothing orders") : null);
}

/** The first few, and the others folded. */
function findings(list, drawn = false) {
  const first = 3, others = list.slice(first + 1).length ? list.slice(first) : [];
  const one = (f) => finding(f, drawn);
  return [h("ul", {class: "findings"}, list.slice(0, list.length - others.length).map(one)),
    others.length ? h("details", {}, h("summary", {}, `${others.length} more`), h("ul", {class: "findings"}, others.map(one))) : null];
}
