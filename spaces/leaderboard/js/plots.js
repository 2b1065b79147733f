"use strict";
// Score against score, and score by edit distance.
GECBENCH.define("plots", (use) => {
  const { el, svg, empty, foreign, points, shorten } = use("dom");
  const { metricOf, currentTable, chosenMetric, tableData, humanValue, sortRows, shortId } = use("board");
  const { State, tableChooser, metricChooser, systemAddress, copyLink } = use("controls");
  const { frame, padded, pearson, ranksOf } = use("charts");
  const MOST_LINES = 8;

  function chartWidth() {
    return innerWidth < 700 ? 420 : 900;
  }

  async function showPlot(main, state) {
    const table = currentTable(state);
    const { rows, people } = await tableData(table);
    const x = chosenMetric(table, state.x);
    const y = table.metrics.includes(state.y) ? state.y : table.metrics[1] || table.metrics[0];
    const shown = rows.filter((row) => row.scores[x] && row.scores[y]);
    main.append(el("div", { class: "controls" }, tableChooser(state), metricChooser("Across", table, x, "x"),
      metricChooser("Up", table, y, "y"), el("span", { class: "grow" }), copyLink()));
    if (shown.length < 2) {
      main.append(empty("Fewer than two systems have both scores."));
      return;
    }
    main.append(el("figure", null, scatter(shown, people, x, y), el("figcaption", null, correlation(shown, x, y))));
  }

  function percentOf(row, metric) {
    return 100 * row.scores[metric].value;
  }

  function overlaps(one, other) {
    return one.x <= other.x + other.width && other.x <= one.x + one.width
      && one.y <= other.y + other.height && other.y <= one.y + one.height;
  }

  function scatter(shown, people, x, y) {
    const human = [x, y].map((metric) => humanValue(people, metric))
      .map((value) => (value === null ? [] : [100 * value]));
    const range = (metric, k) => padded([...shown.map((row) => percentOf(row, metric)), ...human[k]]);
    const chart = frame(chartWidth(), 520, range(x, 0), range(y, 1), metricOf(x).title, metricOf(y).title);
    const { node, box } = chart;
    node.setAttribute("aria-label", `${metricOf(y).title} against ${metricOf(x).title} of ${shown.length} systems`);
    const dashed = (x1, y1, x2, y2) => node.append(svg("line", { class: "human", x1, x2, y1, y2 }));
    for (const value of human[0]) dashed(chart.x(value), box.top, chart.x(value), box.bottom);
    for (const value of human[1]) dashed(box.left, chart.y(value), box.right, chart.y(value));
    const taken = [];
    for (const row of [...shown].sort((a, b) => percentOf(b, y) - percentOf(a, y))) {
      const [px, py] = [chart.x(percentOf(row, x)), chart.y(percentOf(row, y))];
      const point = svg("a", { href: systemAddress(row), class: `point ${row.kind} ${row.role}`, tabindex: 0 },
        svg("circle", { cx: px, cy: py, r: 6 }),
        svg("title", null, `${row.system}: ${percentOf(row, x).toFixed(2)}, ${percentOf(row, y).toFixed(2)}`));
      const width = 7 * Math.min([...row.system].length, 26);
      const left = px + width + 12 > box.right;
      const label = { x: left ? px - 10 - width : px + 10, y: py - 8, width, height: 16 };
      if (!taken.some((other) => overlaps(label, other))) {
        taken.push(label);
        const place = { x: left ? px - 10 : px + 10, y: py + 4, "text-anchor": left ? "end" : "start" };
        point.append(svg("text", place, shorten(row.system)));
      }
      node.append(point);
    }
    return node;
  }

  function correlation(shown, x, y) {
    const note = "Hollow points are as reported; dashed lines are the people's scores.";
    const systems = shown.filter((row) => row.role !== "human");
    if (systems.length < 3) return note;
    const [xs, ys] = [x, y].map((metric) => systems.map((row) => row.scores[metric].value));
    const r = pearson(xs, ys).toFixed(3);
    const rho = pearson(ranksOf(xs), ranksOf(ys)).toFixed(3);
    return `Pearson r = ${r}, Spearman ρ = ${rho} over ${systems.length} systems. ${note}`;
  }

  async function showDistance(main, state) {
    const table = currentTable(state);
    const { rows } = await tableData(table);
    const metric = chosenMetric(table, state.metric);
    main.append(el("div", { class: "controls" }, tableChooser(state), metricChooser("Metric", table, metric, "metric"),
      el("span", { class: "grow" }), copyLink()));
    const usable = sortRows(rows.filter((row) => row.outputs && row.scores[metric]), metric, true);
    if (!usable.length) {
      main.append(empty("No system of this table has outputs here: published figures come without them."));
      return;
    }
    const wanted = (state.ids || "").split(",").filter(Boolean);
    const chosen = wanted.length ? usable.filter((row) => wanted.includes(shortId(row))) : usable.slice(0, 5);
    main.append(await distanceFigure(chosen, metric), linePicker(usable, chosen));
  }

  async function distanceFigure(rows, metric) {
    const found = [];
    for (const row of rows.slice(0, MOST_LINES)) {
      try {
        const details = await GECBENCH.load(`system-${row.id}`);
        if (details.by_distance[metric]) found.push([row, details.by_distance[metric]]);
      } catch { /* a board built without texts */ }
    }
    if (!found.length) return empty("This board was built without the systems' outputs.");
    const { title } = metricOf(metric);
    const labels = found[0][1].map((group) => group.label);
    const values = found.flatMap(([, groups]) => groups.map((group) => group.value)).filter((value) => value !== null);
    const chart = frame(chartWidth(), 440, [-0.3, labels.length - 0.7], padded(values.map((value) => 100 * value)),
      "Characters changed (Levenshtein distance from the source)", title, labels);
    chart.node.setAttribute("aria-label", `${title} by edit distance`);
    chart.node.append(...found.map(([row, groups], k) => distanceLine(chart, row, groups, k)));
    const legend = el("ul", { class: "legend" }, found.map(([row], k) => el("li", { class: `hue${k}` },
      el("a", { href: systemAddress(row) }, foreign(row.system)))));
    return el("figure", null, chart.node, el("figcaption", null, legend));
  }

  function distanceLine(chart, row, groups, k) {
    const dots = groups.map((group, i) => ({ ...group, x: chart.x(i), y: chart.y(100 * group.value) }))
      .filter((dot) => dot.value !== null);
    return svg("g", { class: `line hue${k}` },
      svg("polyline", { points: dots.map((dot) => `${dot.x},${dot.y}`).join(" ") }),
      dots.map((dot) => svg("circle", { cx: dot.x, cy: dot.y, r: 4 }, svg("title", null,
        `${row.system}, ${dot.label} characters: ${points(dot.value)} (${dot.sentences} sentences)`))));
  }

  function linePicker(usable, chosen) {
    const boxes = usable.slice(0, 100).map((row) => el("input",
      { type: "checkbox", value: shortId(row), checked: chosen.includes(row), onchange: pick }));
    function pick() {
      const ids = boxes.filter((box) => box.checked).map((box) => box.value).slice(0, MOST_LINES);
      State.set({ ids: ids.join(",") });
    }
    return el("details", { class: "picker" }, el("summary", null, `Choose systems (at most ${MOST_LINES})`),
      el("div", { class: "boxes" }, boxes.map((box, k) => el("label", null, box, foreign(usable[k].system)))));
  }

  return { showPlot, showDistance, distanceFigure };
});
