"use strict";
// The ranking: one table per corpus and reference set, sortable, filterable, with clusters and the people's row.
GECBENCH.define("table", (use) => {
  const { el, svg, empty, foreign, points, pValue, download } = use("dom");
  const { metricOf, currentTable, chosenMetric, tableData, humanValue, isColumn, sortRows, clusterName } = use("board");
  const { State, select, tableChooser, systemAddress, badges, copyLink } = use("controls");
  const KINDS = [["", "everything"], ["scored", "scored here"], ["reported", "as reported"]];

  /** Columns that only some tables fill: [key, heading, explanation, text of a row]. */
  const EXTRA_COLUMNS = [
    ["ratio", "of human", "Score relative to the people's, against the same references",
      (row, figure) => (figure.ratio == null ? "" : `${points(figure.ratio, 0)} %`)],
    ["p", "p", "Chance of such a difference from the entry above if both were equally good",
      (row, figure) => (figure.p_value == null ? "" : `${pValue(figure.p_value)}${figure.p_value < 0.05 ? "*" : ""}`)],
    ["unchanged", "unchanged", "Sentences left as they were",
      (row) => (row.unchanged == null ? "" : `${points(row.unchanged, 0)} %`)],
  ];

  function matches(row, query) {
    const text = [row.system, row.submitter, row.description, row.date, row.kind].join(" ").toLowerCase();
    return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }

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

  function scoreCell(row, metric, main) {
    const figure = row.scores[metric];
    if (!figure) return el("td", { class: "number none" }, "–");
    const title = [figure.signature, figure.source && figure.source.title].filter(Boolean).join(" ");
    return el("td", { class: main ? "number main" : "number", title: title || null }, points(figure.value),
      figure.low == null ? null : el("small", { class: "interval" }, `${points(figure.low)}–${points(figure.high)}`));
  }

  function header(name, label, order, attributes = {}) {
    const active = order.sort === name;
    const ascending = order.dir === "asc";
    const next = active && !ascending ? "asc" : "desc";
    const [sorted, arrow] = active ? (ascending ? ["ascending", "▲"] : ["descending", "▼"]) : [null, ""];
    return el("th", { scope: "col", "aria-sort": sorted, ...attributes },
      el("button", { type: "button", "data-sort": name, onclick: () => State.set({ sort: name, dir: next }) }, label,
        el("span", { class: "arrow", "aria-hidden": "true" }, arrow)));
  }

  function headerRow(table, metric, order, extra) {
    return el("tr", null,
      el("th", { scope: "col", class: "rank" }, "#"),
      header("system", "System", order, { class: "system" }),
      table.metrics.map((name) => {
        const { title, description } = metricOf(name);
        return header(name, title, order, { class: "number", title: description });
      }),
      el("th", { scope: "col", class: "wide" }, `${metricOf(metric).title}, 95 %`),
      extra.map(([key, label, title]) => (isColumn(key)
        ? header(key, label, order, { class: "number optional", title })
        : el("th", { scope: "col", class: "number optional", title }, label))),
      header("date", "Date", order, { class: "optional" }));
  }

  function rankCell(row, { rank, cluster }) {
    const title = "Cluster: no significant difference from its best system";
    return el("td", { class: "rank" }, row.role === "human" ? "" : String(rank || ""),
      cluster ? el("small", { title }, ` ${clusterName(cluster)}`) : null);
  }

  function rankRow(row, { table, metric, place, human, extra }) {
    const figure = row.scores[metric] || {};
    const name = row.id ? el("a", { href: systemAddress(row) }, foreign(row.system)) : foreign(row.system);
    const classes = [row.role, row.kind, figure.cluster ? `band${figure.cluster % 2}` : ""].join(" ");
    return el("tr", { class: classes, "data-id": row.id },
      rankCell(row, figure),
      el("th", { scope: "row", class: "system", title: row.system.length > 60 ? row.system : null }, name, badges(row),
        row.submitter ? el("small", { class: "submitter" }, foreign(row.submitter)) : null),
      table.metrics.map((each) => scoreCell(row, each, each === metric)),
      el("td", { class: "wide" }, figure.value === undefined ? null : whisker(figure, place, human)),
      extra.map(([, , , text]) => el("td", { class: "number optional" }, text(row, figure))),
      el("td", { class: "date optional" }, row.date));
  }

  /** Buttons that save the rows shown; the lines of the CSV come with the board, as in data/board.csv. */
  function downloads(table, shown) {
    const name = `leaderboard-${table.corpus}-${table.reference_set}`.replace(/[^\w.-]+/g, "-");
    const saveCsv = async ({ target }) => {
      try {
        const { header: head, lines } = await GECBENCH.load(`csv-${table.key}`);
        download(`${name}.csv`, "text/csv", head + shown().map((row) => lines[row.id]).join(""));
      } catch (error) {
        target.textContent = error.message;
      }
    };
    const saveJson = () => download(`${name}.json`, "application/json", JSON.stringify(shown(), null, 1));
    return [["csv", "CSV", saveCsv], ["json", "JSON", saveJson]].map(([id, label, onclick]) => (
      el("button", { type: "button", class: "quiet", id, onclick }, label)));
  }

  async function showTable(main, state) {
    const table = currentTable(state);
    const { rows: records, people } = await tableData(table);
    const metric = chosenMetric(table, state.sort);
    const order = { ...state, sort: state.sort || metric, dir: state.dir || "desc" };
    const systems = records.filter((row) => row.role !== "human" && (!state.kind || row.kind === state.kind));
    const rows = sortRows(people ? [...systems, people] : systems, order.sort, order.dir !== "asc");
    const extra = EXTRA_COLUMNS.filter(([, , , text]) => rows.some((row) => text(row, row.scores[metric] || {})));
    const context = { table, metric, extra, place: scale(rows, metric), human: humanValue(people, metric) };
    const body = el("tbody");
    const status = el("p", { class: "status", role: "status" });
    const filter = el("input", {
      type: "search", id: "filter", value: state.q || "", placeholder: "Name, submitter, year …",
      oninput: () => { State.set({ q: filter.value }, true); draw(); },
    });
    const shown = () => {
      const query = filter.value.trim();
      return query ? rows.filter((row) => matches(row, query)) : rows;
    };
    const count = (some) => some.filter((row) => row.role === "system").length;
    const draw = () => {
      body.replaceChildren(...shown().map((row) => rankRow(row, context)));
      status.textContent = `${count(shown())} of ${count(rows)} systems`;
    };
    main.append(
      el("div", { class: "controls" }, tableChooser(state),
        select("Show", KINDS, state.kind || "", (kind) => State.set({ kind })),
        el("label", { class: "field grow" }, el("span", null, "Filter"), filter)),
      el("div", { class: "actions" }, status, downloads(table, shown), copyLink()));
    if (!rows.length) {
      main.append(empty("No systems yet. Be the first: see Submit."));
      return;
    }
    main.append(
      el("div", { class: "scroll" }, el("table", { class: "ranking" },
        el("thead", null, headerRow(table, metric, order, extra)), body)),
      el("p", { class: "note" }, `Ranked by ${metricOf(metric).title}. Letters and shading mark clusters: a system `
        + "whose difference from the best of its cluster is not significant (approximate randomisation, p < 0.05) "
        + "shares its letter. The line is the 95 % bootstrap interval, the tick the people's score. Published figures "
        + "carry neither."));
    draw();
  }

  return { showTable };
});
