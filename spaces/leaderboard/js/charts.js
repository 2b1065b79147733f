"use strict";
// Axes, points and lines as plain SVG, and the statistics beside them.
GECBENCH.define("charts", (use) => {
  const { svg } = use("dom");

  function niceTicks([low, high], wanted = 7) {
    const raw = (high - low || 1) / wanted;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    const ticks = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-9; tick += step) {
      ticks.push([tick, tick.toFixed(digits)]);
    }
    return ticks;
  }

  function gridLine(x1, y1, x2, y2) {
    return svg("line", { class: "grid", x1, x2, y1, y2 });
  }

  function words(kind, x, y, anchor, text, more) {
    return svg("text", { class: kind, x, y, "text-anchor": anchor, ...more }, text);
  }

  /** A frame with axes: {node, x, y, box}; x and y turn values into places. */
  function frame(width, height, xRange, yRange, xLabel, yLabel, xNames) {
    const box = { left: 56, right: width - 16, top: 14, bottom: height - 46 };
    const linear = ([low, high], from, to) => (value) => from + ((to - from) * (value - low)) / (high - low || 1);
    const x = linear(xRange, box.left, box.right);
    const y = linear(yRange, box.bottom, box.top);
    const node = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img" });
    for (const [tick, label] of niceTicks(yRange)) {
      node.append(gridLine(box.left, y(tick), box.right, y(tick)),
        words("tick", box.left - 8, y(tick) + 4, "end", label));
    }
    for (const [tick, label] of xNames ? xNames.map((name, i) => [i, name]) : niceTicks(xRange)) {
      node.append(gridLine(x(tick), box.top, x(tick), box.bottom),
        words("tick", x(tick), box.bottom + 18, "middle", label));
    }
    const middle = (box.top + box.bottom) / 2;
    node.append(words("axis", (box.left + box.right) / 2, height - 8, "middle", xLabel),
      words("axis", 14, middle, "middle", yLabel, { transform: `rotate(-90 14 ${middle})` }));
    return { node, x, y, box };
  }

  function padded(values, share = 0.08) {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const margin = (high - low || 2) * share;
    return [low - margin, high + margin];
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

  return { frame, padded, pearson, ranksOf };
});
