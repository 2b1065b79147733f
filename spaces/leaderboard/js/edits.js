"use strict";
// The edit browser of the board's page and of the pages that `gecbench explain --html` writes. It filters sentences
// {id, text, edits: [{outcome, type}]} by words and edits, and opens one after another with buttons and keys.
GECBENCH.define("edits", (use) => {
  const { el, choice } = use("dom");

  /** Whether an edit has the chosen outcome and error type. */
  function passes(edit, { outcome, type }) {
    return (!outcome || edit.outcome === outcome) && (!type || edit.type === type);
  }

  /** Return the fields show, outcome, type and words of the form. `label` returns an edit's error type in words. */
  function filters(sentences, { shows, outcomes, outcomeLabel, label }, chosen) {
    const types = new Map();
    for (const { edits } of sentences) {
      for (const edit of edits) {
        if (edit.type) types.set(edit.type, { label: label(edit), count: (types.get(edit.type)?.count || 0) + 1 });
      }
    }
    const byCount = [...types].sort(([, one], [, other]) => other.count - one.count);
    const field = (name, title, options) => (options.length > 1
      ? choice(title, options, chosen[name] || "", { name }) : null);
    return [
      field("show", "Show", shows),
      field("outcome", outcomeLabel, [["", "any"], ...outcomes]),
      field("type", "Error type", [["", "any"], ...byCount.map(([type, found]) => [type, found.label])]),
      el("label", { class: "field grow" }, el("span", null, "Sentence number or words"), el("input",
        { type: "search", name: "words", value: chosen.words || "", title: "Shortcut: /", "aria-keyshortcuts": "/" })),
    ].filter(Boolean);
  }

  /** Return the sentences to show: the one with this number, or all that contain the words and a matching edit. */
  function choose(sentences, wanted, isShown) {
    const words = (wanted.words || "").trim().toLowerCase();
    const numbered = sentences.filter(({ id }) => id.toLowerCase() === words);
    if (numbered.length) return numbered;
    return sentences.filter((sentence) => words.split(/\s+/).every((word) => sentence.text.includes(word))
      && (!(wanted.outcome || wanted.type) || sentence.edits.some((edit) => passes(edit, wanted)))
      && (wanted.show === "all" || isShown(sentence)));
  }

  /** Open the sentence with an id, or the first. Return buttons with a counter, and a function to open another. */
  function walk(chosen, id, show) {
    const counter = el("output", { class: "status" }, "No sentence matches these filters.");
    let position = Math.max(0, chosen.findIndex((sentence) => sentence.id === id));
    const open = (next, moved = true) => {
      if (!chosen[next]) return;
      position = next;
      counter.textContent = `Sentence ${chosen[next].id} (${next + 1} of ${chosen.length})`;
      show(chosen[next], moved);
    };
    const step = (label, by, key) => el("button", { type: "button", title: `Shortcut: ${key}`, "aria-keyshortcuts": key,
      disabled: !chosen.length, onclick: () => open(position + by) }, label);
    open(position, false);
    return { steps: [step("← Previous", -1, "k"), step("Next →", 1, "j"), counter], open };
  }

  // Pressing a key clicks or focuses the control that declares it, unless you are typing in a field.
  document.addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const control = document.querySelector(`[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
    if (!control) return;
    event.preventDefault();
    if (control.matches("input")) control.focus();
    else control.click();
  });

  return { passes, filters, choose, walk };
});
