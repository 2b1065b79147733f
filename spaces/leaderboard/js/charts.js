"use strict";
// Charts as plain SVG: one score against another, and scores of groups of sentences. Groups by edit distance or
// grammaticality are lines, and groups by error type are a table.
GECBENCH.define("charts", (use) => {
  const { el, svg, empty, foreign, signed, points, counted, shorten, download } = use("dom");
  const {
    metricOf, typeName, currentTable, chosenMetric, tableData, hasGroups, humanMean, valueOf, byMerit, shortId, State,
    select, tableChooser, metricChooser, systemAddress, scrolled, dataFiles, copyLink, picker,
  } = use("board");
  const KEPT = [
    "fill", "stroke", "stroke-width", "stroke-dasharray", "paint-order", "opacity", "font-family", "font-size",
  ];

  /** The size of a chart: as wide as the page, and not higher than the free part of the window. */
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

  /** A frame with axes: {node, x, y, box}. The functions x and y turn values into positions. `xNames` are names of the
   * whole numbers on the x-axis, with up to two lines each. */
  function frame({ xRange, yRange, xLabel, yLabel, xNames, label }) {
    const { width, height } = chartSize();
    const box = { left: 56, right: width - 16, top: 14, bottom: height - (xNames ? 54 : 46) };
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
      const [first, second] = [text].flat();
      node.append(gridLine(x(tick), box.top, x(tick), box.bottom),
        words("tick", x(tick), box.bottom + (second ? 15 : 18), "middle", first));
      if (second) node.append(words("tick size", x(tick), box.bottom + 28, "middle", second));
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

  /** Return a chart as the text of an SVG file. Styles are copied into its elements, so that it looks the same. */
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

  /** Ranks from 1. Equal values get the mean of their ranks. */
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

  // Place the names of points next to them if there is room, otherwise further away with a line. Names never overlap.
  const HEIGHT = 15;
  const RADIUS = 7;
  const DISTANCES = [10, 16, 24, 34, 46, 60, 76, 94, 114, 136, 160];
  const CROWD = 40;
  const COSTS = { cut: 30, ruled: 25, line: 40 };
  const DIRECTIONS = [0, 180, 45, -45, 135, -135, 90, -90, 22, -22, 158, -158, 67, -67, 113, -113];
  const pen = document.createElement("canvas").getContext("2d");

  function widthOf(text) {
    pen.font = "12px system-ui, sans-serif";
    return pen.measureText(text).width + 2;
  }

  function overlap(one, other) {
    return one.x < other.x + other.width && other.x < one.x + one.width
      && one.y < other.y + other.height && other.y < one.y + one.height;
  }

  function inside(part, box) {
    return part.x >= box.left && part.x + part.width <= box.right
      && part.y >= box.top && part.y + part.height <= box.bottom;
  }

  function dotBox({ x, y }) {
    return { x: x - RADIUS, y: y - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS };
  }

  /** The box of a text at this distance from a point, in this direction (degrees, clockwise). */
  function boxAt(point, width, distance, degrees) {
    const angle = (degrees * Math.PI) / 180;
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    const side = Math.abs(dx) < 0.3 ? -width / 2 : dx < 0 ? -width : 0;
    return { x: point.x + dx * distance + side, y: point.y + dy * distance - HEIGHT / 2, width, height: HEIGHT };
  }

  /** Whether a line passes through a box, checked at 25 points of the line. */
  function crosses({ from, to }, box) {
    return Array.from({ length: 25 }, (_, k) => k / 24).some((share) => overlap(box,
      { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y), width: 0, height: 0 }));
  }

  /** Return the free places for a text: [{place, line, distance}]. Next to the point, the line is null. */
  function freePlaces(point, width, box, taken, distances) {
    return distances.flatMap((distance) => DIRECTIONS.map((degrees) => {
      const place = boxAt(point, width, distance, degrees);
      return { place, distance, line: distance > DISTANCES[1] ? { from: point, to: nearest(point, place) } : null };
    })).filter(({ place }) => inside(place, box) && !taken.some((other) => overlap(place, other)));
  }

  /** The cost of a place: its distance, and a cost if it lies on lines, or if its own line crosses names or points. */
  function costOf({ place, line, distance, cut }, apart, lines, ruled) {
    const count = (some, test) => some.filter(test).length;
    return distance + (cut ? COSTS.cut : 0)
      + COSTS.ruled * count(ruled, (other) => overlap(place, other))
      + COSTS.line * count(lines, (other) => crosses(other, place))
      + COSTS.line * (line ? count(apart, (other) => crosses(line, other)) : 0);
  }

  /** The position in a box that is nearest to a point. A line from the point ends there. */
  function nearest({ x, y }, place) {
    const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
    return { x: clamp(x, place.x, place.x + place.width), y: clamp(y, place.y + 2, place.y + HEIGHT - 2) };
  }

  /** Whether there are too many points to name all. Then only points with room next to them get a name. */
  function crowded(dots) {
    return dots.length > CROWD;
  }

  /** Return the best place for a point's name: {text, place, line}, or null if there is no room at all. */
  function bestPlace(point, box, taken, lines, ruled, distances) {
    const apart = taken.filter((other) => !overlap(other, dotBox(point)));
    const texts = new Set((box.right - box.left < 500 ? [16, 9] : [26, 12]).map((most) => shorten(point.text, most)));
    const tried = [...texts].flatMap((text, cut) => freePlaces(point, widthOf(text), box, taken, distances)
      .map((found) => ({ ...found, text, cost: costOf({ ...found, cut }, apart, lines, ruled) })));
    return tried.reduce((best, each) => (best && best.cost <= each.cost ? best : each), null);
  }

  /** Return a label {line, name} for each dot {x, y, text}. Labels never cover `reserved`, and avoid `ruled`. */
  function placeLabels(dots, box, reserved, ruled) {
    const taken = [...reserved, ...dots.map(dotBox)];
    const lines = [];
    const distances = crowded(dots) ? DISTANCES.slice(0, 2) : DISTANCES;
    return dots.map((point) => {
      const found = bestPlace(point, box, taken, lines, ruled, distances);
      if (!found) return { line: null, name: null };
      const { text, place, line } = found;
      taken.push(place);
      if (line) lines.push(line);
      return {
        line: line && svg("line", { class: "leader", x1: point.x, y1: point.y, x2: line.to.x, y2: line.to.y }),
        name: svg("text", { x: place.x + 1, y: place.y + HEIGHT - 4 }, text),
      };
    });
  }

  // One score against another. The default is precision against recall, with lines of equal F.
  const BETA = 0.5;
  const LEVELS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
  const NARROW = 600;

  /** The metrics of a table and their parts that can be plotted, as [[column, label]]. */
  function plottable(table, rows) {
    return table.metrics.flatMap((name) => [name, ...(metricOf(name).columns || []).map((part) => `${name}.${part}`)])
      .filter((column) => rows.some((row) => valueOf(row, column) != null))
      .map((column) => [column, columnLabel(column)]);
  }

  function columnLabel(column) {
    const [name, part] = column.split(".");
    return part ? `${metricOf(name).title} ${part === "ove" ? "over-correction" : part}` : metricOf(name).title;
  }

  /** The metric whose precision and recall are plotted by default: the first metric that has them. */
  function splitMetric(columns) {
    const found = columns.find(([column]) => column.endsWith(".recall"));
    return found ? found[0].split(".")[0] : null;
  }

  async function showPlot(main, state) {
    const table = currentTable(state);
    const { rows } = await tableData(table);
    const columns = plottable(table, rows);
    const known = columns.map(([column]) => column);
    const split = splitMetric(columns);
    const both = (x, y) => rows.filter((row) => valueOf(row, x) != null && valueOf(row, y) != null
      && !(row.role === "source" && y.endsWith(".precision")));
    const parts = split ? [`${split}.recall`, `${split}.precision`] : null;
    const usual = parts && both(...parts).length > 1 ? parts : table.metrics;
    const [x, y] = [state.x, state.y].map((wanted, k) => (known.includes(wanted) ? wanted : usual[k] || usual[0]));
    const shown = both(x, y);
    const controls = el("div", { class: "controls" }, tableChooser(state),
      select("Horizontal axis", columns, x, (value) => State.set({ x: value, y })),
      select("Vertical axis", columns, y, (value) => State.set({ x, y: value })), humanBox(rows, state));
    main.append(controls);
    const entries = state.people === "1" ? shown : shown.filter((row) => row.role !== "human");
    if (entries.length < 2) {
      main.append(empty("There is nothing to plot: fewer than two systems have both scores."));
      return;
    }
    const human = entries.length < shown.length ? shown : [];
    const tapped = el("p", { class: "tapped", role: "status" });
    const chart = scatter(entries, human, x, y, tapped);
    controls.append(el("span", { class: "grow" }), saveSvg(chart, `plot-${table.corpus}-${x}-${y}`), copyLink());
    main.append(el("figure", null, el("figcaption", null, caption(entries, human, x, y)), chart, tapped),
      dataFiles([`table-${table.key}`]));
  }

  function humanBox(rows, state) {
    const count = rows.filter((row) => row.role === "human").length;
    if (!count) return null;
    const box = el("input", { type: "checkbox", id: "people", checked: state.people === "1",
      onchange: () => State.set({ people: box.checked ? "1" : "" }) });
    return el("label", { class: "switch" }, box, `Human rewrites (${count})`);
  }

  function percentOf(row, column) {
    return 100 * valueOf(row, column);
  }

  /** Whether the axes are recall and precision of one metric, so that lines of equal F can be drawn. */
  function isSplit(x, y) {
    return x.endsWith(".recall") && y === x.replace(".recall", ".precision");
  }

  /** Points of equal F0.5 as [recall, precision] within the ranges, all in percent. */
  function contour(level, [lowX, highX], [lowY, highY]) {
    const found = [];
    for (let k = 0; k <= 200; k++) {
      const recall = (lowX + ((highX - lowX) * k) / 200) / 100;
      const below = (1 + BETA ** 2) * recall - BETA ** 2 * level;
      const precision = below > 0 ? (level * recall) / below : Infinity;
      if (100 * precision >= lowY && 100 * precision <= highY) found.push([100 * recall, 100 * precision]);
    }
    return found;
  }

  /** Draw lines of equal F0.5 with their names at the right end. Return the boxes of the names. */
  function drawContours(chart, levels, ranges, kind) {
    return levels.flatMap(([level, name]) => {
      const found = contour(level, ...ranges).map(([recall, precision]) => [chart.x(recall), chart.y(precision)]);
      if (found.length < 2) return [];
      const [x, y] = found.at(-1);
      const width = widthOf(name);
      const place = { x: Math.min(x, chart.box.right) - width - 3, y: Math.min(y + 2, chart.box.bottom - 16), width,
        height: HEIGHT };
      chart.node.append(svg("polyline", { class: kind, points: found.map((point) => point.join(",")).join(" ") }),
        svg("text", { class: kind, x: place.x, y: place.y + HEIGHT - 4 }, name));
      return [place];
    });
  }

  /** Draw a dashed line with a name at the human mean of each axis. Return the boxes of the names and lines. */
  function humanLines(chart, human, dots) {
    const { node, box } = chart;
    const width = widthOf("human");
    const found = { names: [], lines: [] };
    human.forEach((value, upwards) => {
      if (value === null) return;
      const [x, y] = [chart.x(value), chart.y(value)];
      const [left, right] = upwards ? [box.left + 2, box.right - width - 2] : [x - width - 4, x + 4];
      const [low, high] = upwards ? [y + 3, y - 17] : [box.bottom - 18, box.top + 2];
      const places = (upwards ? [[right, high], [right, low], [left, high], [left, low]]
        : [[left, low], [left, high], [right, low], [right, high]])
        .map(([nameX, nameY]) => ({ x: nameX, y: nameY, width, height: 16 })).filter((place) => inside(place, box));
      const place = places.find((each) => !dots.some((dot) => overlap(each, dotBox(dot)))) || places[0];
      const line = upwards ? { x: box.left, y, width: box.right - box.left, height: 0 }
        : { x, y: box.top, width: 0, height: box.bottom - box.top };
      node.append(
        svg("line", { class: "bound", x1: line.x, y1: line.y, x2: line.x + line.width, y2: line.y + line.height }),
        svg("text", { class: "people", x: place.x, y: place.y + 12 }, "human"));
      found.names.push(place);
      found.lines.push(line);
    });
    return found;
  }

  function scatter(shown, human, x, y, tapped) {
    const split = isSplit(x, y);
    const means = [x, y].map((column) => humanMean(human, column))
      .map((value) => (value === null ? null : 100 * value));
    const spread = (column, k) => padded([...shown.map((row) => percentOf(row, column)), split ? null : means[k]]
      .filter((value) => value !== null));
    const within = ([low, high]) => (split ? [Math.max(0, low), Math.min(100, high)] : [low, high]);
    const ranges = [within(spread(x, 0)), within(spread(y, 1))];
    const [across, up] = [columnLabel(x), columnLabel(y)];
    const chart = frame({
      xRange: ranges[0], yRange: ranges[1], xLabel: across, yLabel: up,
      label: `${up} against ${across} of ${shown.length} entries`,
    });
    const order = [...shown].sort((a, b) => percentOf(b, y) - percentOf(a, y));
    const places = order.map((row) => (
      { x: chart.x(percentOf(row, x)), y: chart.y(percentOf(row, y)), text: row.system }));
    const bounds = split ? splitLines(chart, human, x, ranges) : humanLines(chart, means, places);
    const narrow = chart.box.right < NARROW;
    const labels = narrow ? places.map(() => ({ line: null, name: null }))
      : placeLabels(places, chart.box, bounds.names, bounds.lines);
    chart.node.append(...labels.map(({ line }) => line).filter(Boolean));
    chart.node.append(...order.map((row, k) => {
      const values = `${signed(percentOf(row, x))}, ${signed(percentOf(row, y))}`;
      const point = svg("a", { href: systemAddress(row), class: `point ${row.role}` },
        svg("title", null, `${row.system}: ${values}`),
        labels[k].name, svg("circle", { cx: places[k].x, cy: places[k].y, r: crowded(places) ? 4 : 6 }));
      if (narrow) point.addEventListener("click", (event) => tap(event, row, `${across}, ${up}: ${values}`, tapped));
      return point;
    }));
    return chart.node;
  }

  /** On a phone, a tap on a point shows its name, which links to the system. */
  function tap(event, row, values, tapped) {
    event.preventDefault();
    for (const node of document.querySelectorAll(".point.chosen")) node.classList.remove("chosen");
    event.currentTarget.classList.add("chosen");
    tapped.replaceChildren(el("a", { href: systemAddress(row) }, foreign(row.system)), ` – ${values}`);
  }

  /** Draw lines of equal F0.5, and the line with the F0.5 of the human mean. */
  function splitLines(chart, human, x, ranges) {
    const metric = x.split(".")[0];
    const level = humanMean(human, metric);
    const levels = LEVELS.filter((each) => level === null || Math.abs(each - level) > 0.03);
    const names = drawContours(chart, levels.map((each) => [each, `F ${Math.round(100 * each)}`]), ranges, "contour");
    const humanName = level === null ? []
      : drawContours(chart, [[level, `human mean, F ${signed(100 * level, 1)}`]], ranges, "contour human");
    return { names: [...names, ...humanName], lines: [] };
  }

  function caption(shown, human, x, y) {
    const lines = isSplit(x, y) ? "line is" : "lines are";
    const hidden = human.length
      ? ` The dashed ${lines} the mean score of the human rewrites, against the same references.` : "";
    const tip = chartSize().width < NARROW ? " Tap a point for its name."
      : crowded(shown) ? " Point at a dot without a name to see its name." : "";
    if (isSplit(x, y)) {
      return "Each curve joins points of equal F0.5. Systems at the top left make few changes, and most of them are "
        + `correct. Systems at the bottom right make many changes, and more of them are wrong.${hidden}${tip}`;
    }
    const systems = shown.filter((row) => row.role === "system");
    if (systems.length < 3) return hidden + tip;
    const [xs, ys] = [x, y].map((column) => systems.map((row) => valueOf(row, column)));
    const flat = [x, y].find((_, k) => [xs, ys][k].every((value, _place, [first]) => value === first));
    if (flat) return `No correlation: all ${systems.length} systems have the same ${columnLabel(flat)}.${hidden}${tip}`;
    const r = signed(pearson(xs, ys), 3);
    const rho = signed(pearson(ranksOf(xs), ranksOf(ys)), 3);
    return `Pearson r = ${r}, Spearman ρ = ${rho} over ${systems.length} systems.${hidden}${tip}`;
  }

  // Scores of groups.
  const MOST_LINES = 8;
  const FEWEST_SENTENCES = 20;
  const FEWEST_EDITS = 10;
  const DASHES = ["", "7 4", "2 3", "10 3 2 3", "5 2", "1 4", "12 4", "4 2 1 2"];

  /** Ways to group: [name, label, the field of a system's details, title of the axis, description of the groups]. */
  const WAYS = [
    ["distance", "edit distance", "by_source_distance", "Characters between source and references",
      "Sentences are grouped by the mean Levenshtein distance between the source and its references, in characters. "
      + "The groups are the same for all systems."],
    ["grammaticality", "grammaticality", "by_grammaticality", "Grammaticality of the source",
      "Sentences are grouped by the grammaticality of the source as judged in GUG, from 1 (incomprehensible) to 4 "
      + "(perfect)."],
    ["type", "error type", "by_type", "", ""],
  ];

  /** Return [[row, details]] of the first systems whose details can be read. */
  async function detailed(rows) {
    const found = [];
    for (const row of rows.slice(0, MOST_LINES)) {
      try {
        found.push([row, await GECBENCH.load(`system-${row.id}`)]);
      } catch { /* a board built without texts */ }
    }
    return found;
  }

  function waysOf(systems) {
    const isLarge = (group) => group.sentences === undefined || group.sentences >= FEWEST_SENTENCES;
    return WAYS.filter(([, , field]) => systems.some(([, details]) => Object.values(details[field] || {})
      .some((groups) => groups.some(isLarge))));
  }

  async function showGroups(main, state) {
    const table = currentTable(state);
    const { rows } = await tableData(table);
    const controls = el("div", { class: "controls" }, tableChooser(state));
    main.append(controls);
    const usable = byMerit(rows.filter((row) => hasGroups(table, row)), table);
    const wanted = (state.ids || "").split(",").filter(Boolean);
    const usual = usable.slice(0, innerWidth < 700 ? 3 : 5);
    const chosen = wanted.length ? usable.filter((row) => wanted.includes(shortId(row))) : usual;
    const systems = await detailed(chosen);
    const ways = waysOf(systems);
    if (!ways.length) {
      main.append(empty("There are no groups to show: this table has no outputs, or the page was built without them."));
      return;
    }
    const way = ways.find(([name]) => name === state.by) || ways[0];
    const metrics = table.metrics.filter((name) => systems.some(([, details]) => details[way[2]][name]));
    const metric = chosenMetric({ metrics }, state.metric);
    controls.append(
      select("Group by", ways.map(([name, label]) => [name, label]), way[0], (by) => State.set({ by, metric: "" })),
      metricChooser("Metric", { metrics }, metric, "metric"),
      el("span", { class: "grow" }), copyLink());
    main.append(groupFigure(systems, way[0], metric), linePicker(usable, chosen),
      dataFiles([`table-${table.key}`, ...systems.map(([row]) => `system-${row.id}`)]));
  }

  /** A figure of the scores of some systems, grouped in one way. */
  function groupFigure(systems, by, metric) {
    const [, , field, xLabel, note] = WAYS.find(([name]) => name === by);
    const found = systems.filter(([, details]) => (details[field] || {})[metric])
      .map(([row, details]) => [row, details[field][metric]]);
    if (!found.length) return empty(`These systems have no groups with ${metricOf(metric).title}.`);
    return by === "type" ? typeTable(found, metric) : lineFigure(found, metric, xLabel, note);
  }

  function lineFigure(all, metric, xLabel, note) {
    let found = all;
    const { title } = metricOf(metric);
    const isFilled = (k) => all.some(([, groups]) => groups[k].value !== null);
    const isLarge = ({ sentences }) => sentences >= FEWEST_SENTENCES;
    const few = found[0][1].filter((group) => !isLarge(group)).length;
    const large = found[0][1].map((group, k) => isLarge(group) && isFilled(k));
    found = found.map(([row, groups]) => [row, groups.filter((_, k) => large[k])]);
    if (!found[0][1].length) return empty(`No group has at least ${FEWEST_SENTENCES} sentences.`);
    const labels = found[0][1].map((group) => [group.label.replace("-", "–"), `n=${group.sentences}`]);
    const values = found.flatMap(([, groups]) => groups.map((group) => group.value)).filter((value) => value !== null);
    const chart = frame({
      xRange: [-0.4, labels.length - 0.6], yRange: padded(values.map((value) => 100 * value)),
      xLabel, yLabel: title, xNames: labels, label: `${title} by ${xLabel.toLowerCase()}`,
    });
    chart.node.append(...found.map(([row, groups], k) => groupLine(chart, row, groups, k)));
    const legend = el("ul", { class: "legend" }, found.map(([row], k) => el("li", { class: `hue${k}` },
      svg("svg", { class: "swatch", viewBox: "0 0 28 10", "aria-hidden": "true" },
        svg("line", { x1: 0, x2: 28, y1: 5, y2: 5, "stroke-dasharray": DASHES[k] })),
      el("a", { href: systemAddress(row) }, foreign(row.system)))));
    const save = saveSvg(chart.node, `${metric}-${xLabel}`);
    const idle = all[0][1].filter((group, k) => isLarge(group) && !isFilled(k))
      .map((group) => ` Left out: ${counted(group.sentences, "sentence")} without gold edits.`);
    const small = few ? ` Left out: ${counted(few, "group")} of fewer than ${FEWEST_SENTENCES} sentences.` : "";
    return el("figure", null, el("figcaption", null, legend, note,
      small, idle, " ", save), chart.node);
  }

  /** Split groups into runs of neighbors that have values. Each run is a line, so no line crosses a missing group. */
  function runs(dots) {
    const found = [[]];
    for (const dot of dots) {
      if (dot.value === null) found.push([]);
      else found.at(-1).push(dot);
    }
    return found.filter((run) => run.length);
  }

  function groupLine(chart, row, groups, k) {
    const dots = groups.map((group, i) => ({ ...group, x: chart.x(i), y: chart.y(100 * group.value) }));
    return svg("g", { class: `line hue${k}` },
      runs(dots).map((run) => svg("polyline",
        { points: run.map((dot) => `${dot.x},${dot.y}`).join(" "), "stroke-dasharray": DASHES[k] })),
      dots.filter((dot) => dot.value !== null).map((dot) => {
        const size = counted(dot.sentences, "sentence");
        return svg("circle", { cx: dot.x, cy: dot.y, r: 4 },
          svg("title", null, `${row.system}, ${dot.label}: ${points(dot.value)} (${size})`));
      }));
  }

  /** A table of F (or of recall, if the metric has no F per type) with a row per error type and a column per system. */
  function typeTable(found, metric) {
    const measure = found.some(([, types]) => types.some((each) => each.value !== null)) ? "value" : "recall";
    const names = [...new Set(found.flatMap(([, types]) => types.map((each) => each.type)))];
    const cell = (types, name) => {
      const each = types.find((other) => other.type === name);
      const made = each && (each.gold || each.precision !== null);
      return el("td", { class: made ? "number" : "number none" }, made ? points(each[measure]) : "–",
        made ? el("small", null, `${each.correct} of ${each.gold}`) : null);
    };
    const what = measure === "value" ? "F" : "recall";
    return el("div", null,
      el("p", { class: "note" }, `${metricOf(metric).title}: ${what} of each error type. Below each value is the `
        + "number of correct edits out of all gold edits. The gold edits are from the annotator chosen for each "
        + "sentence and system, so their number may differ between systems."),
      scrolled("Scores by error type", el("table", { class: "figures types" },
        el("thead", null, el("tr", null, el("th", { scope: "col" }, "Type"),
          found.map(([row]) => el("th", { scope: "col", class: "number" },
            el("a", { href: systemAddress(row) }, foreign(row.system)))))),
        el("tbody", null, names.map((name) => el("tr", null, el("th", { scope: "row" }, typeName(name)),
          found.map(([, types]) => cell(types, name))))))));
  }

  /** Bars of the differences between two systems by error type. A bar to the right means that A is better. */
  function typeBars([a, b], metric) {
    const byType = ([, details]) => new Map(details.by_type[metric].map((each) => [each.type, each]));
    const [left, right] = [byType(a), byType(b)];
    const measure = [...left.values()].some((each) => each.value !== null) ? "value" : "recall";
    const shown = [...left.keys()].filter((type) => right.has(type) && left.get(type).gold >= FEWEST_EDITS
      && left.get(type)[measure] !== null && right.get(type)[measure] !== null)
      .map((type) => [type, left.get(type), right.get(type), left.get(type)[measure] - right.get(type)[measure]])
      .sort((one, other) => other[3] - one[3]);
    if (!shown.length) return empty(`No error type has at least ${FEWEST_EDITS} gold edits.`);
    const most = Math.max(...shown.map(([, , , difference]) => Math.abs(difference)), 0.01);
    const bar = (difference) => svg("svg", { class: "bar", viewBox: "-100 0 200 12", preserveAspectRatio: "none",
      "aria-hidden": "true" },
    svg("rect", { class: difference > 0 ? "a" : "b", x: Math.min(0, (100 * difference) / most), y: 1,
      width: (100 * Math.abs(difference)) / most, height: 10 }),
    svg("line", { x1: 0, x2: 0, y1: 0, y2: 12 }));
    const what = measure === "value" ? "F" : "recall";
    const counts = (each) => `${points(each[measure], 1)} (${each.correct}/${each.gold})`;
    return el("div", null,
      el("p", { class: "note" }, `${metricOf(metric).title}: error types sorted by the difference in ${what}. `
        + "A bar to the right means that A is better. In brackets are the correct edits out of all gold edits. "
        + `Types with fewer than ${FEWEST_EDITS} gold edits are left out.`),
      scrolled("Differences by error type", el("table", { class: "figures types bars" },
        el("thead", null, el("tr", null, ["Error type", "A − B", "", "A", "B"].map((label, k) => el("th",
          { scope: "col", class: k ? "number" : null }, label || el("span", { class: "unseen" }, "Bar"))))),
        el("tbody", null, shown.map(([type, one, other, difference]) => el("tr", null,
          el("th", { scope: "row" }, typeName(type)),
          el("td", { class: "number main" }, `${difference > 0 ? "+" : ""}${points(difference, 1)}`),
          el("td", { class: "wide" }, bar(difference)),
          el("td", { class: "number" }, counts(one)), el("td", { class: "number" }, counts(other))))))));
  }

  function linePicker(usable, chosen) {
    const boxes = usable.slice(0, 100).map((row) => el("input",
      { type: "checkbox", value: shortId(row), checked: chosen.includes(row), onchange: pick }));
    function pick() {
      const ids = boxes.filter((box) => box.checked).map((box) => box.value).slice(0, MOST_LINES);
      State.replace({ ids: ids.join(",") });
    }
    return picker("systems", `Choose systems (at most ${MOST_LINES})`,
      boxes.map((box, k) => el("label", null, box, foreign(usable[k].system))));
  }

  return { pearson, ranksOf, contour, showPlot, showGroups, groupFigure, typeBars, detailed, waysOf };
});
