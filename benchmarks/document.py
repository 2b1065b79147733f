"""Make the tables and plots of docs/benchmarks.md from saved figures (plots need matplotlib).

python benchmarks/run.py --save benchmarks/baseline.json
python benchmarks/growth.py --most 1000000 --save benchmarks/growth.json
python benchmarks/document.py
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

from growth import AXES, TITLES, Points, axis_table, exponent, heading, per_sentence
from measure import machine_line
from run import peers_table, rows_table

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
FIGURES = HERE.parent / "docs" / "figures"
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
    """Write the document and draw its figures."""
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(filled(text), encoding="utf-8")
    FIGURES.mkdir(exist_ok=True)
    for name, found in saved("growth")["axes"].items():
        draw(name, found, FIGURES / f"growth-{name}.svg")
    return 0


def saved(name: str) -> Any:
    """Return the figures that `run.py` or `growth.py` saved here."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def filled(text: str) -> str:
    """Return the document with the parts between its marks made anew."""
    made = parts()
    return _PART.sub(lambda found: _between(found["name"], made), text)


def _between(name: str, made: dict[str, str]) -> str:
    return f"<!-- {name}:begin -->\n{made[name]}\n<!-- {name}:end -->"


def parts() -> dict[str, str]:
    """Return what goes between the marks, by name."""
    figures, growth = saved("baseline"), saved("growth")
    made = {
        "machine": machine_line(figures["machine"]) + ".",
        "growth-machine": machine_line(growth["machine"]) + ".",
        "rows": rows_table(figures["rows"]),
        "peers": peers_table(figures["peers"]),
    }
    for name, found in growth["axes"].items():
        picture = f"![{heading(name)}: time of each metric](figures/growth-{name}.svg)"
        made[name] = f"{axis_table(name, found)}\n\n{picture}"
    return made


def draw(name: str, found: dict[str, Points], path: Path) -> None:
    """Draw an axis, both scales logarithmic; memory beside time where it is measured by size."""
    import matplotlib
    from matplotlib.figure import Figure

    memory = name == "sentences"
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8 if memory else 4.6, 3.2), layout="constrained")
        panels = figure.subplots(1, 2 if memory else 1, squeeze=False)[0]
        time = "time of a sentence" if name == "length" else "time"
        _panel(
            panels[0], name, {metric: per_sentence(name, points) for metric, points in found.items()}, "seconds", time
        )
        if memory:
            _panel(panels[1], name, found, "megabytes", "memory at its peak")
        figure.savefig(path, metadata={"Date": None})
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f"{line.rstrip()}\n" for line in lines), encoding="utf-8")


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
