"use strict";
// One system: who, when, what, how well.

GECBENCH.views.system = async (main, state) => {
  const table = currentTable(state);
  const rows = await rowsOf(table);
  const row = rows.find((each) => state.id && each.id.startsWith(state.id));
  if (!row) {
    main.append(el("p", { class: "empty" }, "No such system on this board."));
    return;
  }
  const facts = [
    ["Corpus", `${table.corpus}, ${setLabel(table.reference_set)}${table.sentences ? `, ${table.sentences} sentences` : ""}`],
    ["Date", row.date],
    ["Submitter", row.submitter && foreign(row.submitter)],
    ["Unchanged sentences", row.unchanged == null ? "" : `${points(row.unchanged, 1)} %`],
    ["Links", row.links.length ? row.links.map((link) => [outside(link.url, link.title || link.url), " "]).flat() : ""],
    ["Record", el("code", { title: row.id }, row.id.slice(0, 12))],
  ].filter(([, value]) => value);
  const above = rows.length > 1 && row.outputs && table.texts;
  main.append(
    el("p", null, el("a", { href: State.address({ view: "table", id: "" }) }, "← Ranking")),
    el("h2", { class: "name" }, foreign(row.system), badges(row)),
    row.description ? el("p", null, foreign(row.description)) : null,
    el("dl", null, facts.map(([name, value]) => [el("dt", null, name), el("dd", null, value)]).flat(2)),
    el("div", { class: "actions" },
      above ? el("a", { class: "button", id: "alignment", href: State.address({ view: "sentences", a: row.id.slice(0, 12), b: "", id: "" }) }, "Sentences and alignment") : null,
      copyLink()),
    figureTable(row, table));
  const metric = table.metrics.find((name) => row.scores[name]);
  if (row.outputs && metric) {
    main.append(el("h3", null, `${metricOf(metric).title} by edit distance`), await distanceFigure([row], metric));
  }
};

function figureTable(row, table) {
  const head = ["Metric", "Score", "95 % interval", "Rank", "Cluster", "p", "Human", "of human"];
  const line = (name) => {
    const figure = row.scores[name];
    return el("tr", null, el("th", { scope: "row", title: metricOf(name).description }, metricOf(name).title),
      el("td", { class: "number main" }, points(figure.value)),
      el("td", { class: "number" }, figure.low == null ? "–" : `${points(figure.low)} – ${points(figure.high)}`),
      el("td", { class: "number" }, figure.rank || "–"), el("td", { class: "number" }, figure.cluster ? clusterName(figure.cluster) : "–"),
      el("td", { class: "number" }, pValue(figure.p_value) || "–"), el("td", { class: "number" }, points(figure.human)),
      el("td", { class: "number" }, figure.ratio == null ? "–" : `${points(figure.ratio, 1)} %`));
  };
  const shown = table.metrics.filter((name) => row.scores[name]);
  const origins = shown.map((name) => [metricOf(name).title, row.scores[name]]).filter(([, figure]) => figure.signature || figure.source);
  return el("div", null,
    el("div", { class: "scroll" }, el("table", { class: "figures" }, el("thead", null, el("tr", null, head.map((text, k) => el("th", { scope: "col", class: k ? "number" : null, title: text === "p" ? "Against the entry above" : null }, text)))),
      el("tbody", null, shown.map(line)))),
    el("ul", { class: "origins" }, origins.map(([title, figure]) => el("li", null, `${title}: `,
      figure.signature ? el("code", null, figure.signature) : outside(figure.source.url, figure.source.title)))));
}
