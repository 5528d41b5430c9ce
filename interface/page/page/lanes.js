// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The interleaving diagram: threads as columns, the steps of the schedule downwards, an arrow from
// each store to the loads that see its value. A slider goes through the steps.
"use strict";

const mostLanes = 8, mostCells = 24;
const laneKey = (e) => `${e.launch}.${e.block}.${e.warp}.${e.lane}`;
const isBarrier = (e) => !e.cell;
const writes = (e) => e.cell && e.does !== "loads";

/** Names launches, blocks and warps only where that tells the threads apart. */
function laneNames(lanes) {
  const differ = (name) => lanes.some((e) => e[name] !== lanes[0][name]);
  const shown = ["launch", "block", "warp"].filter(differ);
  return (e) => [...shown, "lane"].map((name) => `${name} ${e[name]}`).join(" ");
}

/** What a thread does, as text: lanes of a warp that do the same, each on its own cells, are shown once. */
function deeds(events, cells) {
  const by = new Map();
  for (const e of events) {
    const key = laneKey(e), where = cells.has(e.cell) ? e.cell : String(e.cell).replace(/\[.*/, "");
    by.set(key, `${by.get(key) || `${e.launch}.${e.block}.${e.warp}`};${e.does} ${where} ${e.line}`);
  }
  return by;
}

/** The threads to show: those that decide, then those that touch the same cells, one of those that are alike. */
function chosenLanes(events) {
  const cells = new Set(events.filter((e) => e.decides).map((e) => e.cell));
  const by = new Map(), does = deeds(events, cells), shown = new Set();
  for (const wanted of [(e) => e.decides, (e) => cells.has(e.cell), () => by.size < 2 || !cells.size]) {
    for (const e of events) {
      const key = laneKey(e);
      if (!wanted(e) || by.size >= mostLanes || by.has(key) || (!e.decides && shown.has(does.get(key)))) continue;
      by.set(key, e);
      shown.add(does.get(key));
    }
  }
  const order = (e) => [e.launch, e.block, e.warp, e.lane];
  const alike = (e) => 1 + [...does].filter(([key, text]) => text === does.get(laneKey(e)) && !by.has(key)).length;
  return [...by.values()].map((e) => ({...e, alike: alike(e)})).sort((a, b) => {
    const x = order(a), y = order(b), k = x.findIndex((value, i) => value !== y[i]);
    return k < 0 ? 0 : x[k] - y[k];
  });
}

/** One row for the lanes that execute an instruction together; barriers of all who meet are one. */
function rowsOf(events) {
  const rows = [];
  events.forEach((event, number) => {
    if (event.does === "exits" || event.does === "arrives at the block barrier") return;
    const row = rows[rows.length - 1], first = row && row[0].event;
    const together = first && first.does === event.does && first.line === event.line &&
      first.block === event.block && first.launch === event.launch &&
      (isBarrier(event) || first.warp === event.warp) &&
      !row.some((one) => laneKey(one.event) === laneKey(event));
    if (together) row.push({event, number});
    else rows.push([{event, number}]);
  });
  return rows;
}

/** The steps of the findings' parties on the findings' cells decide. */
function marked(trace, list) {
  const decides = (e) => list.some((f) => f.array && `${f.array}[${f.index}]` === e.cell && [f.at, f.other].some((p) => p &&
    p.line === e.line && p.warp === e.warp && p.lane === e.lane && (p.block[0] === e.block || blockOf(p.block) === String(e.block))));
  return {...trace, events: trace.events.map((e) => ({...e, decides: e.decides || decides(e)}))};
}

function label(e) {
  if (isBarrier(e)) return e.does;
  if (e.does === "stores") return `${e.cell} = ${e.value}`;
  if (e.does === "loads") return `${e.value} from ${e.cell}`;
  return `${e.cell} becomes ${e.value}`;
}

function inWords(row, name) {
  const e = row[0].event;
  const place = e.line ? ` (${e.file}:${e.line})` : "";
  if (isBarrier(e)) {
    const what = e.does === "warp barrier" ? "meet at the warp barrier" : "leave the block barrier";
    return `${plural(row.length, "thread")} ${what}${place}`;
  }
  const steps = row.map(({event}) => `${name(event)} ${event.does} ${event.cell}: ${event.value}` +
    (event.value_in_base ? ` (${event.value_in_base} in the right run)` : ""));
  return steps.join("; ") + place;
}

/** What memory holds after each row: of each array that is written, its cells. */
function memory(rows) {
  const state = new Map(), states = [];
  for (const row of rows) {
    const changed = new Set();
    for (const {event} of row) {
      if (!writes(event)) continue;
      state.set(event.cell, event.value);
      changed.add(event.cell);
    }
    states.push({cells: new Map(state), changed});
  }
  return states;
}

function sortedCells(names) {
  const parts = (name) => /^(.*)\[(-?\d+)\]$/.exec(name) || [name, name, "0"];
  return [...names].sort((a, b) => {
    const [, x, i] = parts(a), [, y, k] = parts(b);
    return x === y ? i - k : x < y ? -1 : 1;
  });
}

const cell = (state, name) => h("td", {
  class: state.cells.get(name) === "undefined" ? "poison" : state.changed.has(name) ? "changed" : state.cells.has(name) ? null : "unknown"
}, state.cells.has(name) ? state.cells.get(name) : "?");

/** Cells over the intervals between barriers: a row for each. */
function intervals(trace) {
  const rows = rowsOf(trace.events), states = memory(rows);
  const names = sortedCells(states.length ? states[states.length - 1].cells.keys() : []);
  if (!names.length || names.length > mostCells) return null;
  const shown = [];
  let changed = new Set();
  rows.forEach((row, k) => {
    states[k].changed.forEach((name) => changed.add(name));
    const ends = isBarrier(row[0].event) || k + 1 === rows.length;
    if (!ends || !changed.size) return;
    const what = isBarrier(row[0].event) ? `to the barrier of line ${row[0].event.line}` : "to the end";
    shown.push(h("tr", {}, h("th", {scope: "row"}, `${shown.length + 1}: ${what}`),
      names.map((name) => cell({cells: states[k].cells, changed}, name))));
    changed = new Set();
  });
  return h("figure", {},
    h("figcaption", {}, "Memory at the end of each interval between barriers; what changed is marked"),
    table(["interval", ...names], shown, {kind: "cells", label: "Cells over the intervals"}));
}

let diagrams = 0;

function drawLanes(rows, lanes, name) {
  const left = 46, wide = 190, high = 30, top = 34;
  const column = new Map(lanes.map((e, k) => [laneKey(e), left + k * wide]));
  const width = left + lanes.length * wide + 130, height = top + rows.length * high + 8;
  const place = new Map();  // event number -> its box
  const groups = [], arrows = [], arrow = `arrow-${++diagrams}`, hatch = `hatch-${diagrams}`;
  rows.forEach((row, k) => {
    const y = top + k * high, shown = row.filter(({event}) => column.has(laneKey(event)));
    const e = row[0].event;
    const group = svg("g", {}, svg("text", {x: 4, y: y + 17, class: "place"}, String(k + 1)));
    groups.push(group);
    if (isBarrier(e)) {
      const xs = shown.map(({event}) => column.get(laneKey(event)));
      const x = Math.min(...xs);
      if (xs.length) group.append(svg("g", {class: "barrier"},
        svg("rect", {x, y: y + 4, width: Math.max(...xs) - x + wide - 12, height: 18, rx: 3}),
        svg("text", {x: x + 8, y: y + 17}, e.does === "warp barrier" ? e.does : "block barrier")));
    } else {
      for (const {event, number} of shown) {
        const x = column.get(laneKey(event));
        place.set(number, {x, y, event});
        let text = label(event);
        if (text.length > 22) text = text.slice(0, 21) + "\u2026";
        const undefined_ = event.value === "undefined";
        group.append(svg("g", {class: (writes(event) ? "store" : "load") + (event.decides ? " decides" : "") +
                                      (undefined_ ? " undefined" : "")},
          svg("rect", {x, y: y + 2, width: wide - 12, height: 22, rx: 4, style: undefined_ ? `fill:url(#${hatch})` : null}),
          svg("text", {x: x + 6, y: y + 17}, text), svg("title", {}, `${name(event)}: ${label(event)}`)));
      }
    }
    if (e.line) group.append(svg("text",
      {x: left + lanes.length * wide, y: y + 17, class: "place"}, `${e.file}:${e.line}`));
    arrows.push(svg("g", {}));
    for (const {event, number} of shown) {
      const from = place.get(event.from), to = place.get(number);
      if (!from || !to || laneKey(from.event) === laneKey(event)) continue;
      const right = to.x > from.x, x1 = from.x + (right ? wide - 12 : 0), x2 = to.x + (right ? 0 : wide - 12);
      const y1 = from.y + 13, y2 = to.y + 13;
      const kind = event.decides ? "decides" : "";
      arrows[k].append(svg("path", {class: kind, "marker-end": `url(#${arrow}${kind})`,
        d: `M${x1} ${y1} C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`}));
    }
  });
  const marker = (kind) => svg("marker", {id: arrow + kind, viewBox: "0 0 8 8", refX: 7, refY: 4,
    markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto"},
    svg("path", {d: "M0 0L8 4L0 8z", class: "arrow " + kind, style: "stroke:none"}));
  const image = svg("svg", {class: "lanes", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Interleaving of ${plural(lanes.length, "thread")} in ${plural(rows.length, "step")}; the slider reads them out`},
    svg("defs", {}, marker(""), marker("decides"), svg("pattern", {id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)"}, svg("rect", {class: "ground", width: 6, height: 6}), svg("line", {class: "stripe", x1: 0, x2: 0, y1: 0, y2: 6}))),
    lanes.map((e) => [
      svg("text", {x: column.get(laneKey(e)) + 6, y: 20, class: "head"}, name(e) + (e.alike > 1 ? ` (${e.alike} alike)` : "")),
      svg("line", {class: "lane", x1: column.get(laneKey(e)) + (wide - 12) / 2, x2: column.get(laneKey(e)) + (wide - 12) / 2, y1: 28, y2: height})]),
    arrows, groups);  // arrows lie below the boxes
  return {image, groups: groups.map((group, k) => [group, arrows[k]])};
}

/** The whole figure; null where there is nothing to draw. */
function interleaving(trace, caption) {
  const lanes = chosenLanes(trace.events);
  const keys = new Set(lanes.map(laneKey));
  const rows = rowsOf(trace.events).filter((row) => row.some(({event}) => keys.has(laneKey(event))));
  if (!rows.length) return null;
  const name = laneNames(lanes);
  const others = new Set(trace.events.map(laneKey)).size - lanes.length;
  const {image, groups} = drawLanes(rows, lanes, name);
  const states = memory(rows);
  const cells = sortedCells(states[states.length - 1].cells.keys()).slice(0, mostCells);
  const now = h("p", {class: "now", "aria-live": "polite"});
  const memoryNow = h("tr");
  const slider = h("input", {type: "range", min: 0, max: rows.length, value: rows.length,
                             "aria-label": "Step of the schedule"});
  const show = (quiet) => {
    const step = Number(slider.value);
    groups.forEach((parts, k) => parts.forEach((group) => {
      group.classList.toggle("later", k >= step);
      group.classList.toggle("current", k === step - 1 && step < rows.length);
    }));
    const words = step === 0 ? "before the first step" : `step ${step}: ${inWords(rows[step - 1], name)}`;
    slider.setAttribute("aria-valuetext", words);
    if (!quiet) now.textContent = words;
    const state = step ? states[step - 1] : {cells: new Map(), changed: new Set()};
    memoryNow.replaceChildren(...cells.map((one) => cell(state, one)));
  };
  const move = (by) => () => {
    slider.value = Number(slider.value) + by;
    show();
  };
  slider.addEventListener("input", () => show());
  show(true);
  return h("figure", {class: "interleaving"},
    h("figcaption", {}, caption, others > 0 ? ` (${plural(others, "other thread")} not shown)` : "", h("span", {class: "narrow"}, ", scrolls sideways")),
    rows.length > 2 ? [h("div", {class: "controls"}, h("button", {type: "button", onclick: move(-1)}, "Back"), slider,
      h("button", {type: "button", onclick: move(1)}, "Next")), now] : null,
    h("div", {class: "wide", tabindex: 0, role: "group", "aria-label": "Interleaving diagram"}, image),
    cells.length && rows.length > 2 ? h("div", {class: "wide print-not"}, h("table", {class: "cells", "aria-label": "Memory after this step"},
      h("thead", {}, h("tr", {}, cells.map((one) => h("th", {scope: "col"}, one)))),
      h("tbody", {}, memoryNow))) : null);
}
