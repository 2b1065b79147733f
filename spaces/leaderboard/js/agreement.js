"use strict";
// Compare the metrics' rankings of the systems with a human ranking, if there are human judgments.
GECBENCH.define("agreement", (use) => {
  const { el, svg, empty, foreign, signed } = use("dom");
  const {
    metricOf, currentTable, tableData, State, select, tableChooser, systemAddress, scrolled, dataFiles, copyLink,
  } = use("board");
  const { pearson, ranksOf } = use("charts");
  const FAR = 3;

  /** Ranks from 1, the highest value first. */
  function ranks(values) {
    return ranksOf(values.map((value) => -value));
  }

  /** Return {name, ranks, rho, r} of each metric that scored all judged systems, the best agreement first. */
  function agreements(table, rows, human) {
    return table.metrics.filter((name) => rows.every((row) => row.scores[name])).map((name) => {
      const sign = metricOf(name).higher_is_better === false ? -1 : 1;
      const values = rows.map((row) => sign * row.scores[name].value);
      return { name, ranks: ranks(values), rho: pearson(ranksOf(values), ranksOf(human)), r: pearson(values, human) };
    }).sort((one, other) => other.rho - one.rho);
  }

  function bar(value) {
    const width = 100 * Math.abs(value);
    return svg("svg", { class: "bar", viewBox: "-100 0 200 12", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: value > 0 ? "a" : "b", x: value > 0 ? 0 : -width, y: 1, width, height: 10 }),
      svg("line", { x1: 0, x2: 0, y1: 0, y2: 12 }));
  }

  function head(labels) {
    return el("thead", null, el("tr", null, labels.map(([label, kind, title]) => el("th",
      { scope: "col", class: kind, title }, label))));
  }

  function coefficients(found) {
    return el("table", { class: "figures types", id: "coefficients" },
      head([["Metric"], ["Spearman ρ", "number"], [el("span", { class: "unseen" }, "Bar of ρ"), "wide"],
        ["Pearson r", "number"]]),
      el("tbody", null, found.map(({ name, rho, r }) => el("tr", null,
        el("th", { scope: "row" }, metricOf(name).title), el("td", { class: "number" }, signed(rho, 3)),
        el("td", { class: "wide" }, bar(rho)), el("td", { class: "number" }, signed(r, 3))))));
  }

  /** A rank, with a mark if it is far from the human rank. */
  function rankCell(rank, human) {
    const away = human - rank;
    const kind = Math.abs(away) < FAR ? "" : away > 0 ? " high" : " low";
    const arrow = { " high": "▲", " low": "▼" }[kind];
    return el("td", { class: `number${kind}` }, arrow ? el("span", { "aria-hidden": "true" }, `${arrow} `) : "",
      String(rank), arrow ? el("span", { class: "unseen" }, kind === " high" ? " higher" : " lower") : "");
  }

  function rankTable(rows, human, found) {
    const humanRanks = ranks(human);
    const order = rows.map((_, k) => k).sort((i, j) => humanRanks[i] - humanRanks[j]);
    return scrolled("Ranks", el("table", { class: "figures agreement", id: "ranks" },
      head([["System"], ["Human", "number"], ...found.map(({ name }) => [metricOf(name).title, "number"])]),
      el("tbody", null, order.map((k) => el("tr", null,
        el("th", { scope: "row" }, el("a", { href: systemAddress(rows[k]) }, foreign(rows[k].system))),
        el("td", { class: "number main" }, String(humanRanks[k])),
        found.map((each) => rankCell(each.ranks[k], humanRanks[k])))))));
  }

  async function showAgreement(main, state) {
    const table = currentTable(state);
    const { rows: all } = await tableData(table);
    const controls = el("div", { class: "controls" }, tableChooser(state));
    main.append(controls);
    if (!table.agreement) {
      main.append(empty("There is no human ranking of the systems in this table."));
      return;
    }
    const { ids, judgments } = await GECBENCH.load(`agreement-${table.key}`);
    const chosen = judgments.find(({ title }) => title === state.judged) || judgments[0];
    const known = ids.map((id, k) => [all.find((row) => row.id === id), chosen.scores[k]]).filter(([row]) => row);
    const [rows, human] = [known.map(([row]) => row), known.map(([, score]) => score)];
    const found = agreements(table, rows, human);
    controls.append(select("Humans judged", judgments.map(({ title }) => [title, title]), chosen.title,
      (judged) => State.set({ judged })), el("span", { class: "grow" }), copyLink());
    main.append(
      el("h2", null, "Which metric agrees with human judgments?"),
      el("p", { class: "note" }, `Correlation with the human ranking of ${rows.length} systems in SEEDA (Kobayashi et `
        + "al. 2024, TrueSkill). The scores are those of this table, but humans judged only 391 of its sentences. For "
        + "correlations on the judged sentences, with intervals, run ",
      el("code", null, `gecbench meta --human seeda:${chosen.title.replace(/s$/, "")}`), "."),
      coefficients(found),
      el("h2", null, "Ranks by humans and by each metric"),
      rankTable(rows, human, found),
      el("p", { class: "note" }, `▲ and ▼ mark ranks that are at least ${FAR} places above or below the human rank.`),
      dataFiles([`agreement-${table.key}`, `table-${table.key}`]));
  }

  return { agreements, showAgreement };
});
