
"use strict";
// Filters of an explained page, and keys: j and k go from sentence to sentence, / to the search box.
(() => {
  const form = document.querySelector("form");
  const status = form.querySelector("output");
  const sections = [...document.querySelectorAll("section")];
  const texts = sections.map((section) => section.textContent.toLowerCase());
  const { words, type, outcome } = form.elements;
  let current = null;

  /** What an edit must be to count; null where anything will do. */
  function wantedEdit() {
    const kind = type && type.value ? `[data-type="${CSS.escape(type.value)}"]` : "";
    const mark = outcome.value ? `.${outcome.value}` : "";
    return mark + kind || null;
  }

  /** Whether a section's text has the words; a number alone means the sentence of that number. */
  function hasWords(k) {
    const wanted = words.value.trim().toLowerCase();
    if (/^\d+$/.test(wanted)) return new RegExp(`^\\s*sentence ${wanted}\\b`).test(texts[k]);
    return wanted.split(/\s+/).every((word) => texts[k].includes(word));
  }

  function filter() {
    const edit = wantedEdit();
    let shown = 0;
    sections.forEach((section, k) => {
      section.hidden = !(hasWords(k) && (!edit || section.querySelector(edit)));
      shown += !section.hidden;
    });
    status.textContent = `${shown} of ${sections.length} sentences`;
  }

  /** Go to the next sentence shown, or the one before; to the first at first. */
  function step(by) {
    const shown = sections.filter((section) => !section.hidden);
    const at = shown.indexOf(current);
    const next = at < 0 ? shown[0] : shown[at + by];
    if (!next) return;
    current = next;
    next.focus();
  }

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.elements.next.addEventListener("click", () => step(1));
  form.elements.previous.addEventListener("click", () => step(-1));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    if (event.key === "j") step(1);
    if (event.key === "k") step(-1);
    if (event.key !== "/") return;
    event.preventDefault();
    words.focus();
  });
  form.hidden = false;
  filter();
})();
