"""Check every page of the built manual with axe-core: no serious fault, and nothing wider than a phone.

python tests/support/manual_axe.py SITE

All pages are checked at the width of a phone, and six of them on a desktop, light and dark.
"""

from __future__ import annotations

import sys
from pathlib import Path

from chromium import chromium, emulate

AXE = Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js"
SIX = ("index.html", "faq/index.html", "metrics/m2/index.html", "corpora/index.html", "reference/cli/index.html")
SCREENS = {"phone": (390, False), "desktop": (1440, False), "desktop, dark": (1440, True)}
RUN = """
const done = arguments[0];
axe.run(document, { resultTypes: ["violations"], preload: false })
  .then((found) => done(found.violations), (error) => done(String(error)));
"""


def main(site: str) -> int:
    """Print the faults by page; return 1 if there are any."""
    pages = sorted(Path(site).resolve().rglob("index.html"))
    axe, faults = AXE.read_text(encoding="utf-8"), 0
    with chromium() as browser:
        browser.set_script_timeout(300)
        for screen, (width, dark) in SCREENS.items():
            emulate(browser, width=width, height=900, dark=dark)
            browser.get(pages[0].as_uri())
            browser.execute_script("localStorage.clear()")
            for page in pages:
                name = page.relative_to(Path(site).resolve()).as_posix()
                if screen != "phone" and name not in (*SIX, "tutorials/results-table/index.html"):
                    continue
                browser.get(page.as_uri())
                browser.execute_script(axe)
                found = browser.execute_async_script(RUN)
                for fault in found:
                    if fault["impact"] in ("serious", "critical"):
                        faults += 1
                        print(f"{name} ({screen}): {fault['id']}: {fault['nodes'][0]['html'][:200]}")
                wide = browser.execute_script("return document.documentElement.scrollWidth > innerWidth")
                if wide:
                    faults += 1
                    print(f"{name} ({screen}): wider than the screen")
    print(f"{len(pages)} pages, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
