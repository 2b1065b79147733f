"""Make the tables of docs/benchmarks.md from results.json; tools/site.py draws its plots when the site is built.

python benchmarks/run.py --save benchmarks/results.json
python benchmarks/growth.py --most 1000000 --save benchmarks/results.json
python benchmarks/document.py
"""

from __future__ import annotations

import math
import re
import sys
from io import StringIO
from pathlib import Path
from typing import Any

from growth import AXES, TITLES, Points, axis_table, exponent, heading, per_sentence
from measure import machine_line, saved_parts
from run import peers_table, rows_table

RESULTS = Path(__file__).with_name("results.json")
DOCUMENT = RESULTS.parent.parent / "docs" / "benchmarks.md"
COLOURS = {"gleu": "#0072b2", "m2": "#d55e00", "imeasure": "#009e73"}
MARKERS = {"gleu": "o", "m2": "s", "imeasure": "^"}
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "gecbench",
    "font.size": 9,
    "axes.titlesize": 9,
    "font.family": "sans-serif",
}
_PART = re.compile(r"<!-- (?P<name>[\w-]+):begin -->\n.*?<!-- (?P=name):end -->", re.DOTALL)


def main() -> int:
    """Write the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(filled(text), encoding="utf-8")
    return 0


def filled(text: str) -> str:
    """Return the document with the parts between its marks made anew."""
    made = parts()
    return _PART.sub(lambda found: _between(found["name"], made), text)


def _between(name: str, made: dict[str, str]) -> str:
    return f"<!-- {name}:begin -->\n{made[name]}\n<!-- {name}:end -->"


def parts() -> dict[str, str]:
    """Return what goes between the marks, by name."""
    results = saved_parts(RESULTS)
    growth = results["growth"]
    return {
        "machine": machine_line(results["machine"]) + ".",
        "growth-machine": machine_line(growth["machine"]) + ".",
        "rows": rows_table(results["rows"]),
        "peers": peers_table(results["peers"]),
        **{name: axis_table(name, found) for name, found in growth["axes"].items()},
    }


def figures() -> dict[str, str]:
    """Return a plot of each axis as the text of an SVG file, by the path of that file in the site."""
    return {_place(name): draw(name, found) for name, found in saved_parts(RESULTS)["growth"]["axes"].items()}


def with_figures(text: str) -> str:
    """Return the document with the plot of each axis behind its table."""
    for name in AXES:
        picture = f"![{heading(name)}: time of each metric]({_place(name)})"
        text = text.replace(f"<!-- {name}:end -->", f"\n{picture}\n")
    return text


def _place(name: str) -> str:
    return f"figures/growth-{name}.svg"


def draw(name: str, found: dict[str, Points]) -> str:
    """Draw an axis as SVG, both scales logarithmic; memory beside time where it is measured by size."""
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
        panel.plot(sizes, values, label=legend, color=COLOURS[metric], marker=MARKERS[metric], markersize=4)
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
