"""Render results.json: the tables and plots of docs/benchmarks.md and docs/REPRODUCTION.md, when the site is built.

python benchmarks/run.py --save benchmarks/results.json
python benchmarks/growth.py --most 1000000 --save benchmarks/results.json
gecbench reproduce --format json > reproduction.json && python benchmarks/document.py reproduction.json
"""

from __future__ import annotations

import json
import math
import re
import sys
from io import StringIO
from pathlib import Path
from typing import Any

from growth import AXES, TITLES, Points, axis_table, exponent, heading, per_sentence
from measure import machine_line, save_parts, saved_parts
from run import peers_table, rows_table

from gecbench.analysis.tables import Table
from gecbench.papers.document import Reproduction, Section, render

RESULTS = Path(__file__).with_name("results.json")
DOCUMENTS = [RESULTS.parent.parent / "docs" / name for name in ("benchmarks.md", "REPRODUCTION.md")]
COLORS = {"gleu": "#0072b2", "m2": "#d55e00", "imeasure": "#009e73"}
MARKERS = {"gleu": "o", "m2": "s", "imeasure": "^"}
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "gecbench",
    "font.size": 9,
    "axes.titlesize": 9,
    "font.family": "sans-serif",
}
MARK = re.compile(r"^<!-- results: ([\w-]+) -->$", re.MULTILINE)


def main() -> int:
    """Save the output of `gecbench reproduce --format json` in the results."""
    (file,) = sys.argv[1:]
    save_parts(RESULTS, {"reproduction": json.loads(Path(file).read_text(encoding="utf-8"))})
    return 0


def filled(text: str) -> str:
    """Return a document with a table in place of each mark `<!-- results: NAME -->`."""
    made = parts()
    return MARK.sub(lambda found: made[found[1]], text)


def parts() -> dict[str, str]:
    """Return each table by the NAME in its mark."""
    results = saved_parts(RESULTS)
    growth = results["growth"]
    return {
        "machine": machine_line(results["machine"]) + ".",
        "growth-machine": machine_line(growth["machine"]) + ".",
        "rows": rows_table(results["rows"]),
        "peers": peers_table(results["peers"]),
        "reproduction": render([_reproduction(paper) for paper in results["reproduction"]], "markdown"),
        **{name: axis_table(name, found) for name, found in growth["axes"].items()},
    }


def _reproduction(paper: dict[str, Any]) -> Reproduction:
    sections = [
        Section(each["title"], Table(each["header"], each["rows"]), tuple(each["notes"])) for each in paper["sections"]
    ]
    return Reproduction(paper["paper"], paper["title"], tuple(sections))


def figures() -> dict[str, str]:
    """Return the SVG text of each axis's plot, by its path in the site."""
    return {_place(name): draw(name, found) for name, found in saved_parts(RESULTS)["growth"]["axes"].items()}


def with_figures(text: str) -> str:
    """Return a document with the plot of each axis after the mark of its table."""
    for name in AXES:
        mark = f"<!-- results: {name} -->"
        text = text.replace(mark, f"{mark}\n\n![{heading(name)}: time of each metric]({_place(name)})")
    return text


def _place(name: str) -> str:
    return f"figures/growth-{name}.svg"


def draw(name: str, found: dict[str, Points]) -> str:
    """Draw an axis as SVG with logarithmic scales. For the number of sentences, also draw memory."""
    import matplotlib
    from matplotlib.figure import Figure

    memory = name == "sentences"
    file = StringIO()
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8 if memory else 4.6, 3.2), layout="constrained")
        panels = figure.subplots(1, 2 if memory else 1, squeeze=False)[0]
        time = "time of a sentence" if name == "length" else "time"
        times = {metric: per_sentence(name, points) for metric, points in found.items()}
        _panel(panels[0], name, times, "seconds", time)
        if memory:
            _panel(panels[1], name, found, "megabytes", "memory at its peak")
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _panel(panel: Any, name: str, found: dict[str, Points], key: str, label: str) -> None:
    for metric, points in found.items():
        known = [each for each in points if key in each]
        power = exponent(known) if key == "seconds" else None
        legend = TITLES[metric] if power is None else f"{TITLES[metric]} (exponent {power:.2f})"
        sizes, values = [each["size"] for each in known], [each[key] for each in known]
        panel.plot(sizes, values, label=legend, color=COLORS[metric], marker=MARKERS[metric], markersize=4)
    panel.set(xscale="log", yscale="log", xlabel=AXES[name].unit, title=label)
    sizes = sorted({each["size"] for points in found.values() for each in points})
    panel.set_xticks(sizes, [f"{size:,}" for size in sizes])
    values = [math.log10(each[key]) for points in found.values() for each in points if key in each]
    decades = [10.0**power for power in range(math.floor(min(values)), math.ceil(max(values)) + 1)]
    panel.set_yticks(decades, [_label(decade, key) for decade in decades])
    panel.minorticks_off()
    panel.grid(True, color="#dddddd", linewidth=0.6)
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(frameon=False, fontsize=8)


def _label(decade: float, key: str) -> str:
    if key == "megabytes":
        return f"{decade:,.0f} MB"
    return next(f"{decade / size:,.0f} {unit}" for unit, size in UNITS.items() if decade > 0.99 * size)


if __name__ == "__main__":
    sys.exit(main())
