"use strict";
// The sentences: two systems side by side, aligned with the source and the references.

const PAGE = 50;

GECBENCH.views.sentences = async (main, state) => {
  const table = currentTable(state);
  const rows = sortRows((await rowsOf(table)).filter((row) => row.outputs), table.metrics[0], true);
  main.append(el("div", { class: "controls" }, tableChooser(state)));
  if (!table.texts || !rows.length) {
    main.append(el("p", { class: "empty" }, "No sentences to show: this table has no outputs, or the board was built without texts."));
    return;
  }
  const pick = (key, other) => rows.find((row) => row.id.startsWith(state[key] || "-")) || other;
  const a = pick("a", rows[0]);
  const b = pick("b", rows.find((row) => row !== a) || a);
  const metric = table.metrics.includes(state.metric) ? state.metric : table.metrics[0];
  const corpus = await GECBENCH.load(`corpus-${table.key}`);
  let details;
  try {
    details = [await GECBENCH.load(`system-${a.id}`), await GECBENCH.load(`system-${b.id}`)];
  } catch (error) {
    main.append(el("p", { class: "empty" }, String(error.message)));
    return;
  }
  if (details.some((each) => each.predictions.length !== corpus.sources.length)) {
    main.append(el("p", { class: "empty" }, "These outputs belong to another version of the corpus."));
    return;
  }
  const options = rows.map((row) => [row.id.slice(0, 12), shorten(row.system, 60)]);
  const show = [["", "all sentences"], ["differ", "where the two differ"], ["changed", "where one changed something"]];
  main.lastChild.append(
    select("System A", options, a.id.slice(0, 12), (id) => State.set({ a: id, n: "" })),
    select("System B", options, b.id.slice(0, 12), (id) => State.set({ b: id, n: "" })),
    metricChooser("Score", table, metric, "metric"),
    select("Show", show, state.show || "", (value) => State.set({ show: value, n: "" })),
    select("Order", [["", "as in the corpus"], ["a", "A better first"], ["b", "B better first"]], state.order || "", (value) => State.set({ order: value, n: "" })),
    el("label", { class: "field grow" }, el("span", null, "Words"), el("input", { type: "search", value: state.words || "", onchange: (event) => State.set({ words: event.target.value, n: "" }) })));
  const context = { corpus, details, metric, systems: [a, b], state };
  browse(main, context, chooseSentences(context));
};

function sentenceScore(context, side, i) {
  const scores = context.details[side].sentence_scores[context.metric];
  return scores ? scores[i] : null;
}

function chooseSentences({ corpus, details, metric, state }) {
  const [left, right] = details.map((each) => each.predictions);
  const words = (state.words || "").toLowerCase().split(/\s+/).filter(Boolean);
  const found = corpus.sources.map((_, i) => i).filter((i) => {
    const text = [corpus.sources[i], left[i], right[i]].join(" ").toLowerCase();
    return words.every((word) => text.includes(word))
      && (state.show !== "differ" || left[i] !== right[i])
      && (state.show !== "changed" || left[i] !== corpus.sources[i] || right[i] !== corpus.sources[i]);
  });
  const scores = details.map((each) => each.sentence_scores[metric]);
  if (!state.order || !scores[0] || !scores[1]) return found;
  const sign = state.order === "a" ? 1 : -1;
  return found.sort((i, j) => sign * (scores[0][j] - scores[1][j] - (scores[0][i] - scores[1][i])));
}

