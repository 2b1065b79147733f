"use strict";
// Small parts that several views share: the state in the address, choosing the table, badges.
GECBENCH.define("controls", (use) => {
  const { el } = use("dom");
  const { metricOf, currentTable, setLabel, shortId } = use("board");

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
    return State.address({
      view: "system", id: shortId(row), corpus: row.corpus, set: row.reference_set,
      q: "", sort: "", dir: "", a: "", b: "", n: "",
    });
  }

  function badges(row) {
    const found = [];
    if (row.kind === "reported") found.push(["as reported", "Published by others; not scored here"]);
    if (row.role === "source") found.push(["baseline", "The source, unchanged"]);
    if (row.role === "human") found.push(["people", "Each reference against the others"]);
    return found.flatMap(([text, title]) => [" ", el("span", { class: "badge", title }, text)]);
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

  return { State, select, tableChooser, metricChooser, systemAddress, badges, copyLink };
});
