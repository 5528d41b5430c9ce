// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The tree of operations of an output cell, from the nodes that `gauntlet prove --tree` writes.
"use strict";

const mostNodes = 160;

/** Elements above in their order, each operation below its parts; what is wrong or lost is red. */
function treeFigure(tree) {
  if (!tree.nodes.length || tree.nodes.length > mostNodes) return null;
  const step = 30, top = 34, left = 20;
  const leaves = tree.nodes.filter((n) => n.kind !== "operation");
  const order = [...leaves].sort((a, b) => a.element - b.element);
  const x = new Map(order.map((leaf, k) => [leaf, left + k * step]));
  const y = (node) => top + node.height * 34;
  for (const node of tree.nodes) {  // parts come first
    if (node.kind === "operation") x.set(node, (x.get(tree.nodes[node.a]) + x.get(tree.nodes[node.b])) / 2);
  }
  const root = tree.nodes[tree.nodes.length - 1];
  const lost = tree.lost.slice(0, 16).map((element, k) => ({element, x: left + (order.length + k) * step}));
  const width = left + (order.length + lost.length) * step + 10, height = y(root) + 34;
  const ball = (cx, cy, kind, label, title) => svg("g", {class: kind}, svg("circle", {cx, cy, r: 8}),
    svg("text", {x: cx, y: kind.includes("leaf") ? cy - 12 : cy + 4}, label), svg("title", {}, title));
  const wrong = leaves.filter((n) => n.wrong).map((n) => n.text || `element ${n.element}`);
  const words = [`${tree.cell} is made of ${root.elements || 1} elements, height ${root.height}`,
    wrong.length ? `not due or too often: ${wrong.join(", ")}` : "",
    tree.lost.length ? `lost: ${tree.lost.join(", ")}` : ""].filter(Boolean).join("; ");
  return h("figure", {}, h("figcaption", {}, words),
    h("div", {class: "wide", tabindex: 0, role: "group", "aria-label": `Tree of ${tree.cell}`},
      svg("svg", {class: "sumtree", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words},
        tree.nodes.filter((n) => n.kind === "operation").flatMap((n) => [n.a, n.b].map((part) =>
          svg("line", {x1: x.get(n), y1: y(n), x2: x.get(tree.nodes[part]), y2: y(tree.nodes[part])}))),
        tree.nodes.map((n) => n.kind === "operation"
          ? ball(x.get(n), y(n), "operation", n.via[0], `${n.op} by block ${n.block} thread ${n.thread}, ${n.via}${n.at ? ", " + n.at : ""}`)
          : ball(x.get(n), y(n), n.wrong ? "leaf wrong" : "leaf", n.text || `x${n.element}`, `comes ${plural(n.times, "time")}`)),
        lost.map((one) => ball(one.x, top, "leaf lost", `x${one.element}`, "lost")),
        svg("text", {x: x.get(root), y: height - 4}, tree.cell))));
}
