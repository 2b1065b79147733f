"use strict";
// Runs before the page is drawn, so that a chosen theme does not flash.
(() => {
  const LABELS = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" };
  const THEMES = Object.keys(LABELS);

  function storedTheme() {
    try {
      const stored = localStorage.getItem("gecbench-theme");
      return THEMES.includes(stored) ? stored : "auto";
    } catch {
      return "auto";
    }
  }

  function applyTheme(theme) {
    document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (button) button.textContent = LABELS[theme];
  }

  applyTheme(storedTheme());
  document.addEventListener("DOMContentLoaded", () => {
    applyTheme(storedTheme());
    document.getElementById("theme").addEventListener("click", () => {
      const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
      try {
        localStorage.setItem("gecbench-theme", next);
      } catch { /* a page without storage forgets it */ }
      applyTheme(next);
    });
  });
})();
