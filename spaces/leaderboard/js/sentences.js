"use strict";
// The edits of two systems, marked as correct, wrong or missed, and their outputs aligned with the references.
GECBENCH.define("sentences", (use) => {
  const { el, choice, empty, foreign, points, shorten } = use("dom");
  const {
    typeName, currentTable, chosenMetric, corpusLabel, tableData, hasOutputs, byMerit, findRow, shortId, State,
    tableChooser, metricChooser, scrolled, dataFiles, copyLink,
  } = use("board");
  const { passes, filters, choose, walk } = use("edits");
  const PAGE = 30;
  const SHOW = [
    ["", "sentences edited by A or B"], ["all", "all sentences"], ["differ", "sentences where A and B differ"],
    ["a", "errors that A fixes and B misses"], ["b", "errors that B fixes and A misses"],
  ];
  const SIGNS = { correct: ["match", "✓"], wrong: ["wrong", "✗"], missed: ["miss", "○"] };
  const ORDER = [["", "as in the corpus"], ["a", "largest lead of A first"], ["b", "largest lead of B first"]];
  const LEGEND = [
    ["match", "change as in a reference"],
    ["wrong", "change that is not in any reference"],
    ["miss", "unchanged, but every reference changes it"],
    ["changed", "change in a reference"],
  ];

  // Token alignment of several texts with the source: the columns are source tokens and the gaps between them.
  function tokensOf(text) {
    return text.split(/\s+/u).filter(Boolean);
  }

  /** Cost of replacing a token. It is lower for tokens that share a beginning or an end. */
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

  /** Return columns [{source, cells}] for a source and texts. A column has a cell per text. */
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

  /** Compare a system's cell with the references' cells: return "match", "wrong", "miss", "same" or "changed". */
  function judge(cell, source, references) {
    if (cell === source) return references.length && references.every((other) => other !== source) ? "miss" : "same";
    if (!references.length) return "changed";
    return references.includes(cell) ? "match" : "wrong";
  }

  /** A sentence that says why there is nothing to show. */
  function whyEmpty(table) {
    if (table.restricted) {
      return `The license of ${corpusLabel(table)} does not permit showing its sentences. To browse them, build the `
        + "page yourself with gecbench leaderboard build --restricted-texts.";
    }
    return "There are no sentences to show: this table has no outputs, or the page was built without sentences.";
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
      main.append(empty("Outputs of A or B belong to another version of the corpus. Choose other systems."));
      return;
    }
    const sentences = pairUp(corpus, details, metric);
    const options = rows.map((row) => [shortId(row), shorten(row.system, 60)]);
    controls.append(
      choice("System A", options, shortId(a), { name: "a" }), choice("System B", options, shortId(b), { name: "b" }),
      metricChooser("Metric", table, metric, "metric"), choice("Order", ORDER, state.order || "", { name: "order" }),
      ...fields(sentences, state));
    controls.addEventListener("change", ({ target: { name, value } }) => {
      if (name) State.set({ [name]: value, n: "" });
    });
    main.append(tally(sentences, [a, b], state));
    browse(main, chooseSentences(sentences, state), [a, b], state);
    main.append(dataFiles([`corpus-${table.key}`, `outputs-${a.id}`, `outputs-${b.id}`]));
  }

  /** The sentences of a corpus with the outputs, edits and scores of systems A and B. */
  function pairUp({ ids, sources, references }, details, metric) {
    return sources.map((source, i) => {
      const outputs = details.map((each) => each.predictions[i]);
      const sides = details.map((each) => (each.edits[i] || []).map(([outcome, start, end, correction, type]) => (
        { outcome, start, end, correction, type })));
      const scores = details.map((each) => (each.sentence_scores[metric] || [])[i]);
      const text = [source, ...outputs].join(" ").toLowerCase();
      return { id: ids[i], source, references: references[i] || [], outputs, sides, edits: sides[0], scores, text };
    });
  }

  /** The correct edits of one system that the other system did not make in the same way. */
  function fixedAlone({ sides }, side, { type }) {
    const key = ({ start, end, correction }) => [start, end, correction].join("|");
    const made = sides[1 - side].filter(({ outcome }) => outcome === "correct").map(key);
    return sides[side].filter((edit) => passes(edit, { outcome: "correct", type }) && !made.includes(key(edit)));
  }

  /** A table of how many edits of each system pass the filters, by outcome. */
  function tally(sentences, systems, { type }) {
    const edits = systems.map((_, side) => sentences.flatMap(({ sides }) => sides[side]));
    if (!edits.flat().length) return "";
    const counts = edits.map((found) => Object.keys(SIGNS).map((outcome) => (
      found.filter((edit) => passes(edit, { outcome, type })).length)));
    return el("table", { class: "figures tally" },
      el("thead", null, el("tr", null, ["Edits, as M2 counts them", "correct", "wrong", "missed"].map(
        (label, k) => el("th", { scope: "col", class: k ? "number" : null }, label)))),
      el("tbody", null, counts.map((numbers, side) => el("tr", null,
        el("th", { scope: "row" }, `${"AB"[side]}: `, foreign(systems[side].system)),
        numbers.map((number) => el("td", { class: "number" }, String(number)))))));
  }

  function fields(sentences, state) {
    const hasEdits = sentences.some(({ sides }) => sides.flat().length);
    const known = GECBENCH.board().types || {};
    return filters(sentences, {
      shows: hasEdits ? SHOW : SHOW.slice(0, 3),
      outcomes: hasEdits ? Object.keys(SIGNS).map((outcome) => [outcome, outcome]) : [],
      outcomeLabel: "A's edits",
      label: ({ type }) => (known[type] ? `${type}: ${known[type]}` : type),
    }, state);
  }

  function chooseSentences(sentences, state) {
    const alone = ["a", "b"].indexOf(state.show);
    const found = choose(sentences, alone < 0 ? state : { ...state, outcome: "", type: "" }, (sentence) => {
      const { source, outputs: [left, right], sides } = sentence;
      if (state.show === "differ") return left !== right;
      if (alone >= 0) return fixedAlone(sentence, alone, state).length > 0;
      return sides.flat().length > 0 || left !== source || right !== source;
    });
    const better = ({ scores: [left, right] }) => (state.order === "a" ? left - right : right - left);
    return state.order ? found.sort((one, other) => better(other) - better(one) || 0) : found;
  }

  function browse(main, chosen, systems, state) {
    const panel = el("section", { class: "sentence", "aria-live": "polite" });
    const items = new Map();
    const show = (sentence) => {
      panel.replaceChildren(...sentenceView(sentence, systems, state));
      State.set({ n: sentence.id }, true);
      for (const [each, item] of items) item.classList.toggle("open", each === sentence);
    };
    const list = sentenceList(chosen, items, (position) => {
      open(position);
      panel.scrollIntoView({ block: "nearest" });
    });
    const { steps, open } = walk(chosen, state.n, show);
    main.append(el("div", { class: "actions" }, steps, copyLink()));
    if (chosen.length) main.append(panel, list);
  }

  function sentenceList(chosen, items, open) {
    const list = el("ol", { class: "sentences" });
    const more = el("button", { type: "button", class: "quiet" }, "More");
    const extend = () => {
      for (let k = items.size, end = Math.min(k + PAGE, chosen.length); k < end; k++) {
        const { id, source, scores } = chosen[k];
        const item = el("li", null, el("button", { type: "button", onclick: () => open(k) },
          el("span", { class: "number" }, id), foreign(source),
          el("span", { class: "number" }, scores.map((score) => points(score, 1)).join(" / "))));
        items.set(chosen[k], item);
        list.append(item);
      }
      more.hidden = items.size >= chosen.length;
    };
    more.addEventListener("click", extend);
    extend();
    return el("div", null, list, more);
  }

  function sentenceView(sentence, systems, state) {
    const { source, outputs, references, scores } = sentence;
    const names = ["A", "B", ...references.map((_, k) => `Ref ${k + 1}`)];
    const columns = alignTexts(source, [...outputs, ...references]);
    const heading = systems.map((row, side) => el("p", null, el("strong", null, `${names[side]} `), foreign(row.system),
      ` ${points(scores[side], 1)}`));
    const width = Math.max(240, document.getElementById("main").clientWidth - 96);
    const legend = el("ul", { class: "legend" }, LEGEND.map(([kind, text]) => el("li", null,
      el("span", { class: kind }, "ab"), ` ${text}`)));
    const tables = chunks(columns, width).map((part, k) => alignmentTable(part, names, k));
    const edits = systems.map((_, side) => editLine(sentence, side, state)).filter(Boolean);
    return [el("div", { class: "pair" }, heading), ...(edits.length ? [el("div", { class: "edits" }, edits)] : []),
      ...tables, legend];
  }

  /** The edits of a system in a sentence, each with its outcome and error type. */
  function editLine(sentence, side, state) {
    if (!sentence.sides[side].length) return null;
    const source = tokensOf(sentence.source);
    const alone = ["a", "b"][side] === state.show ? fixedAlone(sentence, side, state) : null;
    return el("p", null, el("strong", null, `${"AB"[side]} `), sentence.sides[side].map((edit) => {
      const { outcome, start, end, correction, type } = edit;
      const [mark, sign] = SIGNS[outcome];
      const chosen = alone ? alone.includes(edit) : side === 0 && (state.outcome || state.type) && passes(edit, state);
      const before = source.slice(start, end).join(" ") || "∅";
      return el("span", { class: `${mark}${chosen ? " chosen" : ""}`, "data-type": type },
        el("strong", null, `${sign} ${outcome} `), foreign(before), " → ", foreign(correction || "∅"),
        type ? el("small", null, " ", typeName(type)) : null);
    }));
  }

  const pen = document.createElement("canvas").getContext("2d");

  /** Break the columns into lines that fit. */
  function chunks(columns, width) {
    const { fontSize, fontFamily } = getComputedStyle(document.body);
    pen.font = `600 ${fontSize} ${fontFamily}`; // the boldest weight in the table
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
