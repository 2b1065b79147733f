"use strict";
// Small parts that several views share: choosing the table, selects, the state in the address.

const State = {
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
};

function board() {
  return GECBENCH.data.get("board");
}

function metricOf(name) {
  return board().metrics.find((metric) => metric.name === name) || { name, title: name, description: "" };
}

function currentTable(state) {
  const { tables } = board();
  return tables.find((table) => table.corpus === state.corpus && table.reference_set === state.set)
    || tables.find((table) => table.corpus === state.corpus)
    || tables[0];
}

async function rowsOf(table) {
  const { signatures, rows } = await GECBENCH.load(`table-${table.key}`);
  for (const row of rows) {
    for (const figure of Object.values(row.scores)) {
      if (typeof figure.signature === "number") figure.signature = signatures[figure.signature];
    }
  }
  return rows;
}

/** The people's figure under a metric: published, or the bound that records carry. */
function humanValue(rows, metric) {
  const published = rows.find((row) => row.role === "human" && row.scores[metric]);
  if (published) return published.scores[metric].value;
  const carried = rows.find((row) => row.scores[metric] && row.scores[metric].human != null);
  return carried ? carried.scores[metric].human : null;
}

function select(label, options, chosen, onchange) {
  const box = el("select", { onchange: (event) => onchange(event.target.value) },
    options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  return el("label", { class: "field" }, el("span", null, label), box);
}

function tableChooser(state) {
  const table = currentTable(state);
  const corpora = [...new Set(board().tables.map((each) => each.corpus))];
  const sets = board().tables.filter((each) => each.corpus === table.corpus);
  const drop = { a: "", b: "", n: "", id: "", sort: "", metric: "", x: "", y: "", q: "" };
  return [
    select("Corpus", corpora.map((name) => [name, name]), table.corpus,
      (corpus) => State.set({ ...drop, corpus, set: "" })),
    select("Reference set", sets.map((each) => [each.reference_set, setLabel(each.reference_set)]),
      table.reference_set, (set) => State.set({ ...drop, corpus: table.corpus, set })),
  ];
}

function metricChooser(label, table, chosen, key) {
  return select(label, table.metrics.map((name) => [name, metricOf(name).title]), chosen,
    (name) => State.set({ [key]: name }));
}

function systemAddress(row) {
  return State.address({ view: "system", id: row.id.slice(0, 12), corpus: row.corpus, set: row.reference_set,
    q: "", sort: "", dir: "", a: "", b: "", n: "" });
}

function badges(row) {
  const found = [];
  if (row.kind === "reported") found.push(["as reported", "Published by others; not scored here"]);
  if (row.role === "source") found.push(["baseline", "The source, unchanged"]);
  if (row.role === "human") found.push(["people", "Each reference against the others"]);
  return found.flatMap(([text, title]) => [" ", el("span", { class: "badge", title }, text)]);
}

function copyLink() {
  return el("button", {
    type: "button",
    class: "quiet",
    onclick: async (event) => {
      const { target } = event;
      try {
        await navigator.clipboard.writeText(location.href);
        target.textContent = "Copied";
      } catch {
        target.textContent = "Copy the address bar";
      }
      setTimeout(() => { target.textContent = "Copy link"; }, 1500);
    },
  }, "Copy link");
}
