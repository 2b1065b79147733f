"""Draw the README's picture: the ranking of the demo's systems, and the alignment of one sentence.

python tools/picture.py > docs/assets/picture.svg
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import gecbench
from gecbench.metrics.explain import Explanation

WIDTH, ROW = 860, 30
INK, GRAY, BLUE = "#1f2933", "#616e7c", "#0072b2"
COLORS = {"plain": INK, "match": "#0a6b2d", "miss": "#8a5a00", "wrong": "#b3261e", "note": INK}
SENTENCE = 6


def text(x: float, y: float, words: str, color: str = INK, more: str = "") -> str:
    """Return a text element."""
    return f'<text x="{x:g}" y="{y:g}" fill="{color}" {more}>{escape(words, quote=False)}</text>'


def ranking(top: int) -> Iterator[str]:
    """Yield a row per system: its name, score, interval, and the interval drawn on a scale from 0 to 60."""
    report = gecbench.compare(gecbench.load_demo_systems(), "demo", against="above")
    ranked = sorted(report, key=lambda name: -report[name]["gleu"].value)
    left, right = 470, WIDTH - 40
    yield text(30, top, "system", GRAY)
    yield text(210, top, "GLEU", GRAY, 'text-anchor="end"')
    yield text(240, top, "95% interval", GRAY)
    yield text(left, top, "0", GRAY, 'text-anchor="middle"')
    yield text(right, top, "60", GRAY, 'text-anchor="middle"')
    for k, name in enumerate(ranked, 1):
        score = report[name]["gleu"]
        y = top + ROW * k
        low, high = (100 * edge for edge in (score.interval.low, score.interval.high))
        place = [left + (right - left) * value / 60 for value in (low, 100 * score.value, high)]
        yield text(30, y, name)
        yield text(210, y, f"{score:.2f}", more='text-anchor="end" font-weight="600"')
        yield text(240, y, f"{low:.2f} – {high:.2f}")
        yield f'<path d="M{left} {y - 5}H{right}" stroke="#d9e2ec"/>'
        yield f'<path d="M{place[0]:.1f} {y - 5}H{place[2]:.1f}" stroke="{BLUE}" stroke-width="4"/>'
        yield f'<circle cx="{place[1]:.1f}" cy="{y - 5}" r="6" fill="{BLUE}"/>'


def explained() -> Explanation:
    """Return how the I-measure aligns a sentence of the rule-based system."""
    corpus, systems = gecbench.load_demo(), gecbench.load_demo_systems()
    (found,) = gecbench.make_metric("imeasure").explain(corpus, systems["rule-based"], [SENTENCE])
    return found


def alignment(top: int) -> Iterator[str]:
    """Yield source, system and reference in columns, marked right, missed and wrong."""
    found = explained()
    *rows, marks = [row for row in found.rows if row.label != "detection"]
    widths = [max(len(row.cells[k].text) for row in rows) for k in range(len(marks.cells))]
    for i, row in enumerate(rows):
        y, x = top + 26 * i, 130.0
        yield text(30, y, row.label, GRAY)
        for cell, mark, width in zip(row.cells, marks.cells, widths, strict=True):
            color = COLORS[mark.mark if row.label == "system" else "plain"]
            weight = "600" if color not in (INK, GRAY) else "400"
            yield text(x, y, cell.text, color, f'font-family="monospace" font-size="14" font-weight="{weight}"')
            x += 8.45 * (width + 1.2)
    y = top + 26 * len(rows) + 8
    scores = found.title.partition(": ")[2].partition(";")[0]
    yield text(30, y, f"I-measure: {scores}", GRAY)
    for words, mark, x in (("right", "match", 560), ("missed", "miss", 640), ("wrong", "wrong", 730)):
        yield f'<rect x="{x}" y="{y - 10}" width="11" height="11" fill="{COLORS[mark]}"/>'
        yield text(x + 18, y, words, GRAY)


def picture() -> str:
    """Return the picture as SVG."""
    height = 328
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-size="15" '
        'font-family="system-ui, \'DejaVu Sans\', sans-serif" role="img">',
        "<title>Four systems ranked by GLEU on the demo corpus, "
        "and one output aligned with its source and reference</title>",
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="10" fill="#fff" stroke="#cbd2d9"/>',
        *ranking(36),
        f'<line x1="30" y1="184" x2="{WIDTH - 30}" y2="184" stroke="#cbd2d9"/>',
        *alignment(216),
        "</svg>",
    ]
    return "".join(f"{part}\n" for part in parts)


if __name__ == "__main__":
    print(picture(), end="")
