"use strict";
// Two systems side by side; the address names them.
GECBENCH.define("compare", (use) => {
  const { el, empty, foreign, points, range } = use("dom");
  const { metricOf, currentTable, tableData, hasDetails, byMerit, findRow, shortId } = use("board");
  const { State, select, tableChooser, systemAddress, systemOptions, copyLink, scrolled, dataFiles } = use("controls");
  const { groupFigure, detailed, waysOf } = use("groups");

  async function showCompare(main, state) {
    const table = currentTable(state);
    const { rows: all } = await tableData(table);
    const rows = byMerit(all, table);
    const controls = el("div", { class: "controls" }, tableChooser(state));
    main.append(controls);
    if (rows.length < 2) {
      main.append(empty("There are no two systems to compare."));
      return;
    }
    const a = findRow(rows, state.a) || rows[0];
    const b = findRow(rows, state.b) || rows.find((row) => row !== a);
    controls.append(
      select("System A", systemOptions(rows), shortId(a), (id) => State.set({ a: id, b: shortId(b) })),
      select("System B", systemOptions(rows), shortId(b), (id) => State.set({ a: shortId(a), b: id })));
    main.append(actions(a, b, table), figures(a, b, table));
    const both = [a, b].every((row) => hasDetails(table, row));
    const systems = both ? await detailed([a, b]) : [];
    for (const [by, label, field] of waysOf(systems)) {
      const metric = table.metrics.find((name) => systems.every(([, details]) => (details[field] || {})[name]));
      if (!metric) continue;
      main.append(el("h3", null, `${metricOf(metric).title} by ${label}`), groupFigure(systems, by, metric));
    }
    main.append(dataFiles([`table-${table.key}`, ...systems.map(([row]) => `system-${row.id}`)]));
  }

  function actions(a, b, table) {
    const [left, right] = [shortId(a), shortId(b)];
    return el("div", { class: "actions" },
      el("a", { class: "button", href: State.address({ a: right, b: left }) }, "Swap"),
      [a, b].every((row) => hasDetails(table, row))
        ? el("a", { class: "button", href: State.address({ view: "sentences", a: left, b: right }) }, "Sentences")
        : null,
      copyLink());
  }

  function valueCell(figure, part, better) {
    const value = figure && (part ? (figure.parts || {})[part] : figure.value);
    if (value == null) return el("td", { class: "number none" }, "–");
    return el("td", { class: better ? "number main" : "number" }, points(value),
      part || figure.low == null ? null : el("small", null, range(figure.low, figure.high)));
  }

  function line(a, b, name, part) {
    const pair = [a, b].map((row) => row.scores[name]);
    const values = pair.map((figure) => figure && (part ? (figure.parts || {})[part] : figure.value));
    const both = values.every((value) => value != null);
    const label = part ? el("small", null, part) : metricOf(name).title;
    const sign = both && values[0] > values[1] ? "+" : "";
    return el("tr", null, el("th", { scope: "row" }, label),
      pair.map((figure, k) => valueCell(figure, part, both && values[k] > values[1 - k])),
      el("td", { class: both ? "number" : "number none" }, both ? sign + points(values[0] - values[1]) : "–"));
  }

  function figures(a, b, table) {
    const shown = table.metrics.filter((name) => a.scores[name] || b.scores[name]);
    const heading = (row, letter) => el("th", { scope: "col", class: "number" }, `${letter}: `,
      el("a", { href: systemAddress(row) }, foreign(row.system)));
    return el("div", null,
      scrolled("Scores of both", el("table", { class: "figures metrics" },
        el("thead", null, el("tr", null, el("th", { scope: "col" }, "Metric"), heading(a, "A"), heading(b, "B"),
          el("th", { scope: "col", class: "number" }, "A − B"))),
        el("tbody", null, shown.flatMap((name) => [line(a, b, name),
          ...(metricOf(name).columns || []).map((part) => line(a, b, name, part))])))),
      el("p", { class: "note" }, "Below each score its 95 % bootstrap interval; the better score is bold, whether or "
        + "not the difference is significant (that takes a paired test: gecbench compare)."));
  }

  return { showCompare };
});
