"use strict";
// Small parts that several views share: the state in the address, choosing the table, badges.
GECBENCH.define("controls", (use) => {
  const { el } = use("dom");
  const { metricOf, currentTable, setLabel, shortId } = use("board");
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
    State, select, tableChooser, metricChooser, systemAddress, systemOptions, badges, scrolled, dataFiles, copyLink,
  };
});
