"""Explanations as one HTML file: totals, legend, and filters by sentence, error type and outcome."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from gecbench.metrics.base import Score
from gecbench.metrics.explain import SIGNS, Explanation, Mark

_ASSETS = Path(__file__).parent


def html_page(explanations: Sequence[Explanation], title: str, score: Score | None = None) -> str:
    """Return a self-contained page of explanations; without scripts it shows all of them."""
    style, script = (_ASSETS.joinpath(f"explained_page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    sections = (f"<section tabindex=-1>\n{explanation.to_html()}\n</section>" for explanation in explanations)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<header>",
            f"<h1>{escape(title)}</h1>",
            *([score._repr_html_()] if score else []),
            _totals(explanations),
            _legend(explanations),
            f"</header>\n{_filters(explanations)}\n<main>",
            *sections,
            f"</main>\n<script>{script}</script>\n</body>\n</html>",
        ]
    )


def _totals(explanations: Sequence[Explanation]) -> str:
    totals: Counter[str] = Counter()
    for explanation in explanations:
        totals.update(explanation.counts)
    counted = {"sentences": len(explanations), **totals}
    entries = "".join(f"<div><dt>{escape(name)}</dt><dd>{count:,}</dd></div>" for name, count in counted.items())
    return f"<dl>{entries}</dl>"


def _legend(explanations: Sequence[Explanation]) -> str:
    entries = (
        f'<li><span class="{mark}">{SIGNS[mark]}abc</span> {escape(words)}</li>'
        for mark, words in _meanings(explanations)
    )
    return f'<ul aria-label="Legend">{"".join(entries)}</ul>'


def _meanings(explanations: Sequence[Explanation]) -> list[tuple[Mark, str]]:
    return list(explanations[0].meanings.items()) if explanations else []


def _filters(explanations: Sequence[Explanation]) -> str:
    """Return the controls, which the script shows and fills with counts."""
    cells = [cell for each in explanations for row in each.rows for cell in row.cells]
    types = [name for name, _ in Counter(cell.type for cell in cells if cell.type).most_common()]
    marks = {cell.mark for cell in cells}
    outcomes = [(mark, words) for mark, words in _meanings(explanations) if mark in marks and mark != "note"]
    return "\n".join(
        [
            '<form hidden role="search">',
            '<label>Sentence or words <input type="search" name="words"></label>',
            _select("type", "Error type", [(name, name) for name in types]) if types else "",
            _select("outcome", "Outcome", outcomes),
            '<button type="button" name="previous" title="Key k">← Previous</button>',
            '<button type="button" name="next" title="Key j">Next →</button>',
            '<output aria-live="polite"></output>',
            "</form>",
        ]
    )


def _select(name: str, label: str, options: Sequence[tuple[str, str]]) -> str:
    listed = "".join(f'<option value="{escape(value)}">{escape(words)}</option>' for value, words in options)
    return f'<label>{label} <select name="{name}"><option value="">any</option>{listed}</select></label>'


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
