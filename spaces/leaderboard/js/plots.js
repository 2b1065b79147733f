"use strict";
// Score against score.
GECBENCH.define("plots", (use) => {
  const { el, svg, empty, signed } = use("dom");
  const { metricOf, currentTable, chosenMetric, tableData, humanValue } = use("board");
  const { tableChooser, metricChooser, systemAddress, copyLink, dataFiles } = use("controls");
  const { frame, padded, saveSvg, pearson, ranksOf } = use("charts");
  const { placeLabels, widthOf, crowded } = use("labels");

  async function showPlot(main, state) {
    const table = currentTable(state);
    const { rows, people } = await tableData(table);
    const x = chosenMetric(table, state.x);
    const y = table.metrics.includes(state.y) ? state.y : table.metrics[1] || table.metrics[0];
    const shown = rows.filter((row) => row.scores[x] && row.scores[y]);
    const controls = el("div", { class: "controls" }, tableChooser(state), metricChooser("Across", table, x, "x"),
      metricChooser("Up", table, y, "y"));
    main.append(controls);
    if (shown.length < 2) {
      main.append(empty("Fewer than two systems have both scores."));
      return;
    }
    const chart = scatter(shown, people, x, y);
    controls.append(el("span", { class: "grow" }), saveSvg(chart, `plot-${table.corpus}-${x}-${y}`), copyLink());
    main.append(el("figure", null, el("figcaption", null, correlation(shown, people, x, y)), chart),
      dataFiles([`table-${table.key}`]));
  }

  function percentOf(row, metric) {
    return 100 * row.scores[metric].value;
  }

  /** Dashed lines of people's scores with their names at the ends; returns the boxes that the names take. */
  function humanLines(chart, human) {
    const { node, box } = chart;
    const width = widthOf("people");
    const dashed = (x1, y1, x2, y2) => svg("line", { class: "bound", x1, x2, y1, y2 });
    const name = (x, y) => svg("text", { class: "people", x, y, "text-anchor": "end" }, "people");
    return human.flatMap((value, upwards) => {
      if (value === null) return [];
      if (upwards) {
        const y = chart.y(value);
        node.append(dashed(box.left, y, box.right, y), name(box.right - 2, y - 4));
        return [{ x: box.right - width - 2, y: y - 16, width, height: 18 }];
      }
      const x = chart.x(value);
      node.append(dashed(x, box.top, x, box.bottom), name(x - 4, box.bottom - 6));
      return [{ x: x - width - 4, y: box.bottom - 18, width: width + 6, height: 16 }];
    });
  }

  function scatter(shown, people, x, y) {
    const human = [x, y].map((metric) => humanValue(people, metric))
      .map((value) => (value === null ? null : 100 * value));
    const spread = (metric, k) => padded([...shown.map((row) => percentOf(row, metric)), human[k]]
      .filter((value) => value !== null));
    const [across, up] = [metricOf(x).title, metricOf(y).title];
    const chart = frame({
      xRange: spread(x, 0), yRange: spread(y, 1), xLabel: across, yLabel: up,
      label: `${up} against ${across} of ${shown.length} systems`,
    });
    const reserved = humanLines(chart, human);
    const order = [...shown].sort((a, b) => percentOf(b, y) - percentOf(a, y));
    const places = order.map((row) => (
      { x: chart.x(percentOf(row, x)), y: chart.y(percentOf(row, y)), text: row.system }));
    const labels = placeLabels(places, chart.box, reserved);
    chart.node.append(...order.map((row, k) => svg("a", { href: systemAddress(row), class: `point ${row.role}` },
      svg("title", null, `${row.system}: ${signed(percentOf(row, x))}, ${signed(percentOf(row, y))}`),
      labels[k], svg("circle", { cx: places[k].x, cy: places[k].y, r: crowded(places) ? 4 : 6 }))));
    return chart.node;
  }

  function correlation(shown, people, x, y) {
    const bounded = [x, y].some((metric) => humanValue(people, metric) !== null);
    const note = (bounded ? " Dashed lines are people's scores." : "")
      + (crowded(shown) ? " Points without room for a name show it when pointed at." : "");
    const systems = shown.filter((row) => row.role === "system");
    if (systems.length < 3) return note;
    const [xs, ys] = [x, y].map((metric) => systems.map((row) => row.scores[metric].value));
    const r = signed(pearson(xs, ys), 3);
    const rho = signed(pearson(ranksOf(xs), ranksOf(ys)), 3);
    return `Pearson r = ${r}, Spearman ρ = ${rho} over ${systems.length} systems.${note}`;
  }

  return { showPlot };
});
