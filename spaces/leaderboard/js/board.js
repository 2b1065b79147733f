"use strict";
// The board's data: tables, rows, metrics, and the order of rows; and what views share to choose among it: the state in
// the address, choosers, badges.
GECBENCH.define("board", (use) => {
  const { el } = use("dom");
  const { board, load } = GECBENCH;
  const SIGNIFICANT = 0.05;

  function metricOf(name) {
    return board().metrics.find((metric) => metric.name === name)
      || { name, title: name, description: "", columns: [] };
  }

  /** The table that the address names; else, of its corpus or of all, the first that is scored here. */
  function currentTable(state) {
    const { tables } = board();
    const ofCorpus = tables.filter((table) => table.corpus === state.corpus);
    const offered = ofCorpus.length ? ofCorpus : tables;
    return ofCorpus.find((table) => table.reference_set === state.set)
      || offered.find((table) => table.sentences !== null)
      || offered[0];
  }

  /** The metric of a table that is wanted (or that has the part wanted), or the first. */
  function chosenMetric(table, wanted) {
    const [name] = (wanted || "").split(".");
    return table.metrics.includes(name) ? name : table.metrics[0];
  }

  /** Return {rows, people, reported}: what was scored here, the row of people's scores or null, what others report. */
  async function tableData(table) {
    const { signatures, rows, people, reported } = await load(`table-${table.key}`);
    for (const row of people ? [...rows, people] : rows) {
      for (const figure of Object.values(row.scores)) {
        if (typeof figure.signature === "number") figure.signature = signatures[figure.signature];
      }
    }
    return { rows, people, reported };
  }

  /** Whether a system's outputs, and scores of groups of them, are published. */
  function hasDetails(table, row) {
    return table.references && Boolean(row.outputs);
  }

  function humanValue(people, metric) {
    return people && people.scores[metric] ? people.scores[metric].value : null;
  }

  /** A row's value by the name of a column: a field, a metric, or a part of one as in "m2.recall". */
  function valueOf(row, column) {
    if (["date", "unchanged"].includes(column)) return row[column];
    if (column === "system") return row.system.toLowerCase();
    const [metric, part] = column.split(".");
    const figure = row.scores[metric];
    return figure && (part ? (figure.parts || {})[part] : figure.value);
  }

  /** Sort by a column; rows without a value come last. */
  function sortRows(rows, column, descending) {
    const sign = descending ? -1 : 1;
    return [...rows].sort((left, right) => {
      const [a, b] = [valueOf(left, column), valueOf(right, column)];
      if (a === b) return left.system < right.system ? -1 : 1;
      if (a === null || a === undefined) return 1;
      if (b === null || b === undefined) return -1;
      return sign * (a < b ? -1 : 1);
    });
  }

  /** Rows for choices, the best first: systems, then what is no system. */
  function byMerit(rows, table) {
    const sorted = sortRows(rows, table.metrics[0], true);
    return [true, false].flatMap((system) => sorted.filter((row) => (row.role === "system") === system));
  }

  /** The row whose name begins with the characters that an address carries. */
  function findRow(rows, id) {
    return id ? rows.find((row) => row.id.startsWith(id)) : undefined;
  }

  /** The first characters of a record's name, enough for an address. */
  function shortId(row) {
    return row.id.slice(0, 12);
  }

  /** An adjusted p-value as the terminal prints it. */
  function shownAdjusted({ p_adjusted_text: text, p_adjusted: value }) {
    return text ? `${text}${value < SIGNIFICANT ? "*" : ""}` : null;
  }

  function clusterName(number) {
    return number <= 26 ? String.fromCharCode(64 + number) : `#${number}`;
  }

  function setLabel(name) {
    return name === "default" ? "all references" : name.replaceAll("_", " ");
  }

  /** What an address drops when another table is chosen. */
  const DROPPED = Object.fromEntries(
    ["a", "b", "n", "id", "ids", "sort", "dir", "metric", "x", "y", "q", "cols", "by"].map((name) => [name, ""]));

  const State = Object.freeze({
    read() {
      const [view, query] = location.hash.replace(/^#/, "").split("?");
      return { view: view || "table", ...Object.fromEntries(new URLSearchParams(query || "")) };
    },
    address(changes) {
      const { view, ...rest } = { ...State.read(), ...changes };
      const query = new URLSearchParams(Object.entries(rest).filter(([, value]) => value !== "" && value != null));
      return `#${view}${query.size ? `?${query}` : ""}`;
    },
    /** Change the state: `quietly` neither adds to the history nor draws the view again. */
    set(changes, quietly = false) {
      const address = State.address(changes);
      if (quietly) history.replaceState(null, "", address);
      else location.hash = address;
    },
  });

  function select(label, options, chosen, onchange) {
    const box = el("select", { onchange: (event) => onchange(event.target.value) },
      options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
    return el("label", { class: "field" }, el("span", null, label), box);
  }

  function tableChooser(state) {
    const table = currentTable(state);
    const { tables } = GECBENCH.board();
    const corpora = [...new Set(tables.map((each) => each.corpus))];
    const sets = tables.filter((each) => each.corpus === table.corpus);
    return [
      select("Corpus", corpora.map((name) => [name, name]), table.corpus,
        (corpus) => State.set({ ...DROPPED, corpus, set: "" })),
      select("Reference set", sets.map((each) => [each.reference_set, setLabel(each.reference_set)]),
        table.reference_set, (set) => State.set({ ...DROPPED, corpus: table.corpus, set })),
    ];
  }

  function metricChooser(label, table, chosen, key) {
    return select(label, table.metrics.map((name) => [name, metricOf(name).title]), chosen,
      (name) => State.set({ [key]: name }));
  }

  function systemAddress(row) {
    return State.address({ ...DROPPED, view: "system", id: shortId(row), corpus: row.corpus, set: row.reference_set });
  }

  /** Short marks of a row, each explained on hover. */
  function badges(row, figure = {}) {
    const found = [];
    if (row.kind === "reported") found.push(["as reported", GECBENCH.board().notes.reported]);
    if (row.role === "source") found.push(["baseline", "The source, unchanged"]);
    if (row.role === "human") {
      found.push(row.id ? ["people", "Written by people; not ranked"] : ["mean", "Each reference against the others"]);
    }
    if (figure.differs) found.push(["not ranked", figure.differs]);
    return found.map(([text, title]) => el("span", { class: "badge", title }, text));
  }

  /** A link to choose one of some systems by, as options of a select. */
  function systemOptions(rows) {
    return rows.map((row) => [shortId(row), row.system]);
  }

  /** A part that may be wider than the screen, reachable by keys. */
  function scrolled(label, ...children) {
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);
  }

  /** Links to what a view shows, as JSON. */
  function dataFiles(names) {
    const links = [...new Set(names)].flatMap((name, k) => [k ? ", " : " ",
      el("a", { href: `data/${name}.json` }, `${name.replace(/^(system-.{12}).*/, "$1…")}.json`)]);
    return el("p", { class: "note data" }, "The data of this view:", links, ".");
  }

  async function copyAddress({ target }) {
    try {
      await navigator.clipboard.writeText(location.href);
      target.textContent = "Copied";
    } catch {
      target.textContent = "Copy the address bar";
    }
    setTimeout(() => { target.textContent = "Copy link"; }, 1500);
  }

  function copyLink() {
    return el("button", { type: "button", class: "quiet", onclick: copyAddress }, "Copy link");
  }

  return {
    metricOf, currentTable, chosenMetric, tableData, hasDetails, humanValue, valueOf, sortRows, byMerit, findRow,
    shortId, shownAdjusted, clusterName, setLabel, State, select, tableChooser, metricChooser, systemAddress,
    systemOptions, badges, scrolled, dataFiles, copyLink,
  };
});
