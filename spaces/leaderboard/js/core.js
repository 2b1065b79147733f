"use strict";
// The page must open from a disk, where browsers refuse ES modules and fetch(). So there is one global, GECBENCH. Each
// file defines modules by name, and a module runs when it is first used. This file comes first. The order of the other
// files does not matter. Data are scripts that call GECBENCH.add.
const GECBENCH = (() => {
  const factories = new Map();
  const modules = new Map();
  const data = new Map();
  const loading = new Map();

  function define(name, factory) {
    factories.set(name, factory);
  }

  function use(name) {
    if (!modules.has(name)) {
      if (!factories.has(name)) throw new Error(`The module ${name} is not defined, or it uses itself.`);
      const factory = factories.get(name);
      factories.delete(name);
      modules.set(name, Object.freeze(factory(use)));
    }
    return modules.get(name);
  }

  function add(name, value) {
    data.set(name, value);
  }

  function board() {
    return data.get("board");
  }

  function runScript(address) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = resolve;
      script.onerror = () => {
        script.remove();
        reject(new Error(`${address.split("?")[0]} is missing`));
      };
      document.head.append(script);
    });
  }

  async function read(name) {
    try {
      await runScript(`data/${name}.js?v=${encodeURIComponent(board().built)}`);
      if (!data.has(name)) throw new Error(`data/${name}.js is missing`);
      return data.get(name);
    } finally {
      loading.delete(name);
    }
  }

  /** Return a promise of the data with this name. They are read only once. */
  function load(name) {
    if (data.has(name)) return Promise.resolve(data.get(name));
    if (!loading.has(name)) loading.set(name, read(name));
    return loading.get(name);
  }

  /** Read the board's data again, after a submission. */
  async function refresh() {
    for (const name of [...data.keys()]) if (!name.startsWith("system-")) data.delete(name);
    loading.clear();
    try {
      await runScript(`data/board.js?t=${Date.now()}`);
    } catch {
      throw new Error("The board could not be updated. Reload the page.");
    }
  }

  return Object.freeze({ define, use, add, board, load, refresh });
})();

// Set the theme before the page is drawn, so that it does not flash.
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
    const title = "Colors: light, dark, or the same as your device";
    if (button) Object.assign(button, { textContent: LABELS[theme], title });
  }

  applyTheme(storedTheme());
  document.addEventListener("DOMContentLoaded", () => {
    applyTheme(storedTheme());
    document.getElementById("theme").addEventListener("click", () => {
      const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
      try {
        localStorage.setItem("gecbench-theme", next);
      } catch { /* without storage, the choice is not remembered */ }
      applyTheme(next);
    });
  });
})();

// Elements, numbers and downloads. Data reaches the document as text nodes only.
GECBENCH.define("dom", () => {
  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
    return node;
  }

  function el(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
  }

  function svg(tag, attributes, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  }

  /** A labeled choice among options [value, text]. */
  function choice(label, options, chosen, attributes) {
    return el("label", { class: "field" }, el("span", null, label), el("select", attributes,
      options.map(([value, text]) => el("option", { value, selected: value === chosen }, text))));
  }

  /** A paragraph that says why there is nothing to show. */
  function empty(text) {
    return el("p", { class: "empty" }, text);
  }

  /** Text that others wrote. It is isolated, so that right-to-left marks in it do not change the text around it. */
  function foreign(text, attributes) {
    return el("bdi", attributes, String(text));
  }

  /** A link to another site. Addresses other than http and https stay text. */
  function outside(url, text) {
    let parsed;
    try {
      parsed = new URL(url);
    } catch {
      return foreign(text || url);
    }
    if (!["http:", "https:"].includes(parsed.protocol)) return foreign(text || url);
    return el("a", { href: parsed.href, rel: "noopener noreferrer nofollow", target: "_blank" }, foreign(text || url));
  }

  /** A number with some decimals, rounded like on the terminal: a value exactly halfway goes to the even digit. */
  function decimals(value, digits) {
    const rounded = value.toFixed(digits);
    const scaled = Math.abs(value) * 10 ** digits;
    if (Math.abs((scaled % 1) - 0.5) > 1e-6) return rounded; // not halfway, so the slow exact way is not needed
    const exact = value.toFixed(digits + 30);
    const cut = exact.slice(0, -30).replace(/\.$/, "");
    return /50{29}$/.test(exact) && /[02468]$/.test(cut) ? cut : rounded;
  }

  /** A number with a typographic minus sign, and by default as many decimals as the board's scores. */
  function signed(value, digits = GECBENCH.board().digits) {
    return decimals(value, digits).replace(/^-(?=.*[1-9])/, "−").replace(/^-/, "");
  }

  function points(value, digits) {
    return value === null || value === undefined ? "–" : signed(100 * value, digits);
  }

  /** A range of two numbers with a dash between them, or with "to" if one of them is negative. */
  function range(low, high, digits) {
    const between = low < 0 || high < 0 ? " to " : "–";
    return `${points(low, digits)}${between}${points(high, digits)}`;
  }

  /** Text with a period at the end, unless it has one. */
  function sentence(text) {
    return /[.!?]$/.test(text) ? text : `${text}.`;
  }

  /** A number with its noun, in the plural unless it is one. */
  function counted(number, noun) {
    return `${number} ${noun}${number === 1 ? "" : "s"}`;
  }

  function shorten(text, most = 26) {
    const letters = [...text];
    return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
  }

  function download(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const anchor = el("a", { href: url, download: name });
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  return { el, svg, choice, empty, foreign, outside, signed, points, range, sentence, counted, shorten, download };
});
