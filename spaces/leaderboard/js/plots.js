"use strict";
// Score against score.
GECBENCH.define("plots", (use) => {
  const { el, svg, empty, signed } = use("dom");
  const { metricOf, currentTable, chosenMetric, tableData, humanValue } = use("board");
  const { tableChooser, metricChooser, systemAddress, copyLink, dataFiles } = use("controls");
  const { frame, padded, saveSvg, pearson, ranksOf } = use("charts");
  const { placeLabels, widthOf, overlap, inside, dotBox, crowded } = use("labels");

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

  /** Dashed lines of people's scores, each with its name where no point is; returns the boxes of names and lines. */
  function humanLines(chart, human, dots) {
    const { node, box } = chart;
    const width = widthOf("people");
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
        svg("text", { class: "people", x: place.x, y: place.y + 12 }, "people"));
      found.names.push(place);
      found.lines.push(line);
    });
    return found;
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
    const order = [...shown].sort((a, b) => percentOf(b, y) - percentOf(a, y));
    const places = order.map((row) => (
      { x: chart.x(percentOf(row, x)), y: chart.y(percentOf(row, y)), text: row.system }));
    const bounds = humanLines(chart, human, places);
    const labels = placeLabels(places, chart.box, bounds.names, bounds.lines);
    chart.node.append(...labels.map(({ line }) => line).filter(Boolean));
    chart.node.append(...order.map((row, k) => svg("a", { href: systemAddress(row), class: `point ${row.role}` },
      svg("title", null, `${row.system}: ${signed(percentOf(row, x))}, ${signed(percentOf(row, y))}`),
      labels[k].name, svg("circle", { cx: places[k].x, cy: places[k].y, r: crowded(places) ? 4 : 6 }))));
    return chart.node;
  }

  function correlation(shown, people, x, y) {
    const bounded = [x, y].some((metric) => humanValue(people, metric) !== null);
    const note = (bounded ? " Dashed lines are people's scores." : "")
      + (crowded(shown) ? " Points without room for a name show it when pointed at." : "");
    const systems = shown.filter((row) => row.role === "system");
    if (systems.length < 3) return note;
    const [xs, ys] = [x, y].map((metric) => systems.map((row) => row.scores[metric].value));
    const flat = [x, y].find((_, k) => [xs, ys][k].every((value, _place, [first]) => value === first));
    if (flat) return `No correlation: all ${systems.length} systems have the same ${metricOf(flat).title}.${note}`;
    const r = signed(pearson(xs, ys), 3);
    const rho = signed(pearson(ranksOf(xs), ranksOf(ys)), 3);
    return `Pearson r = ${r}, Spearman ρ = ${rho} over ${systems.length} systems.${note}`;
  }

  return { showPlot };
});
