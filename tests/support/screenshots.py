"""Pictures of every view of a built board, to be looked at: light and dark, on a desktop and on a phone.

python tests/support/screenshots.py SITE FOLDER [CORPUS ...]
"""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import urlencode

from chromium import VIEWS, chromium, emulate, go, open_page, wait

SCREENS = {"desktop": (1440, 900), "tablet": (820, 1180), "phone": (390, 844)}


def emulate_screen(browser, screen: str, *, dark: bool = False) -> None:
    """Set the size of a screen by its name, and the theme."""
    width, height = SCREENS[screen]
    emulate(browser, width=width, height=height, dark=dark)


def addresses(browser, page: str, corpus: str | None):
    """Return the address of each view, of one system and of each way to group scores, by name."""
    query = f"?{urlencode({'corpus': corpus})}" if corpus else "?"
    open_page(browser, f"{page}#table{query}")
    first = browser.execute_script("return document.querySelector('table.ranking a, #reported a')?.hash")
    found = {view: f"{page}#{view}{query}" for view in VIEWS}
    if first:
        found["system"] = page + first
    go(browser, found["groups"])
    ways = browser.execute_script(
        "return [...document.querySelectorAll('.controls label:nth-of-type(2) option')].map((option) => option.value)"
    )
    return found | {f"groups-{way}": f"{found['groups']}&by={way}" for way in ways}


def main(site: str, folder: str, *corpora: str) -> None:
    """Take every picture; the first screen alone, which shows what is below the fold."""
    page = (Path(site) / "index.html").resolve().as_uri()
    Path(folder).mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for corpus in corpora or (None,):
            emulate(browser)
            views = addresses(browser, page, corpus)
            for screen, (width, height) in SCREENS.items():
                for theme in ("light", "dark"):
                    emulate(browser, width=width, height=height, dark=theme == "dark")
                    for view, address in views.items():
                        open_page(browser, address)
                        wait(browser, "document.fonts.status === 'loaded'")
                        name = "-".join(filter(None, (corpus and corpus.replace(":", "_"), view, screen, theme)))
                        browser.save_screenshot(str(Path(folder) / f"{name}.png"))


if __name__ == "__main__":
    main(*sys.argv[1:])
