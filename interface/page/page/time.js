// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Plots of time over n, drawn with Observable Plot, each with its table.
"use strict";

function power(n) {
  const exponent = Math.log2(n);
  return Number.isInteger(exponent) ? `2^${exponent}` : String(n);
}

const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
// Okabe and Ito's colours, told apart without red and green; lighter where the page is dark.
const colours = () => dark() ?
  ["#56b4e9", "#e69f00", "#3ecf9b", "#f0e442", "#d9a0c4", "#ff8a5c", "#9db7ff", "#c7c7c7", "#a8e05f", "#ffb3b3"] :
  ["#0072b2", "#d55e00", "#00805e", "#8a7500", "#aa4499", "#b04a2f", "#4b59c3", "#6b6b6b", "#4f7a10", "#a33"];

function timePlot(title, series) {
  const names = [...series.keys()], palette = colours();
  const special = {"CUB": dark() ? "#fff" : "#000", "read limit": dark() ? "#888" : "#999"};
  const colour = (name) => special[name] || palette[names.indexOf(name) % palette.length];
  const points = names.flatMap((name) => series.get(name).map((b) => ({...b, name})));
  const sizes = [...new Set(points.map((p) => p.n))].sort((a, b) => a - b);
  const ticks = sizes.filter((n) => Number.isInteger(Math.log2(n)) && Math.log2(n) % 4 === 2);
  const lines = (test, style) => Plot.lineY(points.filter((p) => test(p.name)),
    {x: "n", y: "median_us", z: "name", stroke: (p) => colour(p.name), ...style});
  const draw = (width) => Plot.plot({
    width, height: Math.max(300, Math.min(460, width * .6)), marginLeft: 56, marginBottom: 40, grid: true,
    ariaLabel: title, style: {fontSize: "13px", background: "transparent"},
    x: {type: "log", base: 2, label: "elements", ticks, tickFormat: power},
    y: {type: "log", label: "microseconds for one sum", tickFormat: "~g"},
    marks: [
      lines((name) => !special[name], {strokeWidth: 1.6}),
      lines((name) => name === "CUB", {strokeWidth: 2.6}),
      lines((name) => name === "read limit", {strokeWidth: 2.6, strokeDasharray: "5 4"}),
      Plot.dot(points, {x: "n", y: "median_us", r: 2, fill: (p) => colour(p.name)}),
      Plot.tip(points, Plot.pointer({x: "n", y: "median_us", fill: dark() ? "#222" : "#fff",
        title: (p) => `${p.name}\nn = ${power(p.n)}\n${p.median_us.toPrecision(4)} \u00b5s, ${p.gb_per_s.toPrecision(4)} GB/s`}))]
  });
  const frame = h("div", {class: "plot"});
  const fit = () => {
    const image = draw(Math.max(300, Math.min(frame.clientWidth || 720, 900)));
    image.setAttribute("role", "img");
    for (const part of image.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label");
    frame.replaceChildren(image);
  };
  let last = 0;
  new ResizeObserver(() => requestAnimationFrame(() => {
    if (frame.clientWidth === last) return;
    last = frame.clientWidth;
    fit();
  })).observe(frame);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", fit);
  const at = (name, n) => series.get(name).find((b) => b.n === n);
  return h("figure", {class: "time"}, h("figcaption", {}, title), frame,
    h("ul", {class: "legend"}, names.map((name) => h("li", {}, h("i", {style: `background:${colour(name)}`}), name))),
    h("details", {}, h("summary", {}, "the same as a table, in microseconds"),
      table(["n", ...names], sizes.map((n) => [power(n), ...names.map((name) => at(name, n) ? at(name, n).median_us.toPrecision(4) : "")]),
        {kind: "plain", numbers: names.map((_, k) => k + 1), label: title})));
}

/** The document's kernels in the order of the catalogue, then CUB and the limit. */
function ladder(time, list, letter, type) {
  const variants = list.variants.filter((v) => new RegExp(`(^|, )${letter}\\b`).test(v.documents));
  const series = new Map();
  const add = (name, test) => {
    const points = time.benchmarks.filter((b) => b.in === type && test(b)).sort((a, b) => a.n - b.n);
    if (points.length) series.set(name, points);
  };
  for (const v of variants) add(v.id, (b) => b.kind === "kernel" && b.variant === v.id && b.form === "fixed");
  if (!series.size) return null;
  add("CUB", (b) => b.kind === "cub");
  add("read limit", (b) => b.kind === "limit");
  return series;
}

function timeSection(time, list) {
  const figures = [];
  for (const [letter, what] of [["A", "The steps of document A"], ["C", "The kernels of document C"]]) {
    for (const type of ["f32", "i32"]) {
      const series = list && ladder(time, list, letter, type);
      if (series) figures.push(timePlot(`${what}, fixed, ${type}, beside CUB and the time to read the input`, series));
    }
  }
  const fixed = (x, digits) => x === null || x === undefined ? "" : x.toFixed(digits);
  return [h("p", {}, `Measured on ${time.device.name}, ${time.date.slice(0, 10)}; median of the repetitions.`), figures,
    time.speedups.length ? [h("h3", {}, "Speed-ups, beside those that the documents print"),
      table(["document", "variant", "n", "µs", "GB/s", "speed-up", "printed"], time.speedups.map((s) => [s.document, s.variant, power(s.n),
        fixed(s.median_us, 1), fixed(s.gb_per_s, 0), fixed(s.speedup, 2), fixed(s.documented_speedup, 2)]),
        {kind: "plain", numbers: [2, 3, 4, 5, 6], label: "Speed-ups"})] : null];
}
