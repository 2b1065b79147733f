"use strict";
// The board's data: tables, rows, metrics, and the order of rows.
GECBENCH.define("board", () => {
  const { board, load } = GECBENCH;

  function metricOf(name) {
    return board().metrics.find((metric) => metric.name === name) || { name, title: name, description: "" };
  }

  function currentTable(state) {
    const { tables } = board();
    return tables.find((table) => table.corpus === state.corpus && table.reference_set === state.set)
      || tables.find((table) => table.corpus === state.corpus)
      || tables[0];
  }

  /** The metric of a table that is wanted, or the first. */
  function chosenMetric(table, wanted) {
    return table.metrics.includes(wanted) ? wanted : table.metrics[0];
  }

  /** Return {rows, people}: the records of a table, and the row of people's scores or null. */
  async function tableData(table) {
    const { signatures, rows, people } = await load(`table-${table.key}`);
    for (const row of people ? [...rows, people] : rows) {
      for (const figure of Object.values(row.scores)) {
        if (typeof figure.signature === "number") figure.signature = signatures[figure.signature];
      }
    }
    return { rows, people };
  }

  function humanValue(people, metric) {
    return people && people.scores[metric] ? people.scores[metric].value : null;
  }

  const COLUMNS = {
    system: (row) => row.system.toLowerCase(),
    date: (row) => row.date,
    unchanged: (row) => row.unchanged,
  };

  function isColumn(name) {
    return Object.hasOwn(COLUMNS, name);
  }

  /** Sort by a column or a metric; rows without a value come last. */
  function sortRows(rows, name, descending) {
    const key = isColumn(name) ? COLUMNS[name] : (row) => (row.scores[name] ? row.scores[name].value : null);
    const sign = descending ? -1 : 1;
    return [...rows].sort((left, right) => {
      const [a, b] = [key(left), key(right)];
      if (a === b) return left.system < right.system ? -1 : 1;
      if (a === null || a === undefined) return 1;
      if (b === null || b === undefined) return -1;
      return sign * (a < b ? -1 : 1);
    });
  }

  /** The first characters of a record's name, enough for an address. */
  function shortId(row) {
    return row.id.slice(0, 12);
  }

  function clusterName(number) {
    return number <= 26 ? String.fromCharCode(64 + number) : `#${number}`;
  }

  function setLabel(name) {
    return name === "default" ? "all references" : name.replaceAll("_", " ");
  }

  return {
    metricOf, currentTable, chosenMetric, tableData, humanValue, isColumn, sortRows, shortId, clusterName, setLabel,
  };
});
