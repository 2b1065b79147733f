"use strict";
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

  /** A paragraph in place of what cannot be shown. */
  function empty(text) {
    return el("p", { class: "empty" }, text);
  }

  /** Text that others wrote: isolated, so that right-to-left marks in it turn nothing around it. */
  function foreign(text, attributes) {
    return el("bdi", attributes, String(text));
  }

  /** A link that leaves the page: http and https only, anything else stays text. */
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

  /** A number with some decimals as the terminal prints it: what lies exactly between two goes to the even one. */
  function decimals(value, digits) {
    const rounded = value.toFixed(digits);
    const exact = value.toFixed(digits + 30);
    const cut = exact.slice(0, -30).replace(/\.$/, "");
    return /50{29}$/.test(exact) && /[02468]$/.test(cut) ? cut : rounded;
  }

  /** A number with the true minus sign, and as many decimals as the board's scores unless told. */
  function signed(value, digits = GECBENCH.board().digits) {
    return decimals(value, digits).replace(/^-(?=.*[1-9])/, "−").replace(/^-/, "");
  }

  function points(value, digits) {
    return value === null || value === undefined ? "–" : signed(100 * value, digits);
  }

  /** A range: a dash between two numbers, a word where one of them carries a minus. */
  function range(low, high, digits) {
    const between = low < 0 || high < 0 ? " to " : "–";
    return `${points(low, digits)}${between}${points(high, digits)}`;
  }

  /** Text that ends as sentences do. */
  function sentence(text) {
    return /[.!?]$/.test(text) ? text : `${text}.`;
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

  return { el, svg, empty, foreign, outside, signed, points, range, sentence, shorten, download };
});
