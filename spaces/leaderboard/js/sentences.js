"use strict";
// The sentences: two systems side by side, aligned with the source and the references.
GECBENCH.define("sentences", (use) => {
  const { el, empty, foreign, points, shorten } = use("dom");
  const {
    currentTable, chosenMetric, tableData, hasDetails, byMerit, findRow, shortId, State, select, tableChooser,
    metricChooser, scrolled, dataFiles, copyLink,
  } = use("board");
  const PAGE = 50;
  const SHOW = [["", "all sentences"], ["differ", "where the two differ"], ["changed", "where one changed something"]];
  const ORDER = [["", "as in the corpus"], ["a", "A better first"], ["b", "B better first"]];
  const LEGEND = [
    ["good", "as a reference has it"],
    ["other", "as no reference has it"],
    ["missed", "kept, though every reference changes it"],
    ["changed", "a reference's change"],
  ];

  // Token alignment of any number of texts, each against the source: columns are source tokens and the gaps between.
  function tokensOf(text) {
    return text.split(/\s+/u).filter(Boolean);
  }

  /** Cost of replacing a token: less for spellings that share a beginning or an end. */
  function substitution(left, right) {
    if (left === right) return 0;
    if (left.toLowerCase() === right.toLowerCase()) return 0.4;
    const shorter = Math.min(left.length, right.length);
    let head = 0;
    while (head < shorter && left[head] === right[head]) head++;
    let tail = 0;
    while (tail < shorter - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
    return 1.5 - (head + tail) / Math.max(left.length, right.length);
  }

  /** Return {kept: a string per source token ("" where deleted), gaps: inserted tokens before each and at the end}. */
  function alignToSource(source, tokens) {
    const width = tokens.length + 1;
    const cost = new Float64Array((source.length + 1) * width);
    for (let j = 1; j < width; j++) cost[j] = j;
    for (let i = 1; i <= source.length; i++) {
      cost[i * width] = i;
      for (let j = 1; j < width; j++) {
        const replaced = cost[(i - 1) * width + j - 1] + substitution(source[i - 1], tokens[j - 1]);
        cost[i * width + j] = Math.min(replaced, cost[(i - 1) * width + j] + 1, cost[i * width + j - 1] + 1);
      }
    }
    const kept = source.map(() => "");
    const gaps = Array.from({ length: source.length + 1 }, () => []);
    for (let i = source.length, j = tokens.length; i > 0 || j > 0;) {
      const here = cost[i * width + j];
      const diagonal = i && j ? cost[(i - 1) * width + j - 1] + substitution(source[i - 1], tokens[j - 1]) : Infinity;
      if (Math.abs(here - diagonal) < 1e-9) kept[--i] = tokens[--j];
      else if (i && Math.abs(here - cost[(i - 1) * width + j] - 1) < 1e-9) i--;
      else gaps[i].unshift(tokens[--j]);
    }
    return { kept, gaps };
  }

  /** Return columns [{source, cells}] for a source and texts; a cell is what stands in the column in that text. */
  function alignTexts(sourceText, texts) {
    const source = tokensOf(sourceText);
    const aligned = texts.map((text) => alignToSource(source, tokensOf(text)));
    const columns = [];
    for (let i = 0; i <= source.length; i++) {
      if (aligned.some(({ gaps }) => gaps[i].length)) {
        columns.push({ source: "", cells: aligned.map(({ gaps }) => gaps[i].join(" ")) });
      }
      if (i < source.length) columns.push({ source: source[i], cells: aligned.map(({ kept }) => kept[i]) });
    }
    return columns;
  }

  /** Judge a system's cell by the references' cells of its column. */
  function judge(cell, source, references) {
    if (cell === source) return references.length && references.every((other) => other !== source) ? "missed" : "same";
    if (!references.length) return "changed";
    return references.includes(cell) ? "good" : "other";
  }

  async function showSentences(main, state) {
    const table = currentTable(state);
    const { rows: all } = await tableData(table);
    const rows = byMerit(all.filter((row) => hasDetails(table, row)), table);
    const controls = el("div", { class: "controls" }, tableChooser(state));
    main.append(controls);
    if (!rows.length) {
      main.append(empty("No sentences to show: this table has no outputs, or the board was built without them."));
      return;
    }
    const a = findRow(rows, state.a) || rows[0];
    const b = findRow(rows, state.b) || rows.find((row) => row !== a) || a;
    const metric = chosenMetric(table, state.metric);
    const corpus = await GECBENCH.load(`corpus-${table.key}`);
    let details;
    try {
      details = [await GECBENCH.load(`system-${a.id}`), await GECBENCH.load(`system-${b.id}`)];
    } catch (error) {
      main.append(empty(String(error.message)));
      return;
    }
    if (details.some((each) => each.predictions.length !== corpus.sources.length)) {
      main.append(empty("These outputs belong to another version of the corpus."));
      return;
    }
    controls.append(...choosers(rows, a, b, table, metric, state));
    const context = { corpus, details, metric, systems: [a, b], state };
    browse(main, context, chooseSentences(context));
    main.append(dataFiles([`corpus-${table.key}`, `system-${a.id}`, `system-${b.id}`]));
  }

  function choosers(rows, a, b, table, metric, state) {
    const options = rows.map((row) => [shortId(row), shorten(row.system, 60)]);
    const setting = (key) => (value) => State.set({ [key]: value, n: "" });
    const words = el("input", {
      type: "search", value: state.words || "", onchange: (event) => setting("words")(event.target.value),
    });
    return [
      select("System A", options, shortId(a), setting("a")),
      select("System B", options, shortId(b), setting("b")),
      metricChooser("Score", table, metric, "metric"),
      select("Show", SHOW, state.show || "", setting("show")),
      select("Order", ORDER, state.order || "", setting("order")),
      el("label", { class: "field grow" }, el("span", null, "Words"), words),
    ];
  }

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
      main.append(empty("No sentence fits."));
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
    const openItem = (i) => {
      open(chosen.indexOf(i));
      panel.scrollIntoView({ block: "nearest" });
    };
    const step = (label, by, key) => el("button",
      { type: "button", title: `Key ${key}`, onclick: () => open(position + by) }, label);
    main.append(
      el("div", { class: "actions" }, step("← Previous", -1, "k"), step("Next →", 1, "j"), counter, copyLink()),
      panel, sentenceList(context, chosen, items, openItem));
    main.onkeydown = (event) => {
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
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
          el("span", { class: "number" }, context.corpus.ids[i]), foreign(context.corpus.sources[i]),
          el("span", { class: "number" }, scores)));
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
    const legend = el("ul", { class: "legend" }, LEGEND.map(([kind, text]) => el("li", null,
      el("span", { class: `key ${kind}` }, "ab"), ` ${text}`)));
    const tables = chunks(columns, width).map((part) => alignmentTable(part, names));
    return [el("div", { class: "pair" }, heading), ...tables, legend];
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

  function cellKind(k, source, cells) {
    if (k < 2) return judge(cells[k], source, cells.slice(2));
    return cells[k] === source ? "same" : "changed";
  }

  function alignmentTable(columns, names) {
    const shown = (text, kind) => (text ? foreign(text) : kind === "same" ? "" : "∅");
    const cell = (text, kind) => el("td", { class: kind }, shown(text, kind));
    const line = (name, cells) => el("tr", null, el("th", { scope: "row" }, name), cells);
    const system = (k) => columns.map(({ source, cells }) => cell(cells[k], cellKind(k, source, cells)));
    return scrolled("Alignment", el("table", { class: "alignment" }, el("tbody", null,
      line("Source", columns.map((column) => cell(column.source, "same"))),
      names.map((name, k) => line(name, system(k))))));
  }

  return { alignTexts, judge, showSentences };
});
