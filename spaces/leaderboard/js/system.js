"use strict";
// One system: who, when, what, how well.
GECBENCH.define("system", (use) => {
  const { el, empty, foreign, outside, points, range, sentence } = use("dom");
  const {
    metricOf, currentTable, tableData, hasDetails, byMerit, findRow, shortId, shownP, clusterName, setLabel,
  } = use("board");
  const { State, select, badges, copyLink, systemOptions, scrolled, dataFiles } = use("controls");
  const { groupFigure, detailed, waysOf } = use("groups");

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
    const sentences = table.sentences ? `, ${table.sentences} sentences` : "";
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
    ["Precision", (figure) => figure.parts && figure.parts.precision != null && points(figure.parts.precision)],
    ["Recall", (figure) => figure.parts && figure.parts.recall != null && points(figure.parts.recall)],
    ["Rank", (figure) => figure.rank],
    ["Cluster", (figure) => figure.cluster && clusterName(figure.cluster)],
    ["p", shownP, "Against the entry above; * below 0.05"],
    ["human", (figure) => figure.human != null && points(figure.human), "People, each against the others"],
    ["beside", (figure) => figure.ratio != null && points(figure.against_others), "The system against the same others"],
    ["of human", (figure) => figure.ratio != null && `${points(figure.ratio, 1)} %`, "beside divided by human"],
  ];

  function figureTable(row, table) {
    const shown = table.metrics.filter((name) => row.scores[name]);
    const columns = COLUMNS.filter(([, text]) => shown.some((name) => text(row.scores[name])));
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
    const bounded = figure.bounded ? ` ${figure.bounded} sentences were bounded: ${sentence(notes.bounded)}` : null;
    return el("li", null, `${metricOf(name).title}: `,
      figure.signature ? el("code", null, figure.signature) : null, cited(figure), bounded);
  }

  return { showSystem };
});
