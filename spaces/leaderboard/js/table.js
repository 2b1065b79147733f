"use strict";
// The ranking: one table per corpus and reference set that can be sorted and filtered. Human entries are one line, or
// with a switch a line each. Below the ranking are the results that others reported, with their sources.
GECBENCH.define("table", (use) => {
  const { el, svg, empty, foreign, outside, points, range, sentence, counted, download } = use("dom");
  const {
    metricOf, currentTable, chosenMetric, tableData, humanMean, valueOf, sortRows, shownAdjusted, clusterName,
    corpusLabel, State, select, tableChooser, systemAddress, badges, scrolled, dataFiles, copyLink, picker,
  } = use("board");

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
    const line = (kind, x1, x2 = x1, y1 = 8, y2 = 8) => svg("line", { class: kind, x1, x2, y1, y2 });
    const x = place(figure.value);
    return svg("svg", { class: "whisker", viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" },
      line("rail", 0, 100),
      human === null ? null : line("human", place(human), place(human), 0, 16),
      figure.low == null ? null : line("range", place(figure.low), place(figure.high)),
      line("dot", x, x, 2, 14));
  }

  function smaller(text) {
    return el("small", null, text);
  }

  /** The column of a metric. The ranking metric shows its intervals below the scores, other metrics in tooltips. */
  function metricColumn(name, ranking) {
    const { title, description } = metricOf(name);
    const value = (row) => row.scores[name];
    const content = (figure) => [points(figure.value), figure.capped ? "†" : null,
      figure.low == null || name !== ranking ? null : smaller(range(figure.low, figure.high))];
    return { key: name, label: title, title: description, sortable: true, metric: name, value, content };
  }

  function partColumn(metric, part) {
    const key = `${metric}.${part}`;
    const { title, part_titles: titles = {}, lower_is_better: rates = [] } = metricOf(metric);
    const value = (row) => valueOf(row, key);
    const initial = (titles[part] || part)[0].toUpperCase();
    const label = titles[part] ? initial + titles[part].slice(1) : `${title} ${initial}`;
    const rate = rates.includes(part);
    const words = `${title}: ${titles[part] || part}${rate ? " rate, lower is better" : ""}`;
    return { key, label, title: words, sortable: true, metric, value, content: (share) => points(share), rate };
  }

  /** Columns about the metric that ranks, and about the system. */
  function otherColumns(metric, place, human) {
    const { title } = metricOf(metric);
    const figureOf = (row) => row.scores[metric] || {};
    return [
      { key: "interval", label: `${title}, 95% interval`, kind: "wide",
        value: (row) => figureOf(row).low, content: (_, row) => whisker(figureOf(row), place, human) },
      { key: "ratio", label: "% human",
        title: "The system's score against all annotators except one, divided by the human score (the mean score "
          + "of one annotator against the others)",
        value: (row) => figureOf(row).ratio, content: (ratio, row) => [`${points(ratio, 1)}%`,
          smaller(`${points(figureOf(row).against_others)} / ${points(figureOf(row).human)}`)] },
      { key: "p", label: "p",
        title: "p-value of the test against the first system of its cluster; the first system is tested against the "
          + "first system of the cluster above",
        value: (row) => figureOf(row).p_text },
      { key: "p_adjusted", label: "p (Holm)",
        title: "p, adjusted by Holm's method for all tests against the same system",
        value: (row) => shownAdjusted(figureOf(row)) },
      { key: "unchanged", label: "unchanged", title: "Share of unchanged sentences", sortable: true,
        value: (row) => row.unchanged, content: (share) => `${points(share, 0)}%` },
      ...[["year", "Year"], ["approach", "Approach"], ["size", "Size"], ["open_weights", "Weights"],
        ["date", "Submitted"]].map(([key, label]) => ({ key, label, kind: "date", sortable: true,
        value: (row) => row[key], content: (about) => ABOUT[about] || String(about) })),
    ];
  }

  /** Whether a row fills a column. */
  function fills(row, column) {
    const value = column.value(row);
    return value != null && value !== "";
  }

  /** Return the columns that at least one row fills. `chosen` and `shown` depend on the address. */
  function columnsOf(table, rows, metric, human, state) {
    const systems = rows.filter((row) => row.role === "system");
    const all = [
      ...table.metrics.flatMap((name) => [metricColumn(name, metric),
        ...(metricOf(name).columns || []).map((part) => partColumn(name, part))]),
      ...otherColumns(metric, scale(rows, metric), human),
    ].filter((column) => rows.some((row) => fills(row, column)));
    const wanted = state.cols ? state.cols.split(",") : null;
    return all.map((column) => {
      const main = column.key === metric;
      const filled = systems.filter((row) => fills(row, column)).length;
      const part = column.key.includes(".") && (column.metric === metric || column.rate);
      const usual = main || part || (!column.key.includes(".") && !RARE.includes(column.key)
        && 2 * filled >= systems.length);
      const chosen = wanted !== null && wanted.includes(column.key);
      return { ...column, main, chosen, ranking: metric, shown: main || (wanted ? chosen : usual) };
    });
  }

  const ABOUT = { true: "open", false: "closed" };
  const RARE = ["unchanged", "p", "date", "size", "open_weights"];

  function columnChooser(columns) {
    const boxes = columns.filter((column) => !column.main).map((column) => [column, el("input",
      { type: "checkbox", value: column.key, checked: column.shown, onchange: pick })]);
    function pick() {
      const keys = boxes.filter(([, box]) => box.checked).map(([column]) => column.key);
      State.replace({ cols: keys.join(",") || "none" });
    }
    return picker("columns", "Columns",
      boxes.map(([column, box]) => el("label", { title: column.title }, box, column.label)),
      el("button", { type: "button", class: "quiet", onclick: () => State.replace({ cols: "" }) }, "Default columns"));
  }

  /** Return a function that gives each source of a figure a number, and a map of the numbered sources. */
  function numbered() {
    const found = new Map();
    const numberOf = ({ source, differs }) => {
      const key = JSON.stringify([source, differs]);
      if (!found.has(key)) found.set(key, { source, differs });
      return [...found.keys()].indexOf(key) + 1;
    };
    return [numberOf, found];
  }

  function reportedFigures(row, numberOf) {
    return Object.entries(row.scores).map(([metric, figure]) => el("span", { class: "pair-of" },
      `${metricOf(metric).title} `, el("b", null, points(figure.value, 2)), el("sup", null, String(numberOf(figure)))));
  }

  function reportedLine(row, numberOf) {
    return el("tr", { class: row.role },
      el("th", { scope: "row" }, el("a", { href: systemAddress(row) }, foreign(row.system))),
      el("td", null, reportedFigures(row, numberOf)));
  }

  function origin({ source, differs }) {
    return el("li", null, source ? outside(source.url, source.title) : null, differs ? `: ${differs}` : null);
  }

  /** The block of reported results, or "" if there are none. */
  function reportedBlock(rows, scored) {
    if (!rows.length) return "";
    const [numberOf, sources] = numbered();
    const lines = rows.map((row) => reportedLine(row, numberOf));
    return el("details", { class: "block", id: "reported", open: !scored.length },
      el("summary", null, el("h2", null, `As reported elsewhere (${rows.length})`)),
      el("p", { class: "note" }, sentence(GECBENCH.board().notes.reported)),
      el("table", { class: "figures" },
        el("thead", null, el("tr", null, ["System", "Scores"].map((label) => el("th", { scope: "col" }, label)))),
        el("tbody", null, lines)),
      el("ol", { class: "origins" }, [...sources.values()].map(origin)));
  }

  function matches(row, query) {
    const text = [row.system, row.submitter, row.description, row.year, row.approach].join(" ").toLowerCase();
    return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }

  /** Classes of a column's cells. Narrow screens show only chosen columns and columns of the ranking metric. */
  function cellClass(column) {
    const shown = column.main ? "main" : column.chosen ? "chosen" : column.metric === column.ranking ? "optional"
      : "optional rest";
    return [column.kind || "number", shown].join(" ");
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
    const value = fills(row, column) ? column.value(row) : null;
    const content = value === null || !column.content ? value : column.content(value, row);
    const figure = column.metric && row.scores[column.metric];
    const interval = figure && figure.low != null ? `${range(figure.low, figure.high)}\n` : "";
    const title = figure && figure.signature ? interval + figure.signature : null;
    return el("td", { class: cellClass(column) + (content === null ? " none" : ""), title,
      "data-label": column.label }, content === null && !row.line ? "–" : content);
  }

  function rankRow(row, columns, metric) {
    const figure = row.scores[metric] || {};
    const name = row.line ? foreign(row.system) : el("a", { href: systemAddress(row) }, foreign(row.system));
    const below = [...(row.line ? [] : badges(row, figure)), row.submitter ? foreign(row.submitter) : null]
      .filter(Boolean);
    const band = figure.cluster ? `band${figure.cluster % 2}` : "";
    const classes = [row.line || row.role, band].join(" ").trim();
    return el("tr", { class: classes, "data-id": row.id },
      rankCell(figure),
      el("th", { scope: "row", class: "system", title: row.system.length > 40 ? row.system : null }, name,
        below.length ? el("small", { class: "below" }, below) : null),
      columns.map((column) => cell(row, column)));
  }

  /** A button that saves the shown rows as CSV, with the same lines as in data/board.csv. */
  function saveCsv(table, shown) {
    const name = `leaderboard-${table.corpus}-${table.reference_set}.csv`.replace(/[^\w.-]+/g, "-");
    const save = async ({ target }) => {
      try {
        const { header: head, lines } = await GECBENCH.load(`csv-${table.key}`);
        const ids = [...shown().filter((row) => !row.line).map((row) => row.id), ""];
        download(name, "text/csv", head + ids.map((id) => lines[id] || "").join(""));
      } catch (error) {
        target.textContent = error.message;
      }
    };
    return el("button", { type: "button", class: "quiet", id: "csv", onclick: save }, "CSV");
  }

  /** Explanations of the marks that the table has. */
  function notes(table, rows, people, metric, columns) {
    const { notes: known, sealed, digits } = GECBENCH.board();
    const figures = rows.map((row) => row.scores[metric]).filter(Boolean);
    const about = (key, text) => {
      const column = columns.find((each) => each.key === key && each.shown);
      return column && [text, column.chosen ? null : "optional"];
    };
    const found = [
      [`Ranked by ${metricOf(metric).title}.`],
      figures.some((figure) => figure.cluster) && [`Letters and shading mark clusters. ${known.cluster}`],
      rows.some((row) => row.line) && ["The dashed row is the mean of the human rewrites, scored against the same "
        + "references as the systems."],
      people && people.scores[metric] && figures.some((figure) => figure.ratio != null)
        && [`The mean ${metricOf(metric).title} of one annotator against the others is `
          + `${points(people.scores[metric].value)}. Annotators have one reference fewer than systems, so compare them `
          + "with systems in the column % human."],
      about("interval", "The bar is the 95% bootstrap interval, and the mark on it is the score."
        + (table.sentences && table.sentences < 300
          ? " With fewer than 300 sentences, the interval is too narrow." : "")),
      about("p", known.p),
      about("p_adjusted", known.p_adjusted),
      about("ratio", known.human),
      rows.some((row) => Object.values(row.scores).some((figure) => figure.capped)) && [`† ${known.capped}`],
      sealed && ["References and outputs are not published here. The page has only scores of the whole corpus"
        + (digits === 1 ? ", rounded to 0.1." : ".")],
    ];
    return el("ul", { class: "note notes" },
      found.filter(Boolean).map(([note, kind]) => el("li", { class: kind }, sentence(note))));
  }

  /** The row with the mean of all human entries, which are scored against the same references as the systems. */
  function humanLine(records, table) {
    const human = records.filter((row) => row.role === "human");
    const scores = Object.fromEntries(table.metrics.map((metric) => [metric, humanMean(records, metric)])
      .filter(([, value]) => value !== null)
      .map(([metric, value]) => [metric, { value, parts: Object.fromEntries((metricOf(metric).columns || [])
        .map((part) => [part, humanMean(records, `${metric}.${part}`)])) }]));
    const system = `Human rewrites, mean of ${human.length}`;
    return { line: "human line", id: "", system, role: "human", submitter: "", scores };
  }

  /** The row of annotators against each other. It is separate, because they have fewer references than systems. */
  function annotatorRow({ scores }) {
    return { line: "human apart", id: "", system: "Annotators against each other", role: "human", submitter: "",
      scores: Object.fromEntries(Object.entries(scores).map(([name, { value }]) => [name, { value }])) };
  }

  /** Filters by approach, year and weights, for the facts that are known about the systems. */
  function aboutFilters(rows, state) {
    const systems = rows.filter((row) => row.role === "system");
    const known = (name) => [...new Set(systems.map((row) => row[name]).filter(Boolean))].sort();
    const any = [["", "any"]];
    const [approaches, years] = [known("approach"), known("year")];
    const chooser = (label, name, options) => select(label, [...any, ...options], state[name] || "",
      (value) => State.set({ [name]: value }));
    return [
      approaches.length > 1 ? chooser("Approach", "approach", approaches.map((each) => [each, each])) : null,
      years.length > 1 ? chooser("Since", "since", years.map((each) => [String(each), String(each)])) : null,
      systems.some((row) => row.open_weights != null)
        ? chooser("Weights", "weights", [["open", "open"], ["closed", "closed"]]) : null,
    ];
  }

  function fits(row, { approach, since, weights }) {
    if (row.role !== "system") return true;
    return (!approach || row.approach === approach) && (!since || row.year >= Number(since))
      && (!weights || row.open_weights === (weights === "open"));
  }

  /** A paragraph about the corpus: its size, its license and how to cite it. */
  function aboutCorpus(table) {
    const noun = table.sentences === 1 ? "sentence" : "sentences";
    const facts = [
      `${corpusLabel(table)}: ${table.set_title || "all references"}`,
      table.sentences ? `${table.sentences.toLocaleString("en")} ${noun}` : null,
      table.license ? `license: ${table.license}` : null,
    ].filter(Boolean).join(", ");
    return el("p", { class: "note corpus" }, `${facts}.`, table.citation ? ` Cite ${sentence(table.citation)}` : null,
      table.homepage ? [" ", outside(table.homepage, "Homepage"), "."] : null);
  }

  /** A switch that shows each human entry instead of their mean. */
  function humanSwitch(records, state) {
    const count = records.filter((row) => row.role === "human").length;
    if (!count) return null;
    const box = el("input", { type: "checkbox", id: "people", checked: state.people === "1",
      onchange: () => State.set({ people: box.checked ? "1" : "" }) });
    return el("label", { class: "switch" }, box, `Human rewrites (${count})`);
  }

  /** The number of rows in the first frame. The other rows are drawn after it, so that a long table responds fast. */
  const FIRST = 40;

  function afterFrame(draw) {
    requestAnimationFrame(() => setTimeout(draw));
  }

  async function showTable(main, state) {
    const table = currentTable(state);
    const { rows: records, people, reported } = await tableData(table);
    const metric = chosenMetric(table, state.sort);
    const order = { sort: state.sort || metric, dir: state.dir || "desc" };
    const entries = state.people === "1" ? records : records.filter((row) => row.role !== "human");
    const hidden = entries.length < records.length;
    const rows = sortRows(hidden ? [...entries, humanLine(records, table)] : entries, order.sort, order.dir !== "asc");
    const annotators = people && !hidden ? [annotatorRow(people)] : [];
    const columns = columnsOf(table, rows, metric, humanMean(records, metric), state);
    const visible = columns.filter((column) => column.shown);
    const body = el("tbody");
    const status = el("p", { class: "status", role: "status" });
    const filter = el("input", {
      type: "search", id: "filter", value: state.q || "", placeholder: "Name, submitter, year …",
      oninput: () => { State.set({ q: filter.value }, true); draw(); },
    });
    const shown = () => {
      const query = filter.value.trim();
      return rows.filter((row) => fits(row, state) && (!query || matches(row, query)));
    };
    const count = (some) => some.filter((row) => row.role === "system").length;
    let drawing = 0;
    const draw = () => {
      const mine = ++drawing;
      const lines = [...shown(), ...annotators];
      const part = (...places) => lines.slice(...places).map((row) => rankRow(row, visible, metric));
      body.replaceChildren(...part(0, FIRST));
      if (lines.length > FIRST) afterFrame(() => mine === drawing && body.append(...part(FIRST)));
      status.textContent = count(rows) ? `${count(shown())} of ${counted(count(rows), "system")}` : "No systems yet";
    };
    const metrics = table.metrics.filter((name) => rows.some((row) => row.scores[name]));
    main.append(el("div", { class: "controls" }, tableChooser(state),
      rows.length ? select("Rank by", metrics.map((name) => [name, metricOf(name).title]), metric,
        (sort) => State.set({ sort, dir: "" })) : null,
      aboutFilters(records, state),
      rows.length ? el("label", { class: "field grow" }, el("span", null, "Filter"), filter) : null));
    main.append(aboutCorpus(table));
    if (rows.length) {
      const folds = visible.filter((column) => column.chosen).length > 1;
      const head = el("thead", null, headerRow(order, visible));
      const ranking = el("table", { class: folds ? "ranking folds" : "ranking" }, head, body);
      const frame = scrolled("Ranking", ranking);
      frame.classList.add("tall");
      main.append(el("div", { class: "actions" }, status, humanSwitch(records, state), columnChooser(columns),
        saveCsv(table, shown), copyLink()), frame, notes(table, rows, people, metric, columns));
      draw();
    } else if (!reported.length) {
      main.append(empty("No systems yet. To add the first one, see Submit."));
    }
    main.append(reportedBlock(reported, rows), dataFiles([`table-${table.key}`]));
  }

  return { showTable };
});
