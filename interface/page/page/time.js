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

/** Names at the ends of their lines, moved apart where they would overlap; in the order of the lines. */
function labelEnds(image, ends, colour, right) {
  const y = image.scale("y"), gap = 14, put = [];
  const sorted = [...ends].sort((a, b) => b.percent - a.percent);
  for (const one of sorted) put.push(Math.max(y.apply(one.percent), put.length ? put[put.length - 1] + gap : 0));
  const below = put.length ? put[put.length - 1] - y.apply(0) : 0;
  for (let k = put.length - 1; below > 0 && k >= 0; --k) {  // back up from the axis
    put[k] = Math.min(put[k], k + 1 < put.length ? put[k + 1] - gap : y.apply(0));
  }
  sorted.forEach((one, k) => image.append(
    svg("line", {x1: right + 3, x2: right + 12, y1: y.apply(one.percent), y2: put[k], stroke: colour(one.name), "stroke-opacity": .6}),
    svg("text", {x: right + 15, y: put[k] + 4, fill: colour(one.name), "font-size": 12, "text-anchor": "start", "font-weight": one.name === "CUB" ? 700 : 400},
      `${one.name} ${one.percent.toFixed(0)}\u2009%`)));
}

/** How much of the read limit each kernel reaches over n: the time to read the input, by its own time. */
function timePlot(title, series) {
  const names = [...series.keys()].filter((name) => name !== "read limit"), palette = colours();
  const colour = (name) => name === "CUB" ? (dark() ? "#fff" : "#000") : palette[names.indexOf(name) % palette.length];
  const limit = new Map(series.get("read limit").map((b) => [b.n, b.median_us]));
  const points = names.flatMap((name) => series.get(name).filter((b) => limit.has(b.n))
    .map((b) => ({...b, name, percent: 100 * limit.get(b.n) / b.median_us})));
  const sizes = [...new Set(points.map((p) => p.n))].sort((a, b) => a - b), last = sizes[sizes.length - 1];
  const ends = names.flatMap((name) => points.filter((p) => p.name === name && p.n === last));
  const ticks = sizes.filter((n) => Number.isInteger(Math.log2(n)) && Math.log2(n) % 4 === 2);
  const draw = (width) => {
    const marginRight = 12 + 7.2 * Math.max(...ends.map((p) => p.name.length + 6));
    const narrow = width < 560;  // names stand in a list below
    const plotted = Plot.plot({
      width, height: Math.max(320, Math.min(440, width * .55)), marginLeft: 46, marginBottom: 40, marginRight: narrow ? 12 : marginRight, grid: true,
      ariaLabel: title, style: {fontSize: "13px", background: "transparent"},
      x: {type: "log", base: 2, label: "elements", ticks, tickFormat: power},
      y: {domain: [0, Math.max(100, ...points.map((p) => p.percent))], label: "per cent of the read limit"},
      marks: [
        Plot.lineY(points, {x: "n", y: "percent", z: "name", stroke: (p) => colour(p.name), strokeWidth: (p) => p.name === "CUB" ? 2.8 : 1.6}),
        Plot.dot(points, {x: "n", y: "percent", r: 2, fill: (p) => colour(p.name)}),
        Plot.tip(points, Plot.pointer({x: "n", y: "percent", fill: dark() ? "#222" : "#fff",
          title: (p) => `${p.name}\nn = ${power(p.n)}\n${p.percent.toFixed(1)} % of the read limit\n${p.median_us.toPrecision(4)} \u00b5s, ${p.gb_per_s.toPrecision(4)} GB/s`}))]
    });
    const image = plotted.tagName === "svg" ? plotted : plotted.querySelector("svg");
    if (!narrow) labelEnds(Object.assign(image, {scale: plotted.scale}), ends, colour, width - marginRight);
    return {image: plotted, narrow};
  };
  const frame = h("div", {class: "plot"});
  const legend = h("ul", {class: "legend"}, [...ends].sort((a, b) => b.percent - a.percent).map((p) =>
    h("li", {}, h("i", {style: `background:${colour(p.name)}`}), `${p.name} ${p.percent.toFixed(0)}\u2009%`)));
  const fit = () => {
    const {image, narrow} = draw(Math.max(300, Math.min(frame.clientWidth || 720, 900)));
    image.setAttribute("role", "img");
    for (const part of image.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label");
    legend.hidden = !narrow;
    frame.replaceChildren(image);
  };
  let before = 0;
  new ResizeObserver(() => requestAnimationFrame(() => {
    if (frame.clientWidth === before) return;
    before = frame.clientWidth;
    fit();
  })).observe(frame);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", fit);
  const at = (name, n) => series.get(name).find((b) => b.n === n);
  const all = [...series.keys()];
  return h("figure", {class: "time"}, h("figcaption", {}, title), frame, legend,
    h("details", {}, h("summary", {}, "as a table, in microseconds"),
      table(["n", ...all], sizes.map((n) => [power(n), ...all.map((name) => at(name, n) ? at(name, n).median_us.toPrecision(4) : "")]),
        {kind: "plain", numbers: all.map((_, k) => k + 1), label: title})));
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
  return series.has("read limit") ? series : null;
}

function timeSection(time, list) {
  const figures = [];
  for (const [letter, what] of [["A", "The steps of document A"], ["C", "The kernels of document C"]]) {
    for (const type of ["f32", "i32"]) {
      const series = list && ladder(time, list, letter, type);
      if (series) figures.push(timePlot(`${what}, fixed, ${type}, and CUB: the time to read the input as a part of each one's time`, series));
    }
  }
  const fixed = (x, digits) => x === null || x === undefined ? "" : x.toFixed(digits);
  return [h("p", {}, `Measured on ${time.device.name}, ${time.date.slice(0, 10)}; median of the repetitions.`), figures,
    time.speedups.length ? [h("h3", {}, "Speed-ups, beside those that the documents print"),
      table(["document", "variant", "n", "µs", "GB/s", "speed-up", "printed"], time.speedups.map((s) => [s.document, s.variant, power(s.n),
        fixed(s.median_us, 1), fixed(s.gb_per_s, 0), fixed(s.speedup, 2), fixed(s.documented_speedup, 2)]),
        {kind: "plain", numbers: [2, 3, 4, 5, 6], label: "Speed-ups"})] : null];
}