function browse(main, context, chosen) {
  if (!chosen.length) {
    main.append(el("p", { class: "empty" }, "No sentence fits."));
    return;
  }
  const { corpus, state } = context;
  const wanted = corpus.ids.indexOf(state.n || "");
  let position = Math.max(0, chosen.indexOf(wanted));
  const panel = el("section", { class: "sentence", "aria-live": "polite" });
  const counter = el("span", { class: "status" });
  const items = new Map();
  const open = (next) => {
    position = Math.min(chosen.length - 1, Math.max(0, next));
    const i = chosen[position];
    counter.textContent = `Sentence ${corpus.ids[i]} (${position + 1} of ${chosen.length})`;
    panel.replaceChildren(...sentenceView(context, i));
    State.set({ n: corpus.ids[i] }, true);
    for (const [index, item] of items) item.classList.toggle("open", index === i);
  };
  const step = (label, by, key) => el("button", { type: "button", title: `Key ${key}`, onclick: () => open(position + by) }, label);
  main.append(el("div", { class: "actions" }, step("← Previous", -1, "k"), step("Next →", 1, "j"), counter, copyLink()), panel);
  main.append(sentenceList(context, chosen, items, (i) => { open(chosen.indexOf(i)); panel.scrollIntoView({ block: "nearest" }); }));
  main.onkeydown = (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j") open(position + 1);
    if (event.key === "k") open(position - 1);
  };
  open(position);
}

function sentenceList(context, chosen, items, open) {
  const list = el("ol", { class: "sentences" });
  const more = el("button", { type: "button", class: "quiet" }, "More");
  const extend = () => {
    for (const i of chosen.slice(items.size, items.size + PAGE)) {
      const scores = [0, 1].map((side) => points(sentenceScore(context, side, i), 1)).join(" / ");
      const item = el("li", null, el("button", { type: "button", onclick: () => open(i) },
        el("span", { class: "number" }, context.corpus.ids[i]), foreign(context.corpus.sources[i]), el("span", { class: "number" }, scores)));
      items.set(i, item);
      list.append(item);
    }
    more.hidden = items.size >= chosen.length;
  };
  more.addEventListener("click", extend);
  extend();
  return el("div", null, list, more);
}

function sentenceView(context, i) {
  const { corpus, details, systems } = context;
  const references = corpus.references[i] || [];
  const names = ["A", "B", ...references.map((_, k) => `Ref ${k + 1}`)];
  const texts = [...details.map((each) => each.predictions[i]), ...references];
  const columns = alignTexts(corpus.sources[i], texts);
  const heading = systems.map((row, side) => el("p", null, el("strong", null, `${names[side]} `), foreign(row.system),
    ` ${points(sentenceScore(context, side, i), 1)}`));
  const width = Math.max(240, document.getElementById("main").clientWidth - 96);
  return [el("div", { class: "pair" }, heading), ...chunks(columns, width).map((part) => alignmentTable(part, names)), legend()];
}

/** Break the columns into lines that fit. */
function chunks(columns, width) {
  const parts = [[]];
  let used = 0;
  for (const column of columns) {
    const letters = Math.max(column.source.length, ...column.cells.map((cell) => cell.length), 1);
    const needed = 7.9 * letters + 13;
    if (used + needed > width && parts.at(-1).length) {
      parts.push([]);
      used = 0;
    }
    parts.at(-1).push(column);
    used += needed;
  }
  return parts;
}

function alignmentTable(columns, names) {
  const cell = (text, kind) => el("td", { class: kind }, text ? foreign(text) : kind === "same" ? "" : "∅");
  const line = (name, cells) => el("tr", null, el("th", { scope: "row" }, name), cells);
  return el("div", { class: "scroll" }, el("table", { class: "alignment" }, el("tbody", null,
    line("Source", columns.map((column) => cell(column.source, "same"))),
    names.map((name, k) => line(name, columns.map(({ source, cells }) => cell(cells[k],
      k < 2 ? judge(cells[k], source, cells.slice(2)) : cells[k] === source ? "same" : "changed")))))));
}

function legend() {
  const entries = [["good", "as a reference has it"], ["other", "as no reference has it"], ["missed", "kept, though every reference changes it"], ["changed", "a reference's change"]];
  return el("ul", { class: "legend" }, entries.map(([kind, text]) => el("li", null, el("span", { class: `key ${kind}` }, "ab"), ` ${text}`)));
}
