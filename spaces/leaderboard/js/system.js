"use strict";
// One system: who, when, what, how well.
GECBENCH.define("system", (use) => {
  const { el, empty, foreign, outside, points, pValue } = use("dom");
  const { metricOf, currentTable, tableData, shortId, clusterName, setLabel } = use("board");
  const { State, badges, copyLink } = use("controls");
  const { distanceFigure } = use("plots");

  async function showSystem(main, state) {
    const table = currentTable(state);
    const { rows } = await tableData(table);
    const row = rows.find((each) => state.id && each.id.startsWith(state.id));
    if (!row) {
      main.append(empty("No such system on this board."));
      return;
    }
    const aligned = State.address({ view: "sentences", a: shortId(row), b: "", id: "" });
    const hasSentences = rows.length > 1 && row.outputs && table.texts;
    main.append(
      el("p", null, el("a", { href: State.address({ view: "table", id: "" }) }, "← Ranking")),
      el("h2", { class: "name" }, foreign(row.system), badges(row)),
      ...(row.description ? [el("p", null, foreign(row.description))] : []),
      el("dl", null, facts(row, table).flatMap(([name, value]) => [el("dt", null, name), el("dd", null, value)])),
      el("div", { class: "actions" },
        hasSentences ? el("a", { class: "button", id: "alignment", href: aligned }, "Sentences and alignment") : null,
        copyLink()),
      figureTable(row, table));
    const metric = table.metrics.find((name) => row.scores[name]);
    if (row.outputs && metric) {
      main.append(el("h3", null, `${metricOf(metric).title} by edit distance`), await distanceFigure([row], metric));
    }
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

  /** Columns of the figures: [heading, text of a figure, explanation]. */
  const COLUMNS = [
    ["Score", (figure) => points(figure.value)],
    ["95 % interval", (figure) => (figure.low == null ? "–" : `${points(figure.low)} – ${points(figure.high)}`)],
    ["Rank", (figure) => figure.rank || "–"],
    ["Cluster", (figure) => (figure.cluster ? clusterName(figure.cluster) : "–")],
    ["p", (figure) => pValue(figure.p_value) || "–", "Against the entry above"],
    ["Human", (figure) => points(figure.human)],
    ["of human", (figure) => (figure.ratio == null ? "–" : `${points(figure.ratio, 1)} %`)],
  ];

  function figureTable(row, table) {
    const shown = table.metrics.filter((name) => row.scores[name]);
    const head = el("tr", null, el("th", { scope: "col" }, "Metric"),
      COLUMNS.map(([heading, , title]) => el("th", { scope: "col", class: "number", title }, heading)));
    const lines = shown.map((name) => el("tr", null,
      el("th", { scope: "row", title: metricOf(name).description }, metricOf(name).title),
      COLUMNS.map(([, text], k) => el("td", { class: k ? "number" : "number main" }, text(row.scores[name])))));
    const origins = shown.map((name) => [metricOf(name).title, row.scores[name]])
      .filter(([, figure]) => figure.signature || figure.source);
    return el("div", null,
      el("div", { class: "scroll" }, el("table", { class: "figures" },
        el("thead", null, head), el("tbody", null, lines))),
      el("ul", { class: "origins" }, origins.map(([title, figure]) => el("li", null, `${title}: `,
        figure.signature ? el("code", null, figure.signature) : outside(figure.source.url, figure.source.title)))));
  }

  return { showSystem };
});
