"use strict";
// Code that the views share: the board's data (tables, rows, metrics, the order of rows), the state in the address, and
// controls such as choosers and badges.
GECBENCH.define("board", (use) => {
  const { el, choice, foreign } = use("dom");
  const { board, load } = GECBENCH;
  const SIGNIFICANT = 0.05;
  const FIELDS = ["date", "unchanged", "year", "approach", "size", "open_weights"];

  function metricOf(name) {
    return board().metrics.find((metric) => metric.name === name)
      || { name, title: name, description: "", columns: [] };
  }

  /** An error type, with its meaning in words if that is known. */
  function typeName(type) {
    const words = (board().types || {})[type];
    return [foreign(type), words ? `: ${words}` : null];
  }

  /** The table that the address names, otherwise the first table of its corpus, otherwise the first table. */
  function currentTable(state) {
    const { tables } = board();
    const ofCorpus = tables.filter((table) => table.corpus === state.corpus);
    return ofCorpus.find((table) => table.reference_set === state.set) || ofCorpus[0] || tables[0];
  }

  /** The wanted metric (or the metric of a wanted part, as in "m2.recall") if the table has it, otherwise the first. */
  function chosenMetric(table, wanted) {
    const [name] = (wanted || "").split(".");
    return table.metrics.includes(name) ? name : table.metrics[0];
  }

  /** Return {rows, people, reported}: scored systems, the row of human scores or null, results that others reported. */
  async function tableData(table) {
    const { signatures, rows, people, reported } = await load(`table-${table.key}`);
    for (const row of people ? [...rows, people] : rows) {
      for (const figure of Object.values(row.scores)) {
        if (typeof figure.signature === "number") figure.signature = signatures[figure.signature];
      }
    }
    return { rows, people, reported };
  }

  /** Whether a system's outputs are published. */
  function hasOutputs(table, row) {
    return table.references && Boolean(row.outputs);
  }

  /** Whether the scores of groups of a system's sentences are published. */
  function hasGroups(table, row) {
    return table.groups && Boolean(row.outputs);
  }

  /** The mean score of human entries, or null. They are scored against the same references as systems. */
  function humanMean(rows, column) {
    const values = rows.filter((row) => row.role === "human").map((row) => valueOf(row, column))
      .filter((value) => value != null);
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  }

  /** A row's value in a column. A column is a field, a metric, or a part of a metric as in "m2.recall". */
  function valueOf(row, column) {
    if (FIELDS.includes(column)) return row[column] === "" ? null : row[column];
    if (column === "system") return row.system.toLowerCase();
    const [metric, part] = column.split(".");
    const figure = row.scores[metric];
    return figure && (part ? (figure.parts || {})[part] : figure.value);
  }

  /** Sort by a column. Rows without a value come last. */
  function sortRows(rows, column, descending) {
    const sign = descending ? -1 : 1;
    return [...rows].sort((left, right) => {
      const [a, b] = [valueOf(left, column), valueOf(right, column)];
      if (a === b && !left.line === !right.line) return left.system < right.system ? -1 : 1;
      if (a === b) return left.line ? 1 : -1;
      if (a === null || a === undefined) return 1;
      if (b === null || b === undefined) return -1;
      return sign * (a < b ? -1 : 1);
    });
  }

  /** Rows in the order of choosers: systems from best to worst, then other rows from best to worst. */
  function byMerit(rows, table) {
    const sorted = sortRows(rows, table.metrics[0], true);
    return [true, false].flatMap((system) => sorted.filter((row) => (row.role === "system") === system));
  }

  /** The row whose id begins with the characters in the address. */
  function findRow(rows, id) {
    return id ? rows.find((row) => row.id.startsWith(id)) : undefined;
  }

  /** The first characters of a record's id, for addresses. */
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

  /** A reference set in words. */
  function setLabel(table) {
    if (table.set_title) return table.set_title;
    return table.reference_set === "default" ? "all references" : table.reference_set.replaceAll("_", " ");
  }

  function corpusLabel(table) {
    return table.title || table.corpus;
  }

  /** The parts of the address that are dropped when another table is chosen. */
  const DROPPED = Object.fromEntries(
    ["a", "b", "n", "id", "ids", "sort", "dir", "metric", "x", "y", "q", "cols", "by", "type", "outcome", "approach",
      "weights", "since"].map((name) => [name, ""]));

  let last = {};

  /** The state in the address. It is parsed only once, because a view has many links. */
  function readOnce() {
    const { hash } = location;
    if (last.hash !== hash) {
      const [view, query] = hash.replace(/^#/, "").split("?");
      last = { hash, state: { view: view || "table", ...Object.fromEntries(new URLSearchParams(query || "")) } };
    }
    return last.state;
  }

  const State = Object.freeze({
    read: () => ({ ...readOnce() }),
    address(changes) {
      const { view, ...rest } = { ...readOnce(), ...changes };
      const query = new URLSearchParams(Object.entries(rest).filter(([, value]) => value !== "" && value != null));
      return `#${view}${query.size ? `?${query}` : ""}`;
    },
    /** Change the state and draw the view again. With `quietly`, do not draw it and add no step to the history. */
    set(changes, quietly = false) {
      const address = State.address(changes);
      if (quietly) history.replaceState(null, "", address);
      else location.hash = address;
    },
    /** Change the state and draw the view again, without a step in the history. */
    replace(changes) {
      State.set(changes, true);
      dispatchEvent(new Event("hashchange"));
    },
  });

  function select(label, options, chosen, onchange) {
    return choice(label, options, chosen, { onchange: (event) => onchange(event.target.value) });
  }

  function tableChooser(state) {
    const table = currentTable(state);
    const { tables } = GECBENCH.board();
    const corpora = new Map(tables.map((each) => [each.corpus, corpusLabel(each)]));
    const sets = tables.filter((each) => each.corpus === table.corpus);
    return [
      select("Corpus", [...corpora], table.corpus,
        (corpus) => State.set({ ...DROPPED, corpus, set: "" })),
      sets.length > 1 ? select("References", sets.map((each) => [each.reference_set, setLabel(each)]),
        table.reference_set, (set) => State.set({ ...DROPPED, corpus: table.corpus, set })) : null,
    ];
  }

  function metricChooser(label, table, chosen, key) {
    return select(label, table.metrics.map((name) => [name, metricOf(name).title]), chosen,
      (name) => State.set({ [key]: name }));
  }

  function systemAddress(row) {
    return State.address({ ...DROPPED, view: "system", id: shortId(row), corpus: row.corpus, set: row.reference_set });
  }

  /** Badges of a row, such as "baseline". Each has a tooltip that explains it. */
  function badges(row, figure = {}) {
    const found = [];
    if (row.kind === "reported") found.push(["as reported", GECBENCH.board().notes.reported]);
    if (["source", "baseline"].includes(row.role)) found.push(["baseline", `${row.description}. Not ranked`]);
    if (row.role === "human") found.push(["human", `${row.description}. Not ranked`]);
    if (figure.differs) found.push(["not ranked", figure.differs]);
    return found.map(([text, title]) => el("span", { class: "badge", title }, text));
  }

  /** Systems as options of a select. */
  function systemOptions(rows) {
    return rows.map((row) => [shortId(row), row.system]);
  }

  /** An element that scrolls if it is wider than the screen, and can be reached with the keyboard. */
  function scrolled(label, ...children) {
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);
  }

  /** Links to the data of a view as JSON. */
  function dataFiles(names) {
    const links = [...new Set(names)].flatMap((name, k) => [k ? ", " : " ",
      el("a", { href: `data/${name}.json` }, `${name.replace(/^(system-.{12}).*/, "$1…")}.json`)]);
    return el("p", { class: "note data" }, "The data of this view:", links, ".");
  }

  /** A button that copies a text and then shows "Copied". */
  function copyButton(label, text) {
    const copy = async ({ target }) => {
      try {
        await navigator.clipboard.writeText(text());
        target.textContent = "Copied";
      } catch {
        target.textContent = "Copy by hand";
      }
      setTimeout(() => { target.textContent = label; }, 1500);
    };
    return el("button", { type: "button", class: "quiet", onclick: copy }, label);
  }

  function copyLink() {
    return copyButton("Copy link", () => location.href);
  }

  /** The names of open pickers. They stay open when the view is drawn again, and are not part of the address. */
  const opened = new Set();

  /** A menu of choices that opens on a click. Esc and a click elsewhere close it. */
  function picker(name, label, ...children) {
    const node = el("details", { class: "picker", id: name, open: opened.has(name) },
      el("summary", null, label), el("div", { class: "boxes" }, ...children));
    node.addEventListener("toggle", () => opened[node.open ? "add" : "delete"](name));
    return node;
  }

  function closePickers(except) {
    for (const node of document.querySelectorAll("details.picker[open]")) {
      if (except && node.contains(except)) continue;
      node.open = false;
      if (!except) node.querySelector("summary").focus();
    }
  }

  document.addEventListener("click", ({ target }) => {
    if (target.isConnected) closePickers(target);
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") closePickers();
  });

  return {
    metricOf, typeName, currentTable, chosenMetric, tableData, hasOutputs, hasGroups, humanMean, valueOf, sortRows,
    byMerit, findRow, shortId, shownAdjusted, clusterName, setLabel, corpusLabel, State, select, tableChooser,
    metricChooser, systemAddress, systemOptions, badges, scrolled, dataFiles, copyButton, copyLink, picker,
  };
});
