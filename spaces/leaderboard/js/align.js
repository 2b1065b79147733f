"use strict";
// Token alignment of any number of texts, each against the source: columns are source tokens and the gaps between.
GECBENCH.define("align", () => {
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

  return { alignTexts, judge };
});
