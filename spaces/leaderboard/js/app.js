"use strict";
// Draws the view that the address names.

const VIEWS = { table: "Ranking", plot: "Plot", distance: "Edit distance", sentences: "Sentences", submit: "Submit" };
let drawing = 0;

function drawViews(state) {
  const keep = { corpus: state.corpus, set: state.set };
  document.getElementById("views").replaceChildren(...Object.entries(VIEWS).map(([view, label]) => {
    const query = new URLSearchParams(Object.entries(keep).filter(([, value]) => value));
    const current = view === state.view || (state.view === "system" && view === "table");
    return el("a", { href: `#${view}${query.size ? `?${query}` : ""}`, "aria-current": current ? "page" : null }, label);
  }));
}

async function draw() {
  const state = State.read();
  if (state.view === "main") return;
  const view = GECBENCH.views[state.view] || GECBENCH.views.table;
  const main = document.getElementById("main");
  const mine = ++drawing;
  const fresh = el("main", { id: "main", tabindex: -1 });
  drawViews(state);
  try {
    await view(fresh, state);
  } catch (error) {
    fresh.replaceChildren(el("p", { class: "empty" }, `This cannot be shown: ${error.message}`));
  }
  if (mine !== drawing) return;
  main.replaceWith(fresh);
  document.title = `${VIEWS[state.view] || "System"} – GEC leaderboard`;
  document.documentElement.dataset.drawn = String(mine);
  requestAnimationFrame(() => performance.mark("drawn"));
}

/** Read the board's data again, after a submission. */
GECBENCH.refresh = async () => {
  for (const name of [...GECBENCH.data.keys()]) if (!name.startsWith("system-")) GECBENCH.data.delete(name);
  GECBENCH.waiting.clear();
  const script = el("script", { src: `data/board.js?t=${Date.now()}` });
  await new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error("The board could not be read again; reload the page."));
    document.head.append(script);
  });
};

function drawFooter() {
  const { version, built, skipped } = board();
  document.getElementById("footer").replaceChildren(
    el("p", null, `Built ${built.replace("T", " ").replace("+00:00", " UTC")} with gecbench ${version}. `,
      el("a", { href: "data/board.json", download: "leaderboard.json" }, "All records as JSON"), ", ",
      el("a", { href: "data/board.csv", download: "leaderboard.csv" }, "as CSV"), ". No cookies, nothing fetched from elsewhere."),
    skipped ? el("p", null, `${skipped} records could not be read and were left out.`) : "");
}

if (board()) {
  addEventListener("hashchange", draw);
  drawFooter();
  draw();
}
