"use strict";
// What others report: unranked, each figure with its source and what makes it differ.
GECBENCH.define("reported", (use) => {
  const { el, foreign, outside, points, sentence } = use("dom");
  const { metricOf } = use("board");
  const { systemAddress } = use("controls");

  /** Return a function from figures to the numbers of their sources, counted as they come, and the sources. */
  function numbered() {
    const found = new Map();
    const numberOf = ({ source, differs }) => {
      const key = JSON.stringify([source, differs]);
      if (!found.has(key)) found.set(key, { source, differs });
      return [...found.keys()].indexOf(key) + 1;
    };
    return [numberOf, found];
  }

  function figures(row, numberOf) {
    return Object.entries(row.scores).map(([metric, figure]) => el("span", { class: "pair-of" },
      `${metricOf(metric).title} `, el("b", null, points(figure.value, 2)), el("sup", null, String(numberOf(figure)))));
  }

  function line(row, numberOf) {
    return el("tr", { class: row.role },
      el("th", { scope: "row" }, el("a", { href: systemAddress(row) }, foreign(row.system))),
      el("td", null, figures(row, numberOf)));
  }

  function origin({ source, differs }) {
    return el("li", null, source ? outside(source.url, source.title) : null, differs ? `: ${differs}` : null);
  }

  /** The block of reported results, empty where there are none. */
  function reportedBlock(rows, scored) {
    if (!rows.length) return "";
    const [numberOf, sources] = numbered();
    const lines = rows.map((row) => line(row, numberOf));
    return el("details", { class: "block", id: "reported", open: !scored.length },
      el("summary", null, el("h2", null, `As reported elsewhere (${rows.length})`)),
      el("p", { class: "note" }, sentence(GECBENCH.board().notes.reported)),
      el("table", { class: "figures" },
        el("thead", null, el("tr", null, ["System", "Scores"].map((label) => el("th", { scope: "col" }, label)))),
        el("tbody", null, lines)),
      el("ol", { class: "origins" }, [...sources.values()].map(origin)));
  }

  return { reportedBlock };
});
