"use strict";
// The board's data: tables, rows, metrics, and the order of rows.
GECBENCH.define("board", () => {
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

  /** A p-value as the terminal prints it. */
  function shownP({ p_text: text, p_value: value }) {
    return text ? `${text}${value < SIGNIFICANT ? "*" : ""}` : null;
  }

  function clusterName(number) {
    return number <= 26 ? String.fromCharCode(64 + number) : `#${number}`;
  }

  function setLabel(name) {
    return name === "default" ? "all references" : name.replaceAll("_", " ");
  }

  return {
    metricOf, currentTable, chosenMetric, tableData, hasDetails, humanValue, valueOf, sortRows, byMerit, findRow,
    shortId, shownP, clusterName, setLabel,
  };
});
