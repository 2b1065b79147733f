"use strict";
// The columns of the ranking, which of them are shown, and their choice.
GECBENCH.define("columns", (use) => {
  const { el, svg, points, range } = use("dom");
  const { metricOf, valueOf, shownP } = use("board");
  const { State } = use("controls");

  /** Return a function from values to places between 0 and 100. */
  function scale(rows, metric) {
    const values = rows.flatMap((row) => {
      const figure = row.scores[metric];
      return figure ? [figure.value, figure.low ?? figure.value, figure.high ?? figure.value] : [];
    });
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const margin = (high - low || 0.1) * 0.05;
    return (value) => 2 + (96 * (value - low + margin)) / (high - low + 2 * margin || 1);
  }

  function whisker(figure, place, human) {
    const line = (kind, x1, x2, y1 = 8, y2 = 8) => svg("line", { class: kind, x1, x2, y1, y2 });
    const x = place(figure.value);
    return svg("svg", { class: "whisker", viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" },
      line("rail", 0, 100),
      human === null ? null : line("human", place(human), place(human), 0, 16),
      figure.low == null ? null : line("range", place(figure.low), place(figure.high)),
      line("dot", x - 0.01, x));
  }

  function smaller(text) {
    return el("small", null, text);
  }

  function metricColumn(name) {
    const { title, description } = metricOf(name);
    const content = (row) => {
      const figure = row.scores[name];
      if (!figure) return null;
      return [points(figure.value), figure.bounded ? "†" : null,
        figure.low == null ? null : smaller(range(figure.low, figure.high))];
    };
    return { key: name, label: title, title: description, sortable: true, metric: name, content };
  }

  function partColumn(metric, part) {
    const key = `${metric}.${part}`;
    const { title } = metricOf(metric);
    const content = (row) => (valueOf(row, key) == null ? null : points(valueOf(row, key)));
    const label = `${title} ${part[0].toUpperCase()}`;
    return { key, label, title: `${title}: ${part}`, sortable: true, metric, content };
  }

  /** Columns about the metric that ranks, and about the system. */
  function otherColumns(metric, place, human) {
    const { title } = metricOf(metric);
    const figureOf = (row) => row.scores[metric] || {};
    return [
      { key: "interval", label: `${title}, 95 %`, kind: "wide",
        content: (row) => (figureOf(row).low == null ? null : whisker(figureOf(row), place, human)) },
      { key: "ratio", label: "of human", title: "The score against all people but one, divided by people's own",
        content: (row) => (figureOf(row).ratio == null ? null : [`${points(figureOf(row).ratio, 1)} %`,
          smaller(`${points(figureOf(row).against_others)} / ${points(figureOf(row).human)}`)]) },
      { key: "p", label: "p", title: "Against the entry above",
        content: (row) => shownP(figureOf(row)) },
      { key: "unchanged", label: "unchanged", title: "Sentences left as they were", sortable: true,
        content: (row) => (row.unchanged == null ? null : `${points(row.unchanged, 0)} %`) },
      { key: "date", label: "Date", kind: "date", sortable: true, content: (row) => row.date || null },
    ];
  }

  /** Return the columns that some row fills; `common` says that most do, `chosen` and `shown` follow the address. */
  function columnsOf(table, rows, metric, human, state) {
    const systems = rows.filter((row) => row.id);
    const all = [
      ...table.metrics.flatMap((name) => [metricColumn(name),
        ...(metricOf(name).columns || []).map((part) => partColumn(name, part))]),
      ...otherColumns(metric, scale(rows, metric), human),
    ].filter((column) => rows.some(column.content));
    const wanted = state.cols ? state.cols.split(",") : null;
    return all.map((column) => {
      const main = column.key === metric;
      const filled = systems.filter(column.content).length;
      const usual = main || (column.key.includes(".") ? column.metric === metric
        : column.key !== "unchanged" && 2 * filled >= systems.length);
      const chosen = wanted !== null && wanted.includes(column.key);
      return { ...column, main, chosen, shown: main || (wanted ? chosen : usual) };
    });
  }

  function columnChooser(columns) {
    const boxes = columns.filter((column) => !column.main).map((column) => [column, el("input",
      { type: "checkbox", value: column.key, checked: column.shown, onchange: pick })]);
    function pick() {
      const keys = boxes.filter(([, box]) => box.checked).map(([column]) => column.key);
      State.set({ cols: keys.join(",") || "none", columns: "open" });
    }
    const open = State.read().columns === "open";
    return el("details", { class: "picker", id: "columns", open }, el("summary", null, "Columns"),
      el("div", { class: "boxes" },
        boxes.map(([column, box]) => el("label", { title: column.title }, box, column.label)),
        el("button", { type: "button", class: "quiet", onclick: () => State.set({ cols: "", columns: "" }) },
          "As usual")));
  }

  return { columnsOf, columnChooser };
});
