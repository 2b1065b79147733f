"use strict";
// Axes and figures as plain SVG, and the statistics beside them.
GECBENCH.define("charts", (use) => {
  const { el, svg, signed, download } = use("dom");
  const KEPT = [
    "fill", "stroke", "stroke-width", "stroke-dasharray", "paint-order", "opacity", "font-family", "font-size",
  ];

  /** The size of a chart: as wide as the page, and no higher than what the window leaves. */
  function chartSize() {
    const width = Math.max(320, document.getElementById("main").clientWidth - 26);
    const above = width < 700 ? 520 : 390;
    return { width, height: Math.min(560, Math.max(300, innerHeight - above)) };
  }

  function niceTicks([low, high], wanted) {
    const raw = (high - low || 1) / wanted;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    const ticks = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-9; tick += step) {
      ticks.push([tick, signed(tick, digits)]);
    }
    return ticks;
  }

  function gridLine(x1, y1, x2, y2) {
    return svg("line", { class: "grid", x1, x2, y1, y2 });
  }

  function words(kind, x, y, anchor, text, more) {
    return svg("text", { class: kind, x, y, "text-anchor": anchor, ...more }, text);
  }

  /** A frame with axes: {node, x, y, box}; x and y turn values into places. `xNames` are names of whole numbers. */
  function frame({ xRange, yRange, xLabel, yLabel, xNames, label }) {
    const { width, height } = chartSize();
    const box = { left: 56, right: width - 16, top: 14, bottom: height - 46 };
    const linear = ([low, high], from, to) => (value) => from + ((to - from) * (value - low)) / (high - low || 1);
    const x = linear(xRange, box.left, box.right);
    const y = linear(yRange, box.bottom, box.top);
    const node = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
    for (const [tick, text] of niceTicks(yRange, 7)) {
      node.append(gridLine(box.left, y(tick), box.right, y(tick)),
        words("tick", box.left - 8, y(tick) + 4, "end", text));
    }
    const across = xNames ? xNames.map((name, i) => [i, name]) : niceTicks(xRange, width < 600 ? 5 : 9);
    for (const [tick, text] of across) {
      node.append(gridLine(x(tick), box.top, x(tick), box.bottom),
        words("tick", x(tick), box.bottom + 18, "middle", text));
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

  /** Return a chart as the text of an SVG file, which looks as it does here: its styles stand in its parts. */
  function svgText(node) {
    const copy = node.cloneNode(true);
    const parts = [node, ...node.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((part, k) => {
      const style = getComputedStyle(parts[k]);
      for (const name of KEPT) part.setAttribute(name, style.getPropertyValue(name));
      for (const name of ["class", "href", "tabindex"]) part.removeAttribute(name);
    });
    const [, , width, height] = node.getAttribute("viewBox").split(" ");
    const paper = getComputedStyle(node.parentElement).backgroundColor;
    copy.prepend(svg("rect", { width, height, fill: paper }));
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    return new XMLSerializer().serializeToString(copy);
  }

  function saveSvg(node, name) {
    const save = () => download(`${name.replace(/[^\w.-]+/g, "-")}.svg`, "image/svg+xml", svgText(node));
    return el("button", { type: "button", class: "quiet svg", onclick: save }, "SVG");
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

  return { frame, padded, saveSvg, pearson, ranksOf };
});
