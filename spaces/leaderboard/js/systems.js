"use strict";
// The page of one system with its facts and scores, and the comparison of two systems. The address names the systems.
GECBENCH.define("systems", (use) => {
  const { el, empty, foreign, outside, points, range, sentence, counted, signed } = use("dom");
  const {
    metricOf, currentTable, tableData, hasOutputs, hasGroups, byMerit, findRow, shortId, shownAdjusted, clusterName,
    setLabel, corpusLabel, State, select, tableChooser, systemAddress, systemOptions, badges, scrolled, dataFiles,
    copyButton, copyLink,
  } = use("board");
  const { groupFigure, typeBars, detailed, waysOf } = use("charts");
  const { pairTests, shownP } = use("matrix");

  async function showSystem(main, state) {
    const table = currentTable(state);
    const { rows, reported } = await tableData(table);
    const row = findRow([...rows, ...reported], state.id);
    if (!row) {
      main.append(empty("This system is not on the board."));
      return;
    }
    main.append(
      el("p", null, el("a", { href: State.address({ view: "table", id: "" }) }, "← Ranking")),
      el("h2", { class: "name" }, foreign(row.system), badges(row)),
      ...(row.description ? [el("p", null, foreign(row.description))] : []),
      el("dl", null, facts(row, table).flatMap(([name, value]) => [el("dt", null, name), el("dd", null, value)])),
      actions(row, rows, table),
      figureTable(row, table),
      row.kind === "scored" ? citeBlock(row, table) : "");
    const systems = hasGroups(table, row) ? await detailed([row]) : [];
    for (const [by, label, field] of waysOf(systems)) {
      const metric = table.metrics.find((name) => systems[0][1][field][name]);
      main.append(el("h3", null, `${metricOf(metric).title} by ${label}`), groupFigure(systems, by, metric));
    }
    main.append(dataFiles([`table-${table.key}`, ...systems.map(() => `system-${row.id}`)]));
  }

  function facts(row, table) {
    const sentences = table.sentences ? `, ${counted(table.sentences, "sentence")}` : "";
    return [
      ["Corpus", `${corpusLabel(table)}, ${setLabel(table)}${sentences}`],
      ["Year", row.year ? String(row.year) : ""],
      ["Approach", row.approach],
      ["Size", row.size],
      ["Weights", row.open_weights == null ? "" : row.open_weights ? "open" : "closed"],
      ["Submitted", row.kind === "scored" && row.date.length === 10 ? row.date : ""],
      ["Submitter", row.submitter && foreign(row.submitter)],
      ["Unchanged sentences", row.unchanged == null ? "" : `${points(row.unchanged, 1)}%`],
      ["Links", row.links.length ? row.links.flatMap((link) => [outside(link.url, link.title || link.url), " "]) : ""],
      ["Record", el("code", { title: row.id }, shortId(row))],
    ].filter(([, value]) => value);
  }

  /** Escape the special characters of TeX in a text. */
  function tex(text) {
    const escaped = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
    return text.replace(/[\\~^&%$#_{}]/g, (character) => escaped[character] || `\\${character}`);
  }

  /** A line of a LaTeX table: the system, and each score with ± half the width of its interval. */
  function latexLine(row, table) {
    const cells = table.metrics.filter((name) => row.scores[name]).map((name) => {
      const { value, low, high } = row.scores[name];
      const half = low == null ? "" : `\\,$\\pm$\\,${signed(50 * (high - low), 1)}`;
      return `${signed(100 * value).replace("−", "$-$")}${half}`;
    });
    const titles = table.metrics.filter((name) => row.scores[name]).map((name) => metricOf(name).title);
    return `% System & ${titles.join(" & ")} \\\\\n${tex(row.system)} & ${cells.join(" & ")} \\\\`;
  }

  function bibtex(row, table) {
    const { title, version } = GECBENCH.board();
    const key = `gecbench-${row.system.replace(/[^A-Za-z0-9]+/g, "").toLowerCase() || "system"}`;
    const paper = row.links.length ? `; paper: ${row.links[0].url}` : "";
    const fields = [
      ["title", `{${tex(row.system)} on ${tex(corpusLabel(table))}}`],
      ["author", row.submitter ? `{${tex(row.submitter)}}` : ""],
      ["howpublished", tex(title)],
      ["year", String(row.year || row.date.slice(0, 4))],
      ["note", `Record ${shortId(row)}, scored by gecbench ${version}${paper}`],
      ["url", location.href.split("#")[0].startsWith("http") ? location.href : ""],
    ].filter(([, value]) => value);
    return `@misc{${key},\n${fields.map(([name, value]) => `  ${name} = {${value}},`).join("\n")}\n}`;
  }

  /** How to cite a row: BibTeX, a line of a LaTeX table, and the signatures of its scores. */
  function citeBlock(row, table) {
    const signatures = table.metrics.filter((name) => row.scores[name] && row.scores[name].signature)
      .map((name) => row.scores[name].signature).join("\n");
    const latex = latexLine(row, table);
    const texts = [["BibTeX", bibtex(row, table)], ["LaTeX table line", latex], ["Signatures", signatures]];
    return el("details", { class: "block cite", id: "cite", open: State.read().cite === "1" },
      el("summary", null, el("h3", null, "Cite this result")),
      texts.filter(([, text]) => text).map(([label, text]) => el("div", { class: "citation" },
        el("p", null, label, " ", copyButton("Copy", () => text)), el("pre", { tabindex: 0 }, text))));
  }

  function actions(row, rows, table) {
    const others = byMerit(rows.filter((other) => other.id !== row.id), table);
    const here = { a: shortId(row), id: "" };
    const compare = row.kind === "scored" && others.length
      ? select("Compare with", [["", "choose …"], ...systemOptions(others)], "",
        (b) => State.set({ ...here, view: "compare", b })) : null;
    const sentences = hasOutputs(table, row) && others.length
      ? el("a", { class: "button", id: "alignment", href: State.address({ ...here, view: "sentences", b: "" }) },
        "Edits, sentence by sentence") : null;
    const cite = row.kind === "scored"
      ? el("a", { class: "button", href: State.address({ cite: "1" }) }, "Cite") : null;
    return el("div", { class: "actions" }, compare, sentences, cite, copyLink());
  }

  /** Columns of the table of scores: [heading, function that returns the text, tooltip]. Empty columns are left out. */
  const COLUMNS = [
    ["Score", (figure) => points(figure.value)],
    ["95% interval", (figure) => figure.low != null && range(figure.low, figure.high)],
    ["Rank", (figure) => figure.rank],
    ["Cluster", (figure) => figure.cluster && clusterName(figure.cluster)],
    ["p", (figure) => figure.p_text,
      "p-value of the test against the first system of its cluster; the first system is tested against the first "
      + "system of the cluster above"],
    ["p (Holm)", shownAdjusted,
      "p, adjusted by Holm's method for all tests against the same system; * below 0.05"],
    ["human", (figure) => figure.human != null && points(figure.human),
      "Mean score of one annotator against the others"],
    ["same refs", (figure) => figure.ratio != null && points(figure.against_others),
      "Score of the system against the same references as the annotators"],
    ["% human", (figure) => figure.ratio != null && `${points(figure.ratio, 1)}%`, "same refs divided by human"],
  ];

  /** Return the columns of the parts that metrics show with their scores, such as precision. */
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

  /** How a score was computed: its signature or its source, and notes. */
  function origin(name, figure) {
    const { notes } = GECBENCH.board();
    const capped = figure.capped ? ` ${counted(figure.capped, "sentence")} capped. ${sentence(notes.capped)}` : null;
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
      main.append(empty("This table has fewer than two systems to compare."));
      return;
    }
    const a = findRow(rows, state.a) || rows[0];
    const b = findRow(rows, state.b) || rows.find((row) => row !== a);
    controls.append(
      select("System A", systemOptions(rows), shortId(a), (id) => State.set({ a: id, b: shortId(b) })),
      select("System B", systemOptions(rows), shortId(b), (id) => State.set({ a: shortId(a), b: id })));
    main.append(pairActions(a, b, table), await pairTable(a, b, table));
    const both = [a, b].every((row) => hasGroups(table, row));
    const systems = both ? await detailed([a, b]) : [];
    for (const [by, label, field] of systems.length === 2 ? waysOf(systems) : []) {
      const metric = table.metrics.find((name) => systems.every(([, details]) => (details[field] || {})[name]));
      if (!metric) continue;
      main.append(el("h2", null, `${metricOf(metric).title} by ${label}`),
        by === "type" ? typeBars(systems, metric) : groupFigure(systems, by, metric));
    }
    main.append(dataFiles([`table-${table.key}`, ...systems.map(([row]) => `system-${row.id}`)]));
  }

  function pairActions(a, b, table) {
    const [left, right] = [shortId(a), shortId(b)];
    return el("div", { class: "actions" },
      el("a", { class: "button", href: State.address({ a: right, b: left }) }, "Swap"),
      [a, b].every((row) => hasOutputs(table, row))
        ? el("a", { class: "button", href: State.address({ view: "sentences", a: left, b: right }) }, "Edits")
        : null,
      copyLink());
  }

  function valueCell(figure, part, better) {
    const value = figure && (part ? (figure.parts || {})[part] : figure.value);
    if (value == null) return el("td", { class: "number none" }, "–");
    return el("td", { class: better ? "number main" : "number" }, points(value),
      part || figure.low == null ? null : el("small", null, range(figure.low, figure.high)));
  }

  function pairLine(a, b, name, tests, adjusts, part) {
    const pair = [a, b].map((row) => row.scores[name]);
    const values = pair.map((figure) => figure && (part ? (figure.parts || {})[part] : figure.value));
    const both = values.every((value) => value != null);
    const label = part ? el("small", null, (metricOf(name).part_titles || {})[part] || part) : metricOf(name).title;
    const found = part ? null : tests(a.id, b.id);
    const sign = both && values[0] > values[1] ? "+" : "";
    const direction = (metricOf(name).lower_is_better || []).includes(part) ? -1 : 1;
    // The precision of a system that changes nothing is 100 by definition, so it does not count as better.
    const idle = part === "precision" && [a, b].some((row) => row.unchanged === 1);
    const better = (k) => both && !idle && direction * (values[k] - values[1 - k]) > 0;
    return el("tr", null, el("th", { scope: "row" }, label),
      pair.map((figure, k) => valueCell(figure, part, better(k))),
      el("td", { class: both ? "number" : "number none" }, both ? sign + points(values[0] - values[1]) : "–",
        found ? el("small", null, range(found.low, found.high)) : null),
      el("td", { class: found ? "number" : "number none" }, found ? shownP(found.p) : part ? "" : "–"),
      adjusts ? el("td", { class: found ? "number" : "number none" }, found && found.adjusted !== null
        ? `${shownP(found.adjusted)}${found.adjusted < 0.05 ? "*" : ""}` : part ? "" : "–") : null);
  }

  async function pairTable(a, b, table) {
    const shown = table.metrics.filter((name) => a.scores[name] || b.scores[name]);
    const loaded = await Promise.all(shown.map((name) => pairTests(table, name)));
    const tests = Object.fromEntries(shown.map((name, k) => [name, loaded[k]]));
    const adjusts = shown.some((name) => ((found) => found && found.adjusted !== null)(tests[name](a.id, b.id)));
    const heading = (row, letter) => el("th", { scope: "col", class: "number" }, `${letter}: `,
      el("a", { href: systemAddress(row) }, foreign(row.system)));
    const column = (label, title) => el("th", { scope: "col", class: "number", title }, label);
    return el("div", null,
      scrolled("Scores of both systems", el("table", { class: `figures metrics${adjusts ? " adjusts" : ""}` },
        el("thead", null, el("tr", null, el("th", { scope: "col" }, "Metric"), heading(a, "A"), heading(b, "B"),
          column("A − B"), column("p", "Paired bootstrap test of this pair alone"),
          adjusts ? column("p (Holm)", "p, adjusted by Holm's method for comparing A with all ranked systems") : null)),
        el("tbody", null, shown.flatMap((name) => [pairLine(a, b, name, tests[name], adjusts),
          ...(metricOf(name).columns || []).map((part) => pairLine(a, b, name, tests[name], adjusts, part))])))),
      el("p", { class: "note" }, "Below each score and difference is its 95% bootstrap interval. The better score is "
        + "bold. p is from the paired bootstrap test of this pair alone.", adjusts ? " p (Holm) is adjusted for "
        + "comparing A with all ranked systems. A star marks p (Holm) below 0.05." : null));
  }

  return { tex, showSystem, showCompare };
});
