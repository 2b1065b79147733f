"use strict";
// Draws the view that the address names.
GECBENCH.define("app", (use) => {
  const { el, empty, outside, sentence, counted } = use("dom");
  const { State } = use("board");

  /** Views by name: [label, function]. A view without a label has no link in the navigation. */
  const VIEWS = {
    table: ["Ranking", use("table").showTable],
    plot: ["Plot", use("charts").showPlot],
    matrix: ["Significance", use("matrix").showMatrix],
    groups: ["Groups", use("charts").showGroups],
    compare: ["Compare", use("systems").showCompare],
    agreement: ["Metrics", use("agreement").showAgreement],
    sentences: ["Edits", use("sentences").showSentences],
    submit: ["Submit", use("submit").showSubmit],
    system: ["", use("systems").showSystem],
  };
  /** Views that a private ("sealed") board does not offer. */
  const OPEN = ["groups", "sentences", "matrix"];
  let drawing = 0;

  function drawViews(state) {
    const keep = Object.entries({ corpus: state.corpus, set: state.set }).filter(([, value]) => value);
    const query = keep.length ? `?${new URLSearchParams(keep)}` : "";
    const { sealed, tables } = GECBENCH.board();
    const judged = !sealed && tables.some((table) => table.agreement);
    const offered = Object.entries(VIEWS).filter(([view, [label]]) => label && !(sealed && OPEN.includes(view))
      && (view !== "agreement" || judged));
    const links = offered.map(([view, [label]]) => {
      const current = view === state.view || (state.view === "system" && view === "table");
      return el("a", { href: `#${view}${query}`, "aria-current": current ? "page" : null }, label);
    });
    document.getElementById("views").replaceChildren(...links);
  }

  async function draw() {
    const state = State.read();
    if (state.view === "main") return;
    const [label, show] = Object.hasOwn(VIEWS, state.view) ? VIEWS[state.view] : ["", VIEWS.table[1]];
    const mine = ++drawing;
    const fresh = el("main", { id: "main", tabindex: -1 });
    drawViews(state);
    try {
      await show(fresh, state);
    } catch (error) {
      fresh.replaceChildren(empty(`This view cannot be shown: ${sentence(error.message)} Reload the page.`));
    }
    if (mine !== drawing) return;
    const focused = focusedKey();
    document.getElementById("main").replaceWith(fresh);
    keepFocus(fresh, focused);
    document.title = `${label || "System"} – ${GECBENCH.board().title}`;
    document.documentElement.dataset.drawn = String(mine);
    requestAnimationFrame(() => performance.mark("drawn"));
  }

  const CONTROLS = "a, button, input, select, summary";

  /** Return a key that identifies a control of a view, the same each time it is drawn. */
  function keyOf(node) {
    const label = node.closest("label");
    const text = node.dataset.sort || node.id || (label ? label.textContent.slice(0, 30) : node.textContent);
    return [node.tagName, node.name, node.type === "checkbox" ? node.value : "", text.replace(/[▲▼]/g, "")].join("|");
  }

  function focusedKey() {
    const node = document.activeElement;
    return node && node.matches(CONTROLS) && document.getElementById("main").contains(node) ? keyOf(node) : null;
  }

  /** Focus the control that had the focus before the view was drawn again. */
  function keepFocus(main, key) {
    const found = key && [...main.querySelectorAll(CONTROLS)].find((node) => keyOf(node) === key);
    if (found) found.focus({ preventScroll: true });
  }

  /** Show the title, description and logo of the board. */
  function drawHeader() {
    const { title, description, logo } = GECBENCH.board();
    const about = document.querySelector("header p");
    document.querySelector("h1").textContent = title;
    if (description) about.textContent = description;
    if (logo) document.querySelector(".brand img").src = logo;
  }

  function drawFooter() {
    const { version, built, skipped, license, link } = GECBENCH.board();
    const time = built.replace("T", " ").replace("+00:00", " UTC");
    document.getElementById("footer").replaceChildren(
      el("p", null, link ? [outside(link, "About this task"), ". "] : null, license ? `License: ${license}. ` : null,
        `Built ${time} with gecbench ${version}. `,
        el("a", { href: "data/board.json", download: "leaderboard.json" }, "All records as JSON"), ", ",
        el("a", { href: "data/board.csv", download: "leaderboard.csv" }, "as CSV"),
        ". This page sets no cookies and loads nothing from other sites."),
      skipped ? el("p", null, `Left out: ${counted(skipped, "record")} with errors.`) : "");
  }

  function start() {
    addEventListener("hashchange", draw);
    drawHeader();
    drawFooter();
    draw();
  }

  return { start };
});

document.addEventListener("DOMContentLoaded", () => {
  if (GECBENCH.board()) GECBENCH.use("app").start();
});
