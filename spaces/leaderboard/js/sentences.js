"use strict";
// The edit browser: every edit of two systems as correct, wrong or missed, and both texts aligned with the references.
GECBENCH.define("sentences", (use) => {
  const { el, empty, foreign, points, shorten } = use("dom");
  const {
    typeName, currentTable, chosenMetric, corpusLabel, tableData, hasOutputs, byMerit, findRow, shortId, State, select,
    tableChooser, metricChooser, scrolled, dataFiles, copyLink,
  } = use("board");
  const PAGE = 30;
  const SHOW = [
    ["", "where A or B edits"], ["all", "all sentences"], ["differ", "where the two differ"],
    ["a", "what A fixes and B misses"], ["b", "what B fixes and A misses"],
  ];
  const OUTCOMES = [["", "any"], ["correct", "correct"], ["wrong", "wrong"], ["missed", "missed"]];
  const SIGNS = { correct: ["good", "✓"], wrong: ["other", "✗"], missed: ["missed", "○"] };
  const ORDER = [["", "as in the corpus"], ["a", "A better first"], ["b", "B better first"]];
  const LEGEND = [
    ["good", "as in a reference"],
    ["other", "not in any reference"],
    ["missed", "unchanged, but every reference changes it"],
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

  /** Why there is nothing to show. */
  function whyEmpty(table) {
    if (table.restricted) {
      return `The license of ${corpusLabel(table)} does not permit showing its sentences. Build the page yourself with `
        + "gecbench leaderboard build --restricted-texts to browse them.";
    }
    return "No sentences to show: this table has no outputs, or the board was built without them.";
  }

  async function showSentences(main, state) {
    const table = currentTable(state);
    const { rows: all } = await tableData(table);
    const rows = byMerit(all.filter((row) => hasOutputs(table, row)), table);
    const controls = el("div", { class: "controls" }, tableChooser(state));
    main.append(controls);
    if (!rows.length) {
      main.append(empty(whyEmpty(table)));
      return;
    }
    const a = findRow(rows, state.a) || rows[0];
    const b = findRow(rows, state.b) || rows.find((row) => row !== a) || a;
    const metric = chosenMetric(table, state.metric);
    const corpus = await GECBENCH.load(`corpus-${table.key}`);
    let details;
    try {
      details = [await GECBENCH.load(`outputs-${a.id}`), await GECBENCH.load(`outputs-${b.id}`)];
    } catch (error) {
      main.append(empty(String(error.message)));
      return;
    }
    if (details.some((each) => each.predictions.length !== corpus.sources.length)) {
      main.append(empty("These outputs belong to another version of the corpus."));
      return;
    }
    const context = { corpus, details, metric, systems: [a, b], state };
    controls.append(...choosers(rows, a, b, table, context).filter(Boolean));
    main.append(tally(context));
    browse(main, context, chooseSentences(context));
    main.append(dataFiles([`corpus-${table.key}`, `outputs-${a.id}`, `outputs-${b.id}`]));
  }

  function editsOf(context, side, i) {
    return context.details[side].edits[i] || [];
  }

  /** Whether an edit passes the filters of type and outcome. */
  function passes([outcome, , , , type], state) {
    return (!state.outcome || outcome === state.outcome) && (!state.type || type === state.type);
  }

  /** Gold edits of one system that are correct there and missed or made otherwise by the other. */
  function fixedAlone(context, side, i) {
    const made = editsOf(context, 1 - side, i).filter(([outcome]) => outcome === "correct")
      .map((edit) => edit.slice(1, 4).join("|"));
    return editsOf(context, side, i).filter((edit) => edit[0] === "correct"
      && (!context.state.type || edit[4] === context.state.type) && !made.includes(edit.slice(1, 4).join("|")));
  }

  function typesIn(context) {
    const counts = new Map();
    for (const edits of context.details[0].edits) {
      for (const [, , , , type] of edits) if (type) counts.set(type, (counts.get(type) || 0) + 1);
    }
    return [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one));
  }

  /** How many edits of each system pass the filters, by outcome. */
  function tally(context) {
    if (!context.details.some((each) => each.edits.length)) return "";
    const counts = context.details.map(({ edits }) => {
      const found = edits.flat().filter((edit) => passes(edit, { type: context.state.type }));
      return Object.keys(SIGNS).map((outcome) => found.filter((edit) => edit[0] === outcome).length);
    });
    return el("table", { class: "figures tally" },
      el("thead", null, el("tr", null, ["Edits by M2", "correct", "wrong", "missed"].map((label, k) => el("th",
        { scope: "col", class: k ? "number" : null }, label)))),
      el("tbody", null, counts.map((numbers, side) => el("tr", null,
        el("th", { scope: "row" }, `${"AB"[side]}: `, foreign(context.systems[side].system)),
        numbers.map((number) => el("td", { class: "number" }, String(number)))))));
  }

  function choosers(rows, a, b, table, context) {
    const { state, metric } = context;
    const options = rows.map((row) => [shortId(row), shorten(row.system, 60)]);
    const setting = (key) => (value) => State.set({ [key]: value, n: "" });
    const words = el("input", {
      type: "search", name: "words", value: state.words || "",
      onchange: (event) => setting("words")(event.target.value),
    });
    const hasEdits = context.details.some((each) => each.edits.length);
    const known = GECBENCH.board().types || {};
    const types = typesIn(context).map((type) => [type, known[type] ? `${type}: ${known[type]}` : type]);
    const show = hasEdits ? SHOW : SHOW.slice(0, 3);
    return [
      select("System A", options, shortId(a), setting("a")),
      select("System B", options, shortId(b), setting("b")),
      select("Show", show, state.show || "", setting("show")),
      hasEdits ? select("Outcome of A", OUTCOMES, state.outcome || "", setting("outcome")) : null,
      types.length > 1 ? select("Error type", [["", "any"], ...types], state.type || "", setting("type")) : null,
      metricChooser("Score", table, metric, "metric"),
      select("Order", ORDER, state.order || "", setting("order")),
      el("label", { class: "field grow" }, el("span", null, "Words"), words),
    ];
  }

  function sentenceScore(context, side, i) {
    const scores = context.details[side].sentence_scores[context.metric];
    return scores ? scores[i] : null;
  }

  /** Whether a sentence is one of those to show. */
  function isShown(context, i) {
    const { corpus, details, state } = context;
    const [left, right] = details.map((each) => each.predictions[i]);
    const filtered = (state.outcome || state.type) && !["a", "b"].includes(state.show);
    if (filtered && !editsOf(context, 0, i).some((edit) => passes(edit, state))) return false;
    if (state.show === "all") return true;
    if (state.show === "differ") return left !== right;
    if (state.show === "a") return fixedAlone(context, 0, i).length > 0;
    if (state.show === "b") return fixedAlone(context, 1, i).length > 0;
    const { length } = [...editsOf(context, 0, i), ...editsOf(context, 1, i)];
    return length > 0 || left !== corpus.sources[i] || right !== corpus.sources[i];
  }

  function chooseSentences(context) {
    const { corpus, details, metric, state } = context;
    const [left, right] = details.map((each) => each.predictions);
    const words = (state.words || "").toLowerCase().split(/\s+/).filter(Boolean);
    const found = corpus.sources.map((_, i) => i).filter((i) => {
      const text = [corpus.sources[i], left[i], right[i]].join(" ").toLowerCase();
      return words.every((word) => text.includes(word)) && isShown(context, i);
    });
    const scores = details.map((each) => each.sentence_scores[metric]);
    if (!state.order || !scores[0] || !scores[1]) return found;
    const sign = state.order === "a" ? 1 : -1;
    return found.sort((i, j) => sign * (scores[0][j] - scores[1][j] - (scores[0][i] - scores[1][i])));
  }

  function browse(main, context, chosen) {
    if (!chosen.length) {
      main.append(empty("No sentence matches these filters."));
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
    main.addEventListener("key", ({ detail: key }) => {
      if (key === "j") open(position + 1);
      if (key === "k") open(position - 1);
    });
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
    const tables = chunks(columns, width).map((part, k) => alignmentTable(part, names, k));
    const edits = systems.map((_, side) => editLine(context, side, i)).filter(Boolean);
    return [el("div", { class: "pair" }, heading), ...(edits.length ? [el("div", { class: "edits" }, edits)] : []),
      ...tables, legend];
  }

  /** The edits of a system in a sentence, each with its outcome and error type. */
  function editLine(context, side, i) {
    const edits = editsOf(context, side, i);
    if (!edits.length) return null;
    const source = tokensOf(context.corpus.sources[i]);
    const alone = ["a", "b"][side] === context.state.show ? fixedAlone(context, side, i) : null;
    return el("p", null, el("strong", null, `${"AB"[side]} `), edits.map((edit) => {
      const [outcome, start, end, correction, type] = edit;
      const [kind, sign] = SIGNS[outcome];
      const chosen = alone ? alone.includes(edit) : side === 0 && (context.state.outcome || context.state.type)
        && passes(edit, context.state);
      const before = source.slice(start, end).join(" ") || "∅";
      return el("span", { class: `edit ${kind}${chosen ? " chosen" : ""}`, "data-outcome": outcome, "data-type": type },
        el("strong", null, `${sign} ${outcome} `), foreign(before), " → ", foreign(correction || "∅"),
        type ? el("small", null, " ", typeName(type)) : null);
    }));
  }

  const pen = document.createElement("canvas").getContext("2d");

  /** Break the columns into lines that fit. */
  function chunks(columns, width) {
    const { fontSize, fontFamily } = getComputedStyle(document.body);
    pen.font = `600 ${fontSize} ${fontFamily}`; // as bold as a word can be
    const widthOf = (text) => pen.measureText(text).width;
    const parts = [[]];
    let used = 0;
    for (const column of columns) {
      const needed = Math.max(...[column.source, ...column.cells, "∅"].map(widthOf)) + 13;
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

  function alignmentTable(columns, names, part) {
    const shown = (text, kind) => (text ? foreign(text) : kind === "same" ? "" : "∅");
    const cell = (text, kind) => el("td", { class: kind }, shown(text, kind));
    const line = (name, cells) => el("tr", null, el("th", { scope: "row" }, name), cells);
    const system = (k) => columns.map(({ source, cells }) => cell(cells[k], cellKind(k, source, cells)));
    const label = part ? `Alignment, part ${part + 1}` : "Alignment";
    return scrolled(label, el("table", { class: "alignment" }, el("tbody", null,
      line("Source", columns.map((column) => cell(column.source, "same"))),
      names.map((name, k) => line(name, system(k))))));
  }

  return { alignTexts, judge, showSentences };
});
