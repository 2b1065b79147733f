"""Type the words that people search for into the search of the built manual, and check the first pages it finds.

python tests/support/manual_search.py SITE
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import re
import sys
import threading
from collections.abc import Iterator

from chromium import chromium
from waiting import eventually

FIRST = 2  # pages, with all their sections that were found
WORDS = {
    "LLM": "served-models/",
    "ChatGPT": "faq/#how-do-i-evaluate-an-llm-such-as-chatgpt-or-gpt-4",
    "GPT-4": "faq/#how-do-i-evaluate-an-llm-such-as-chatgpt-or-gpt-4",
    "W&I": "faq/#how-do-i-score-on-bea-2019-wilocness",
    "BEA-2019": "faq/#how-do-i-score-on-bea-2019-wilocness",
    "significance": "statistics/#significance-tests",
    "confidence interval": "statistics/#confidence-intervals",
    "over-correction": "faq/#how-do-i-measure-over-correction",
}
FOUND = """return [...document.querySelectorAll(".md-search-result__list > .md-search-result__item")].map(
  (item) => [...item.querySelectorAll("a.md-search-result__link")].map((link) => link.href));"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextlib.contextmanager
def served(site: str) -> Iterator[str]:
    """Serve a folder on this machine, for the search needs a worker, which files do not have."""
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def main(site: str) -> int:
    """Print where each word finds its page; return 1 if one does not."""
    missed = 0
    with served(site) as address, chromium() as browser:
        for word, wanted in WORDS.items():
            browser.get(address)
            field = browser.find_element("css selector", ".md-search__input")
            field.click()
            field.send_keys(word)
            with contextlib.suppress(AssertionError):
                eventually(lambda: browser.execute_script(FOUND))
            pages = browser.execute_script(FOUND)[:FIRST]
            found = [re.sub(r"\?[^#]*", "", link.removeprefix(address)) for links in pages for link in links]
            missed += wanted not in found
            print(f"{word}: {'finds' if wanted in found else 'DOES NOT FIND'} {wanted} in {found[:12]}")
    print(f"{len(WORDS)} words, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
