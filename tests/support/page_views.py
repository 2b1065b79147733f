"""Helpers for tests of the leaderboard page's views."""

from __future__ import annotations

from chromium import go, open_page

OVERLAPS = """
const boxes = [...document.querySelectorAll("svg.chart .point text, svg.chart .point circle, svg.chart .people")]
  .map((node) => [node, node.getBoundingClientRect()]);
return boxes.flatMap(([one, a], i) => boxes.slice(i + 1).filter(([other, b]) =>
  (one.tagName === "text" || other.tagName === "text")
  && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
  .map(([other]) => [one.textContent, other.textContent]));
"""


def system(name, value, **more):
    """Return a made-up row with one score."""
    figure = {"value": value, **more}
    about = {"kind": "scored", "role": "system", "date": "2026", "submitter": "", "description": "", "links": []}
    fields = {"corpus": "demo", "reference_set": "default", "unchanged": None, "outputs": None}
    return {"id": f"{abs(hash(name)):064x}"[:64], "system": name, **about, **fields, "scores": {"gleu": figure}}


def show(browser, page, view, rows, reported=(), people=None, **board):
    """Show a view of the first table with made-up data in place of its own, or of what was made up before."""
    if not browser.current_url.startswith(page):
        open_page(browser, f"{page}#submit")
    browser.execute_script(
        """
        const board = window.ownBoard ??= GECBENCH.board();
        const table = board.tables.find(({ corpus }) => corpus === "demo");
        GECBENCH.add(`table-${table.key}`, arguments[0]);
        GECBENCH.add("board", { ...board, ...arguments[1] });
        """,
        {"rows": list(rows), "reported": list(reported), "people": people, "signatures": []},
        board,
    )
    go(browser, f"#{view}{'&' if '?' in view else '?'}corpus=demo")
