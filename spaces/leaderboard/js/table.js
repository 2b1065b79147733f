"use strict";
// The ranking: one table per corpus and reference set, sortable, filterable, with clusters and the people's row.

const TABLE_COLUMNS = {
  system: (row) => row.system.toLowerCase(),
  date: (row) => row.date,
  unchanged: (row) => row.unchanged,
};

function sortKey(name) {
  return TABLE_COLUMNS[name] || ((row) => (row.scores[name] ? row.scores[name].value : null));
}

function sortRows(rows, name, descending) {
  const key = sortKey(name);
  const sign = descending ? -1 : 1;
  return [...rows].sort((left, right) => {
    const [a, b] = [key(left), key(right)];
    if (a === b) return left.system < right.system ? -1 : 1;
    if (a === null || a === undefined) return 1;
    if (b === null || b === undefined) return -1;
    return sign * (a < b ? -1 : 1);
  });
}

function matches(row, query) {
  const text = [row.system, row.submitter, row.description, row.date, row.kind].join(" ").toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** The rows to show, people included: their published figures, and the bounds that records carry for other metrics. */
function chosenRows(rows, table, state) {
  const shown = rows.filter((row) => row.role !== "human" && (state.kind ? row.kind === state.kind : true));
  const published = rows.find((row) => row.role === "human");
  const values = table.metrics.map((metric) => [metric, humanValue(rows, metric)]).filter(([, value]) => value !== null);
  if (!values.length) return shown;
  const scores = Object.fromEntries(values.map(([metric, value]) => [metric, (published && published.scores[metric]) || { value }]));
  const people = published || { id: "", system: "Human", role: "human", kind: "scored", date: "", submitter: "",
    description: "Mean of each reference against the others", links: [] };
  return [...shown, { ...people, scores }];
}

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
  const x = place(figure.value);
  return svg("svg", { class: "whisker", viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("line", { class: "rail", x1: 0, x2: 100, y1: 8, y2: 8 }),
    human === null ? null : svg("line", { class: "human", x1: place(human), x2: place(human), y1: 0, y2: 16 }),
    figure.low == null ? null : svg("line", { class: "range", x1: place(figure.low), x2: place(figure.high), y1: 8, y2: 8 }),
    svg("line", { class: "dot", x1: x - 0.01, x2: x, y1: 8, y2: 8 }));
}

function scoreCell(row, metric, main) {
  const figure = row.scores[metric];
  if (!figure) return el("td", { class: "number none" }, "–");
  const title = [figure.signature, figure.source && figure.source.title].filter(Boolean).join(" ");
  return el("td", { class: main ? "number main" : "number", title: title || null }, points(figure.value),
    figure.low == null ? null : el("small", { class: "interval" }, `${points(figure.low)}–${points(figure.high)}`));
}

function header(name, label, state, attributes = {}) {
  const active = state.sort === name;
  const next = active && state.dir !== "asc" ? "asc" : "desc";
  const order = active ? (state.dir === "asc" ? "ascending" : "descending") : null;
  return el("th", { scope: "col", "aria-sort": order, ...attributes },
    el("button", { type: "button", "data-sort": name, onclick: () => State.set({ sort: name, dir: next }) }, label,
      el("span", { class: "arrow", "aria-hidden": "true" }, active ? (state.dir === "asc" ? "▲" : "▼") : "")));
}

/** Columns that only some tables fill: [key, heading, explanation, text of a row]. */
const EXTRA_COLUMNS = [
  ["ratio", "of human", "Score relative to the people's, against the same references",
    (row, figure) => (figure.ratio == null ? "" : `${points(figure.ratio, 0)} %`)],
  ["p", "p", "Chance of such a difference from the entry above if both were equally good",
    (row, figure) => (figure.p_value == null ? "" : `${pValue(figure.p_value)}${figure.p_value < 0.05 ? "*" : ""}`)],
  ["unchanged", "unchanged", "Sentences left as they were",
    (row) => (row.unchanged == null ? "" : `${points(row.unchanged, 0)} %`)],
];

function rankRow(row, metric, table, place, human, extra) {
  const figure = row.scores[metric] || {};
  const name = row.id ? el("a", { href: systemAddress(row) }, foreign(row.system)) : foreign(row.system);
  const classes = [row.role, row.kind, figure.cluster ? `band${figure.cluster % 2}` : ""].join(" ");
  return el("tr", { class: classes, "data-id": row.id },
    el("td", { class: "rank" }, row.role === "human" ? "" : String(figure.rank || ""),
      figure.cluster ? el("small", { title: "Cluster: no significant difference from its best system" }, ` ${clusterName(figure.cluster)}`) : null),
    el("th", { scope: "row", class: "system", title: row.system.length > 60 ? row.system : null }, name, badges(row),
      row.submitter ? el("small", { class: "submitter" }, foreign(row.submitter)) : null),
    table.metrics.map((name) => scoreCell(row, name, name === metric)),
    el("td", { class: "wide" }, figure.value === undefined ? null : whisker(figure, place, human)),
    extra.map(([, , , text]) => el("td", { class: "number optional" }, text(row, figure))),
    el("td", { class: "date optional" }, row.date));
}

function clusterName(number) {
  return number <= 26 ? String.fromCharCode(64 + number) : `#${number}`;
}

function asCsv(rows, table) {
  const figures = ["value", "low", "high", "human", "ratio", "rank", "cluster", "p_value", "signature"];
  const clean = (cell) => {
    const text = cell == null ? "" : String(cell);
    const safe = typeof cell === "string" && /^[=+\-@\t]/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [["corpus", "reference_set", "system", "kind", "date", "submitter", "metric", ...figures]];
  for (const row of rows) {
    for (const [metric, figure] of Object.entries(row.scores)) {
      lines.push([table.corpus, table.reference_set, row.system, row.kind, row.date, row.submitter, metric,
        ...figures.map((name) => figure[name])]);
    }
  }
  return lines.map((line) => `${line.map(clean).join(",")}\n`).join("");
}

GECBENCH.views.table = async (main, state) => {
  const table = currentTable(state);
  const all = await rowsOf(table);
  const metric = table.metrics.includes(state.sort) ? state.sort : table.metrics[0];
  const order = { ...state, sort: state.sort || metric, dir: state.dir || "desc" };
  const rows = sortRows(chosenRows(all, table, state), order.sort, order.dir !== "asc");
  const extra = EXTRA_COLUMNS.filter(([, , , text]) => rows.some((row) => text(row, row.scores[metric] || {})));
  const body = el("tbody");
  const status = el("p", { class: "status", role: "status" });
  const draw = () => {
    const query = filter.value.trim();
    const shown = query ? rows.filter((row) => matches(row, query)) : rows;
    const place = scale(rows, metric);
    const human = humanValue(all, metric);
    body.replaceChildren(...shown.map((row) => rankRow(row, metric, table, place, human, extra)));
    const systems = shown.filter((row) => row.role === "system").length;
    status.textContent = `${systems} of ${rows.filter((row) => row.role === "system").length} systems`;
    return shown;
  };
  const filter = el("input", { type: "search", id: "filter", value: state.q || "", placeholder: "Name, submitter, year …",
    oninput: () => { State.set({ q: filter.value }, true); draw(); } });
  const kinds = select("Show", [["", "everything"], ["scored", "scored here"], ["reported", "as reported"]], state.kind || "",
    (kind) => State.set({ kind }));
  const name = `leaderboard-${table.corpus}-${table.reference_set}`.replace(/[^\w.-]+/g, "-");
  main.append(
    el("div", { class: "controls" }, tableChooser(state), kinds,
      el("label", { class: "field grow" }, el("span", null, "Filter"), filter)),
    el("div", { class: "actions" }, status,
      el("button", { type: "button", class: "quiet", id: "csv", onclick: () => download(`${name}.csv`, "text/csv", asCsv(draw(), table)) }, "CSV"),
      el("button", { type: "button", class: "quiet", id: "json", onclick: () => download(`${name}.json`, "application/json", JSON.stringify(draw(), null, 1)) }, "JSON"),
      copyLink()));
  if (!rows.length) {
    main.append(el("p", { class: "empty" }, "No systems yet. Be the first: see Submit."));
    return;
  }
  main.append(
    el("div", { class: "scroll" }, el("table", { class: "ranking" },
      el("thead", null, el("tr", null, el("th", { scope: "col", class: "rank" }, "#"), header("system", "System", order, { class: "system" }),
        table.metrics.map((each) => header(each, metricOf(each).title, order, { class: "number", title: metricOf(each).description })),
        el("th", { scope: "col", class: "wide" }, `${metricOf(metric).title}, 95 %`),
        extra.map(([key, label, title]) => (TABLE_COLUMNS[key]
          ? header(key, label, order, { class: "number optional", title })
          : el("th", { scope: "col", class: "number optional", title }, label))),
        header("date", "Date", order, { class: "optional" }))), body)),
    el("p", { class: "note" }, `Ranked by ${metricOf(metric).title}. Letters and shading mark clusters: a system whose difference `
      + "from the best of its cluster is not significant (approximate randomisation, p < 0.05) shares its letter. "
      + "The line is the 95 % bootstrap interval, the tick the people's score. Published figures carry neither."));
  draw();
};
