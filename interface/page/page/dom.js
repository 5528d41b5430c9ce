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

function party(p) {
  const value = p.value ? `, value ${p.value}` : "";
  const place = p.file ? ` at ${p.file}:${p.line}` : "";
  return `block ${p.block.join(",")} warp ${p.warp} lane ${p.lane}${value}${place}`;
}

function finding(f) {
  const cell = f.array ? ` ${f.array}[${f.index}]` : "";
  const kind = f.severity === "note" ? "mark" : "bad";
  return h("li", {}, chip(kind, f.kind), cell, f.count > 1 ? ` (${f.count} times)` : "",
    f.detail ? ": " + f.detail : "",
    h("div", {class: "soft"}, f.kernel ? f.kernel + ", " : "", party(f.at),
      f.other ? h("div", {}, "the other party: " + party(f.other)) : ""));
}

/** The first few, and the others folded. */
function findings(list) {
  const first = 3, others = list.slice(first + 1).length ? list.slice(first) : [];
  return [h("ul", {}, list.slice(0, list.length - others.length).map(finding)),
    others.length ? h("details", {}, h("summary", {}, `${others.length} more`), h("ul", {}, others.map(finding))) : null];
}
