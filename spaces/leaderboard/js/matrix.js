"use strict";
// The significance matrix: all pairs of systems, with the tests that the build computed.
GECBENCH.define("matrix", (use) => {
  const { el, empty, foreign, signed, range } = use("dom");
  const {
    metricOf, currentTable, chosenMetric, tableData, shortId, State, tableChooser, metricChooser, systemAddress,
    scrolled, dataFiles, copyLink,
  } = use("board");
  const MOST = 25;
  const SIGNIFICANT = 0.05;

  /** Return a function from two ids to the difference (first minus second): {value, low, high, p, adjusted} or null. */
  async function pairTests(table, metric) {
    if (!(table.tests || []).includes(metric)) return () => null;
    const { ids, differences, adjusted } = await GECBENCH.load(`tests-${table.key}-${metric}`);
    const places = new Map(ids.map((id, place) => [id, place]));
    return (one, other) => {
      const [i, j] = [places.get(one), places.get(other)];
      if (i === undefined || j === undefined || i === j) return null;
      const [value, low, high, p] = differences[Math.min(i, j)][Math.abs(i - j) - 1];
      const turned = i < j ? { value, low, high } : { value: -value, low: -high, high: -low };
      return { ...turned, p, adjusted: adjusted[i][j] };
    };
  }

  /** A p-value as the terminal prints it. */
  function shownP(p) {
    return p < 0.001 ? "< 0.001" : p.toFixed(3);
  }

  function words({ value, low, high, adjusted }) {
    const sign = value > 0 ? "+" : "";
    return `${sign}${signed(100 * value)} (${range(low, high)}), p (Holm) ${shownP(adjusted).replace(/^(?=\d)/, "= ")}`;
  }

  function cell(row, column, found, compared) {
    if (!found || found.adjusted === null) return el("td", { class: "cell" });
    const apart = found.adjusted < SIGNIFICANT;
    const kind = apart ? (found.value > 0 ? "better" : "worse") : "same";
    const mark = { better: "+", worse: "−", same: "·" }[kind];
    const label = `${row.system} against ${column.system}: ${words(found)}`;
    const address = `${compared}&b=${shortId(column)}`;
    return el("td", { class: `cell ${kind}` }, el("a", { href: address, title: label, "aria-label": label }, mark));
  }

  async function showMatrix(main, state) {
    const table = currentTable(state);
    const { rows } = await tableData(table);
    const metrics = table.metrics.filter((name) => (table.tests || []).includes(name));
    const controls = el("div", { class: "controls" }, tableChooser(state));
    main.append(controls);
    const metric = chosenMetric({ metrics }, state.metric);
    const ranked = rows.filter((row) => row.scores[metric] && row.scores[metric].rank)
      .sort((a, b) => b.scores[metric].value - a.scores[metric].value);
    if (!metric || ranked.length < 2) {
      main.append(empty("There are no tests to show: fewer than two systems are ranked, or no outputs are stored."));
      return;
    }
    const tests = await pairTests(table, metric);
    controls.append(metricChooser("Metric", { metrics }, metric, "metric"), el("span", { class: "grow" }), copyLink());
    const shown = state.all ? ranked : ranked.slice(0, MOST);
    const head = el("tr", null, el("th", { scope: "col" }, "System"), el("th", { scope: "col" }, "#"),
      shown.map((row, k) => el("th", { scope: "col", class: "cell", title: row.system }, String(k + 1))));
    const line = (row, k) => {
      const compared = State.address({ view: "compare", a: shortId(row), b: "", metric: "", all: "" });
      return el("tr", null,
        el("th", { scope: "row" }, el("a", { href: systemAddress(row) }, foreign(row.system))),
        el("td", { class: "rank" }, String(k + 1)),
        shown.map((column) => (column === row ? el("td", { class: "cell self" })
          : cell(row, column, tests(row.id, column.id), compared))));
    };
    main.append(
      el("ul", { class: "legend" },
        [["better", "+", "the row's system is significantly better"],
          ["worse", "−", "the row's system is significantly worse"],
          ["same", "·", "no significant difference"]].map(([kind, mark, text]) => el("li", null,
          el("span", { class: `cell ${kind}` }, mark), ` ${text}`))),
      scrolled("Significance matrix", el("table", { class: "matrix" }, el("thead", null, head),
        el("tbody", null, shown.map(line)))),
      shown.length < ranked.length ? el("p", null, el("a", { class: "button", href: State.address({ all: "1" }) },
        `Show all ${ranked.length} systems`)) : "",
      el("p", { class: "note" }, `Differences in ${metricOf(metric).title}, tested by the paired bootstrap. The `
        + "p-values of a row are adjusted by Holm's method for all tests of the row's system. Differences with p below "
        + "0.05 are significant. To print a row, use ",
      el("code", null, "gecbench compare --test bootstrap --against SYSTEM"),
      ". Point at a cell to see the difference, its 95% interval and p. Click it to compare the two systems."),
      dataFiles([`tests-${table.key}-${metric}`]));
  }

  return { pairTests, shownP, showMatrix };
});
