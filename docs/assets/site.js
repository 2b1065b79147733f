// Make regions that scroll reachable by keyboard. Material adds tables and buttons after loading.
"use strict";

{
  const SCROLLING = [".md-typeset__scrollwrap", ".md-typeset pre > code", ".md-typeset math[display=block]",
    ".md-typeset p:has(> img)"].join();

  const reach = () => {
    for (const region of document.querySelectorAll(SCROLLING)) {
      if (region.scrollWidth > region.clientWidth) {
        region.tabIndex = 0;
      }
    }
    for (const buttons of document.querySelectorAll("nav.md-code__nav")) {
      buttons.setAttribute("role", "presentation");
    }
  };

  reach();
  addEventListener("load", reach);
  addEventListener("resize", reach);
  new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
}
