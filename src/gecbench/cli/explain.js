"use strict";
// The page of `gecbench explain --html` has a section per sentence. This script shows and filters them.
(() => {
  const { el } = GECBENCH.use("dom");
  const { passes, filters, choose, walk } = GECBENCH.use("edits");
  const form = document.querySelector("form");
  const actions = el("div", { class: "actions" });
  const hasEdits = ({ edits }) => edits.length > 0;
  const sentences = [...document.querySelectorAll("section")].map((section) => ({
    id: section.id.slice(1),
    section,
    text: section.textContent.toLowerCase(),
    edits: [...section.querySelectorAll(".match, .miss, .wrong")].map((node) => (
      { node, outcome: node.className, type: node.getAttribute("data-type") })),
  }));

  function show({ section }, moved) {
    if (!moved) return;
    history.replaceState(null, "", `#${section.id}`);
    section.focus();
  }

  function filter() {
    const wanted = Object.fromEntries(new FormData(form));
    const chosen = choose(sentences, wanted, hasEdits);
    const shown = new Set(chosen);
    for (const sentence of sentences) {
      sentence.section.hidden = !shown.has(sentence);
      for (const edit of sentence.edits) {
        if (edit.type) edit.node.classList.toggle("chosen", Boolean(wanted.type) && passes(edit, wanted));
      }
    }
    actions.replaceChildren(...walk(chosen, location.hash.slice(2), show).steps);
  }

  /** Go to the sentence that the address names, if it names one. */
  function follow() {
    const linked = sentences.find(({ section }) => `#${section.id}` === location.hash);
    if (linked && !hasEdits(linked)) form.elements.show.value = "all";
    filter();
    if (linked) linked.section.scrollIntoView();
  }

  const shows = sentences.every(hasEdits) ? [] : [["", "sentences with edits"], ["all", "all sentences"]];
  const outcomes = [...document.querySelectorAll(".legend li")].map((item) => (
    [item.firstChild.className, item.lastChild.textContent.trim()]))
    .filter(([mark]) => sentences.some(({ edits }) => edits.some(({ outcome }) => outcome === mark)));
  const label = ({ node }) => node.lastChild.textContent;
  form.append(...filters(sentences, { shows, outcomes, outcomeLabel: "Outcome", label }, {}), actions);
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", follow);
  form.hidden = false;
  follow();
})();
