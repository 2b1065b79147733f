"use strict";
// Score against score, and score by edit distance.

const CHART_WIDTH = () => (innerWidth < 700 ? 420 : 900);
const MOST_LINES = 8;

GECBENCH.views.plot = async (main, state) => {
  const table = currentTable(state);
  const rows = await rowsOf(table);
  const x = table.metrics.includes(state.x) ? state.x : table.metrics[0];
  const y = table.metrics.includes(state.y) ? state.y : table.metrics[1] || table.metrics[0];
  const shown = rows.filter((row) => row.scores[x] && row.scores[y]);
  main.append(el("div", { class: "controls" }, tableChooser(state), metricChooser("Across", table, x, "x"),
    metricChooser("Up", table, y, "y"), el("span", { class: "grow" }), copyLink()));
  if (shown.length < 2) {
    main.append(el("p", { class: "empty" }, "Fewer than two systems have both scores."));
    return;
  }
  main.append(el("figure", null, scatter(shown, rows, x, y), el("figcaption", null, correlation(shown, x, y))));
};

function scatter(shown, rows, x, y) {
  const value = (row, metric) => 100 * row.scores[metric].value;
  const people = { x: humanValue(rows, x), y: humanValue(rows, y) };
  const beyond = (metric, human) => [...shown.map((row) => value(row, metric)), ...(human === null ? [] : [100 * human])];
  const chart = frame(CHART_WIDTH(), 520, padded(beyond(x, people.x)), padded(beyond(y, people.y)),
    metricOf(x).title, metricOf(y).title);
  const { node, box } = chart;
  node.setAttribute("aria-label", `${metricOf(y).title} against ${metricOf(x).title} of ${shown.length} systems`);
  if (people.x !== null) node.append(svg("line", { class: "human", x1: chart.x(100 * people.x), x2: chart.x(100 * people.x), y1: box.top, y2: box.bottom }));
  if (people.y !== null) node.append(svg("line", { class: "human", x1: box.left, x2: box.right, y1: chart.y(100 * people.y), y2: chart.y(100 * people.y) }));
  const taken = [];
  for (const row of [...shown].sort((a, b) => value(b, y) - value(a, y))) {
    const [px, py] = [chart.x(value(row, x)), chart.y(value(row, y))];
    const point = svg("a", { href: systemAddress(row), class: `point ${row.kind} ${row.role}`, tabindex: 0 },
      svg("circle", { cx: px, cy: py, r: 6 }),
      svg("title", null, `${row.system}: ${value(row, x).toFixed(2)}, ${value(row, y).toFixed(2)}`));
    const width = 7 * Math.min([...row.system].length, 26);
    const left = px + width + 12 > box.right;
    const label = { x: left ? px - 10 - width : px + 10, y: py - 8, width, height: 16 };
    const free = taken.every((other) => label.x > other.x + other.width || other.x > label.x + label.width
      || label.y > other.y + other.height || other.y > label.y + label.height);
    if (free) {
      taken.push(label);
      point.append(svg("text", { x: left ? px - 10 : px + 10, y: py + 4, "text-anchor": left ? "end" : "start" }, shorten(row.system)));
    }
    node.append(point);
  }
  return node;
}

function correlation(shown, x, y) {
  const systems = shown.filter((row) => row.role !== "human");
  const [xs, ys] = [x, y].map((metric) => systems.map((row) => row.scores[metric].value));
  const words = systems.length < 3 ? "" : `Pearson r = ${pearson(xs, ys).toFixed(3)}, Spearman ρ = ${pearson(ranksOf(xs), ranksOf(ys)).toFixed(3)} over ${systems.length} systems. `;
  return `${words}Hollow points are as reported; dashed lines are the people's scores.`;
}

GECBENCH.views.distance = async (main, state) => {
  const table = currentTable(state);
  const rows = await rowsOf(table);
  const metric = table.metrics.includes(state.metric) ? state.metric : table.metrics[0];
  main.append(el("div", { class: "controls" }, tableChooser(state), metricChooser("Metric", table, metric, "metric"),
    el("span", { class: "grow" }), copyLink()));
  const usable = sortRows(rows.filter((row) => row.outputs && row.scores[metric]), metric, true);
  if (!usable.length) {
    main.append(el("p", { class: "empty" }, "No system of this table has outputs here: published figures come without them."));
    return;
  }
  const wanted = (state.ids || "").split(",").filter(Boolean);
  const chosen = wanted.length ? usable.filter((row) => wanted.includes(row.id.slice(0, 12))) : usable.slice(0, 5);
  main.append(await distanceFigure(chosen, metric), linePicker(usable, chosen));
};

async function distanceFigure(rows, metric) {
  const found = [];
  for (const row of rows.slice(0, MOST_LINES)) {
    try {
      const details = await GECBENCH.load(`system-${row.id}`);
      if (details.by_distance[metric]) found.push([row, details.by_distance[metric]]);
    } catch { /* a board built without texts */ }
  }
  if (!found.length) return el("p", { class: "empty" }, "This board was built without the systems' outputs.");
  const labels = found[0][1].map((group) => group.label);
  const values = found.flatMap(([, groups]) => groups.filter((group) => group.value !== null).map((group) => 100 * group.value));
  const chart = frame(CHART_WIDTH(), 440, [-0.3, labels.length - 0.7], padded(values), "Characters changed (Levenshtein distance from the source)",
    metricOf(metric).title, labels);
  chart.node.setAttribute("aria-label", `${metricOf(metric).title} by edit distance`);
  found.forEach(([row, groups], k) => {
    const dots = groups.map((group, i) => [i, group]).filter(([, group]) => group.value !== null);
    const place = ([i, group]) => `${chart.x(i)},${chart.y(100 * group.value)}`;
    chart.node.append(svg("g", { class: `line hue${k}` }, svg("polyline", { points: dots.map(place).join(" ") }),
      dots.map(([i, group]) => svg("circle", { cx: chart.x(i), cy: chart.y(100 * group.value), r: 4 },
        svg("title", null, `${row.system}, ${group.label} characters: ${points(group.value)} (${group.sentences} sentences)`)))));
  });
  const legend = el("ul", { class: "legend" }, found.map(([row], k) => el("li", { class: `hue${k}` }, el("a", { href: systemAddress(row) }, foreign(row.system)))));
  return el("figure", null, chart.node, el("figcaption", null, legend));
}

function linePicker(usable, chosen) {
  const boxes = usable.slice(0, 100).map((row) => el("label", null,
    el("input", { type: "checkbox", value: row.id.slice(0, 12), checked: chosen.includes(row), onchange: () => {
      const ids = boxes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value).slice(0, MOST_LINES);
      State.set({ ids: ids.join(",") });
    } }), foreign(row.system)));
  return el("details", { class: "picker" }, el("summary", null, `Choose systems (at most ${MOST_LINES})`), el("div", { class: "boxes" }, boxes));
}
