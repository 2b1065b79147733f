"use strict";
// One system: who, when, what, how well; and two side by side. The address names them.
GECBENCH.define("systems", (use) => {
  const { el, empty, foreign, outside, points, range, sentence, counted } = use("dom");
  const {
    metricOf, currentTable, tableData, hasDetails, byMerit, findRow, shortId, shownAdjusted, clusterName, setLabel,
    State, select, tableChooser, systemAddress, systemOptions, badges, scrolled, dataFiles, copyLink,
  } = use("board");
  const { groupFigure, detailed, waysOf } = use("charts");

  async function showSystem(main, state) {
    const table = currentTable(state);
    const { rows, reported } = await tableData(table);
    const row = findRow([...rows, ...reported], state.id);
    if (!row) {
      main.append(empty("No such system on this board."));
      return;
    }
    main.append(
      el("p", null, el("a", { href: State.address({ view: "table", id: "" }) }, "← Ranking")),
      el("h2", { class: "name" }, foreign(row.system), badges(row)),
      ...(row.description ? [el("p", null, foreign(row.description))] : []),
      el("dl", null, facts(row, table).flatMap(([name, value]) => [el("dt", null, name), el("dd", null, value)])),
      actions(row, rows, table),
      figureTable(row, table));
    const systems = hasDetails(table, row) ? await detailed([row]) : [];
    for (const [by, label, field] of waysOf(systems)) {
      const metric = table.metrics.find((name) => systems[0][1][field][name]);
      main.append(el("h3", null, `${metricOf(metric).title} by ${label}`), groupFigure(systems, by, metric));
    }
    main.append(dataFiles([`table-${table.key}`, ...systems.map(() => `system-${row.id}`)]));
  }

  function facts(row, table) {
    const sentences = table.sentences ? `, ${counted(table.sentences, "sentence")}` : "";
    return [
      ["Corpus", `${table.corpus}, ${setLabel(table.reference_set)}${sentences}`],
      ["Date", row.date],
      ["Submitter", row.submitter && foreign(row.submitter)],
      ["Unchanged sentences", row.unchanged == null ? "" : `${points(row.unchanged, 1)} %`],
      ["Links", row.links.length ? row.links.flatMap((link) => [outside(link.url, link.title || link.url), " "]) : ""],
      ["Record", el("code", { title: row.id }, shortId(row))],
    ].filter(([, value]) => value);
  }

  function actions(row, rows, table) {
    const others = byMerit(rows.filter((other) => other.id !== row.id), table);
    const here = { a: shortId(row), id: "" };
    const compare = row.kind === "scored" && others.length
      ? select("Compare with", [["", "choose …"], ...systemOptions(others)], "",
        (b) => State.set({ ...here, view: "compare", b })) : null;
    const sentences = hasDetails(table, row) && others.length
      ? el("a", { class: "button", id: "alignment", href: State.address({ ...here, view: "sentences", b: "" }) },
        "Sentences and alignment") : null;
    return el("div", { class: "actions" }, compare, sentences, copyLink());
  }

  /** Columns of the figures: [heading, text of a figure or nothing, explanation]; those that are empty are left out. */
  const COLUMNS = [
    ["Score", (figure) => points(figure.value)],
    ["95 % interval", (figure) => figure.low != null && range(figure.low, figure.high)],
    ["Rank", (figure) => figure.rank],
    ["Cluster", (figure) => figure.cluster && clusterName(figure.cluster)],
    ["p", (figure) => figure.p_text, "Against the entry above"],
    ["p (Holm)", shownAdjusted, "Against the entry above, adjusted for all comparisons; * below 0.05"],
    ["human", (figure) => figure.human != null && points(figure.human), "People, each against the others"],
    ["beside", (figure) => figure.ratio != null && points(figure.against_others), "The system against the same others"],
    ["of human", (figure) => figure.ratio != null && `${points(figure.ratio, 1)} %`, "beside divided by human"],
  ];

  /** Return the columns of the parts that metrics show beside their scores, such as precision. */
  function partColumns(metrics) {
    const parts = new Set(metrics.flatMap((name) => metricOf(name).columns || []));
    return [...parts].map((part) => [part[0].toUpperCase() + part.slice(1),
      (figure) => figure.parts && figure.parts[part] != null && points(figure.parts[part])]);
  }

  function figureTable(row, table) {
    const shown = table.metrics.filter((name) => row.scores[name]);
    const columns = [...COLUMNS.slice(0, 2), ...partColumns(shown), ...COLUMNS.slice(2)]
      .filter(([, text]) => shown.some((name) => text(row.scores[name])));
    const head = el("tr", null, el("th", { scope: "col" }, "Metric"),
      columns.map(([heading, , title]) => el("th", { scope: "col", class: "number", title }, heading)));
    const lines = shown.map((name) => el("tr", null,
      el("th", { scope: "row", title: metricOf(name).description }, metricOf(name).title),
      columns.map(([heading, text], k) => {
        const written = text(row.scores[name]);
        const kind = k ? "number" : "number main";
        return el("td", { class: written ? kind : `${kind} none`, "data-label": heading }, written || "–");
      })));
    return el("div", null,
      scrolled("Scores", el("table", { class: "figures folds" }, el("thead", null, head), el("tbody", null, lines))),
      el("ul", { class: "origins" }, shown.map((name) => origin(name, row.scores[name])),
        Object.entries(row.reported || {}).map(([name, figure]) => el("li", null,
          `${metricOf(name).title} as reported: ${points(figure.value, 2)}, `, cited(figure)))));
  }

  function cited({ source, differs }) {
    return [source ? outside(source.url, source.title) : null, differs ? ` – ${differs}` : null];
  }

  /** How a figure was made: its signature or source, and what to know about it. */
  function origin(name, figure) {
    const { notes } = GECBENCH.board();
    const capped = figure.capped ? ` ${figure.capped} capped: ${sentence(notes.capped)}` : null;
    return el("li", null, `${metricOf(name).title}: `,
      figure.signature ? el("code", null, figure.signature) : null, cited(figure), capped);
  }

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
    main.append(pairActions(a, b, table), pairTable(a, b, table));
    const both = [a, b].every((row) => hasDetails(table, row));
    const systems = both ? await detailed([a, b]) : [];
    for (const [by, label, field] of waysOf(systems)) {
      const metric = table.metrics.find((name) => systems.every(([, details]) => (details[field] || {})[name]));
      if (!metric) continue;
      main.append(el("h3", null, `${metricOf(metric).title} by ${label}`), groupFigure(systems, by, metric));
    }
    main.append(dataFiles([`table-${table.key}`, ...systems.map(([row]) => `system-${row.id}`)]));
  }

  function pairActions(a, b, table) {
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

  function pairLine(a, b, name, part) {
    const pair = [a, b].map((row) => row.scores[name]);
    const values = pair.map((figure) => figure && (part ? (figure.parts || {})[part] : figure.value));
    const both = values.every((value) => value != null);
    const label = part ? el("small", null, part) : metricOf(name).title;
    const sign = both && values[0] > values[1] ? "+" : "";
    const direction = (metricOf(name).lower_is_better || []).includes(part) ? -1 : 1;
    const better = (k) => both && direction * (values[k] - values[1 - k]) > 0;
    return el("tr", null, el("th", { scope: "row" }, label),
      pair.map((figure, k) => valueCell(figure, part, better(k))),
      el("td", { class: both ? "number" : "number none" }, both ? sign + points(values[0] - values[1]) : "–"));
  }

  function pairTable(a, b, table) {
    const shown = table.metrics.filter((name) => a.scores[name] || b.scores[name]);
    const heading = (row, letter) => el("th", { scope: "col", class: "number" }, `${letter}: `,
      el("a", { href: systemAddress(row) }, foreign(row.system)));
    return el("div", null,
      scrolled("Scores of both", el("table", { class: "figures metrics" },
        el("thead", null, el("tr", null, el("th", { scope: "col" }, "Metric"), heading(a, "A"), heading(b, "B"),
          el("th", { scope: "col", class: "number" }, "A − B"))),
        el("tbody", null, shown.flatMap((name) => [pairLine(a, b, name),
          ...(metricOf(name).columns || []).map((part) => pairLine(a, b, name, part))])))),
      el("p", { class: "note" }, "Below each score its 95 % bootstrap interval; the better score is bold, whether or "
        + "not the difference is significant (that takes a paired test: gecbench compare)."));
  }

  return { showSystem, showCompare };
});
