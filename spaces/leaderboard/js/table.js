"use strict";
// The ranking: one table per corpus and reference set, sortable, filterable, with clusters and the people's row.
GECBENCH.define("table", (use) => {
  const { el, empty, foreign, sentence, download } = use("dom");
  const { metricOf, currentTable, chosenMetric, tableData, humanValue, sortRows, clusterName } = use("board");
  const { State, select, tableChooser, systemAddress, badges, copyLink, dataFiles, scrolled } = use("controls");
  const { columnsOf, columnChooser } = use("columns");
  const { reportedBlock } = use("reported");

  function matches(row, query) {
    const text = [row.system, row.submitter, row.description, row.date].join(" ").toLowerCase();
    return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }

  /** Classes of a column's cells; on phones only the score that ranks stays, and what was chosen. */
  function cellClass(column) {
    return [column.kind || "number", column.main ? "main" : column.chosen ? "chosen" : "optional"].join(" ");
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

  function headerRow(order, columns) {
    return el("tr", null,
      el("th", { scope: "col", class: "rank" }, "#"),
      header("system", "System", order, { class: "system" }),
      columns.map((column) => {
        const attributes = { class: cellClass(column), title: column.title };
        return column.sortable ? header(column.key, column.label, order, attributes)
          : el("th", { scope: "col", ...attributes }, column.label);
      }));
  }

  function rankCell({ rank, cluster }) {
    return el("td", { class: "rank" }, String(rank || ""),
      cluster ? el("small", null, ` ${clusterName(cluster)}`) : null);
  }

  function cell(row, column) {
    const content = column.content(row);
    const figure = column.metric && row.scores[column.metric];
    return el("td", { class: cellClass(column) + (content === null ? " none" : ""), title: figure && figure.signature,
      "data-label": column.label }, content === null && row.id ? "–" : content);
  }

  function rankRow(row, columns, metric) {
    const figure = row.scores[metric] || {};
    const name = row.id ? el("a", { href: systemAddress(row) }, foreign(row.system)) : foreign(row.system);
    const below = [...badges(row, figure), row.submitter ? foreign(row.submitter) : null].filter(Boolean);
    const classes = [row.role, figure.cluster ? `band${figure.cluster % 2}` : ""].join(" ").trim();
    return el("tr", { class: classes, "data-id": row.id },
      rankCell(figure),
      el("th", { scope: "row", class: "system", title: row.system.length > 40 ? row.system : null }, name,
        below.length ? el("small", { class: "below" }, below) : null),
      columns.map((column) => cell(row, column)));
  }

  /** A button that saves the rows shown; the lines of the CSV come with the board, as in data/board.csv. */
  function saveCsv(table, shown) {
    const name = `leaderboard-${table.corpus}-${table.reference_set}.csv`.replace(/[^\w.-]+/g, "-");
    const save = async ({ target }) => {
      try {
        const { header: head, lines } = await GECBENCH.load(`csv-${table.key}`);
        download(name, "text/csv", head + shown().map((row) => lines[row.id]).join(""));
      } catch (error) {
        target.textContent = error.message;
      }
    };
    return el("button", { type: "button", class: "quiet", id: "csv", onclick: save }, "CSV");
  }

  /** What the marks in the table mean, of those that it has. */
  function notes(rows, metric, columns) {
    const { notes: known, sealed, digits } = GECBENCH.board();
    const figures = rows.map((row) => row.scores[metric]).filter(Boolean);
    const about = (key, text) => {
      const column = columns.find((each) => each.key === key && each.shown);
      return column && [text, column.chosen ? null : "optional"];
    };
    const found = [
      [`Ranked by ${metricOf(metric).title}.`],
      figures.some((figure) => figure.cluster) && [`Letters and shading mark clusters. ${known.cluster}`],
      about("interval", "The bar is the 95 % bootstrap interval, the tick people's score."),
      about("p", known.p),
      about("ratio", known.human),
      rows.some((row) => Object.values(row.scores).some((figure) => figure.bounded)) && [`† ${known.bounded}`],
      sealed && ["References and outputs are not published here: scores are of the whole corpus only"
        + (digits === 1 ? ", to a tenth of a point." : ".")],
    ];
    return el("ul", { class: "note notes" },
      found.filter(Boolean).map(([note, kind]) => el("li", { class: kind }, sentence(note))));
  }

  async function showTable(main, state) {
    const table = currentTable(state);
    const { rows: records, people, reported } = await tableData(table);
    const metric = chosenMetric(table, state.sort);
    const order = { sort: state.sort || metric, dir: state.dir || "desc" };
    const rows = sortRows(people ? [...records, people] : records, order.sort, order.dir !== "asc");
    const columns = columnsOf(table, rows, metric, humanValue(people, metric), state);
    const visible = columns.filter((column) => column.shown);
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
      body.replaceChildren(...shown().map((row) => rankRow(row, visible, metric)));
      status.textContent = `${count(shown())} of ${count(rows)} systems`;
    };
    const metrics = table.metrics.filter((name) => rows.some((row) => row.scores[name]));
    main.append(el("div", { class: "controls" }, tableChooser(state),
      rows.length ? select("Rank by", metrics.map((name) => [name, metricOf(name).title]), metric,
        (sort) => State.set({ sort, dir: "" })) : null,
      rows.length ? el("label", { class: "field grow" }, el("span", null, "Filter"), filter) : null));
    if (rows.length) {
      const folds = visible.filter((column) => column.chosen).length > 1;
      const head = el("thead", null, headerRow(order, visible));
      const ranking = el("table", { class: folds ? "ranking folds" : "ranking" }, head, body);
      main.append(el("div", { class: "actions" }, status, columnChooser(columns), saveCsv(table, shown), copyLink()),
        scrolled("Ranking", ranking), notes(rows, metric, columns));
      draw();
    } else if (!reported.length) {
      main.append(empty("No systems yet. Be the first: see Submit."));
    }
    main.append(reportedBlock(reported, rows), dataFiles([`table-${table.key}`]));
  }

  return { showTable };
});
