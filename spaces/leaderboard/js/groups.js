"use strict";
// Scores of groups: by edit distance or grammaticality as lines, by error type as a table.
GECBENCH.define("groups", (use) => {
  const { el, svg, empty, foreign, points } = use("dom");
  const { metricOf, currentTable, chosenMetric, tableData, hasDetails, byMerit, shortId } = use("board");
  const { State, select, tableChooser, metricChooser, systemAddress, copyLink, dataFiles, scrolled } = use("controls");
  const { frame, padded, saveSvg } = use("charts");
  const MOST_LINES = 8;
  const DASHES = ["", "7 4", "2 3", "10 3 2 3", "5 2", "1 4", "12 4", "4 2 1 2"];

  /** Ways to group: [name, label, the field of a system's details, title of the axis, what the groups are]. */
  const WAYS = [
    ["distance", "edit distance", "by_distance", "Characters changed",
      "Sentences grouped by the Levenshtein distance of the output from the source, in characters."],
    ["grammaticality", "grammaticality", "by_grammaticality", "Grammaticality of the source",
      "Sentences grouped by how grammatical people judged the source (GUG), from 1, incomprehensible, to 4, perfect."],
    ["type", "error type", "by_type", "", ""],
  ];

  /** Return [[row, details]] of the systems whose details can be read. */
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
    return WAYS.filter(([, , field]) => systems.some(([, details]) => Object.keys(details[field] || {}).length));
  }

  async function showGroups(main, state) {
    const table = currentTable(state);
    const { rows } = await tableData(table);
    const controls = el("div", { class: "controls" }, tableChooser(state));
    main.append(controls);
    const usable = byMerit(rows.filter((row) => hasDetails(table, row)), table);
    const wanted = (state.ids || "").split(",").filter(Boolean);
    const usual = usable.slice(0, innerWidth < 700 ? 3 : 5);
    const chosen = wanted.length ? usable.filter((row) => wanted.includes(shortId(row))) : usual;
    const systems = await detailed(chosen);
    const ways = waysOf(systems);
    if (!ways.length) {
      main.append(empty("No groups to show: this table has no outputs, or the board was built without them."));
      return;
    }
    const way = ways.find(([name]) => name === state.by) || ways[0];
    const metrics = table.metrics.filter((name) => systems.some(([, details]) => details[way[2]][name]));
    const metric = chosenMetric({ metrics }, state.metric);
    controls.append(
      select("By", ways.map(([name, label]) => [name, label]), way[0], (by) => State.set({ by, metric: "" })),
      metricChooser("Metric", { metrics }, metric, "metric"),
      el("span", { class: "grow" }), copyLink());
    main.append(groupFigure(systems, way[0], metric), linePicker(usable, chosen),
      dataFiles([`table-${table.key}`, ...systems.map(([row]) => `system-${row.id}`)]));
  }

  /** One way of grouping, of some systems: a figure. */
  function groupFigure(systems, by, metric) {
    const [, , field, xLabel, note] = WAYS.find(([name]) => name === by);
    const found = systems.filter(([, details]) => (details[field] || {})[metric])
      .map(([row, details]) => [row, details[field][metric]]);
    if (!found.length) return empty("These systems have no such groups.");
    return by === "type" ? typeTable(found, metric) : lineFigure(found, metric, xLabel, note);
  }

  function lineFigure(found, metric, xLabel, note) {
    const { title } = metricOf(metric);
    const labels = found[0][1].map((group) => group.label.replace("-", "–"));
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
    const gaps = found.some(([, groups]) => groups.some((group) => group.value === null));
    return el("figure", null, el("figcaption", null, legend, note,
      gaps ? " A line breaks off where a system has no such sentences." : "", " ", save), chart.node);
  }

  /** Neighbouring groups that have values, each run of them a line: nothing bridges a missing group. */
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
      dots.filter((dot) => dot.value !== null).map((dot) => svg("circle", { cx: dot.x, cy: dot.y, r: 4 },
        svg("title", null, `${row.system}, ${dot.label}: ${points(dot.value)} (${dot.sentences} sentences)`))));
  }

  /** Error types by row, systems by column: F where the metric has it, else recall. */
  function typeTable(found, metric) {
    const measure = found.some(([, types]) => types.some((each) => each.value !== null)) ? "value" : "recall";
    const names = [...new Set(found.flatMap(([, types]) => types.map((each) => each.type)))];
    const cell = (types, name) => {
      const each = types.find((other) => other.type === name);
      const made = each && (each.gold || each.precision !== null);
      return el("td", { class: made ? "number" : "number none" }, made ? points(each[measure]) : "–",
        made ? el("small", null, `${each.correct} of ${each.gold}`) : null);
    };
    const what = measure === "value" ? "F" : "Recall";
    return el("div", null,
      el("p", { class: "note" }, `${what} by ${metricOf(metric).title} of each error type, and how many of its gold `
        + "edits were made; against the annotator chosen for each sentence, so that their number may differ."),
      scrolled("Scores by error type", el("table", { class: "figures types" },
        el("thead", null, el("tr", null, el("th", { scope: "col" }, "Type"),
          found.map(([row]) => el("th", { scope: "col", class: "number" },
            el("a", { href: systemAddress(row) }, foreign(row.system)))))),
        el("tbody", null, names.map((name) => el("tr", null, el("th", { scope: "row" }, foreign(name)),
          found.map(([, types]) => cell(types, name))))))));
  }

  function linePicker(usable, chosen) {
    const boxes = usable.slice(0, 100).map((row) => el("input",
      { type: "checkbox", value: shortId(row), checked: chosen.includes(row), onchange: pick }));
    function pick() {
      const ids = boxes.filter((box) => box.checked).map((box) => box.value).slice(0, MOST_LINES);
      State.set({ ids: ids.join(","), systems: "open" });
    }
    return el("details", { class: "picker", open: State.read().systems === "open" },
      el("summary", null, `Choose systems (at most ${MOST_LINES})`),
      el("div", { class: "boxes" }, boxes.map((box, k) => el("label", null, box, foreign(usable[k].system)))));
  }

  return { showGroups, groupFigure, detailed, waysOf };
});
