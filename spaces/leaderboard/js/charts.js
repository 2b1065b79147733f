"use strict";
// Axes, points and lines as plain SVG.

function niceTicks(low, high, wanted = 7) {
  const raw = (high - low || 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-9; tick += step) ticks.push(tick);
  return { ticks, digits: Math.max(0, -Math.floor(Math.log10(step))) };
}

/** A frame with axes: {node, x, y, low}; x and y turn values into places. */
function frame(width, height, xRange, yRange, xLabel, yLabel, xNames) {
  const box = { left: 56, right: width - 16, top: 14, bottom: height - 46 };
  const linear = ([low, high], from, to) => (value) => from + ((to - from) * (value - low)) / (high - low || 1);
  const x = linear(xRange, box.left, box.right);
  const y = linear(yRange, box.bottom, box.top);
  const node = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img" });
  const yTicks = niceTicks(...yRange);
  for (const tick of yTicks.ticks) {
    node.append(svg("line", { class: "grid", x1: box.left, x2: box.right, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "tick", x: box.left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(yTicks.digits)));
  }
  const xTicks = niceTicks(...xRange);
  const labels = xNames ? xNames.map((name, i) => [i, name]) : xTicks.ticks.map((tick) => [tick, tick.toFixed(xTicks.digits)]);
  for (const [tick, label] of labels) {
    node.append(svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: box.top, y2: box.bottom }),
      svg("text", { class: "tick", x: x(tick), y: box.bottom + 18, "text-anchor": "middle" }, label));
  }
  node.append(
    svg("text", { class: "axis", x: (box.left + box.right) / 2, y: height - 8, "text-anchor": "middle" }, xLabel),
    svg("text", { class: "axis", x: 14, y: (box.top + box.bottom) / 2, "text-anchor": "middle",
      transform: `rotate(-90 14 ${(box.top + box.bottom) / 2})` }, yLabel));
  return { node, x, y, box };
}

function padded(values, share = 0.08) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = (high - low || 2) * share;
  return [low - margin, high + margin];
}

function shorten(text, most = 26) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function pearson(xs, ys) {
  const [mx, my] = [mean(xs), mean(ys)];
  const product = (left, ml, right, mr) => left.reduce((sum, value, i) => sum + (value - ml) * (right[i] - mr), 0);
  return product(xs, mx, ys, my) / Math.sqrt(product(xs, mx, xs, mx) * product(ys, my, ys, my));
}

/** Ranks from 1, the mean of them where values are equal. */
function ranksOf(values) {
  const order = values.map((value, i) => [value, i]).sort((a, b) => a[0] - b[0]);
  const ranks = new Array(values.length);
  for (let begin = 0; begin < order.length;) {
    let end = begin;
    while (end < order.length && order[end][0] === order[begin][0]) end++;
    for (let k = begin; k < end; k++) ranks[order[k][1]] = (begin + end + 1) / 2;
    begin = end;
  }
  return ranks;
}
