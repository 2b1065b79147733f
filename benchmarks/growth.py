"""How time and memory grow: with sentences, their length, annotators, systems, resamples, and with hostile sentences.

    python benchmarks/growth.py                             every axis, to 100,000 sentences
    python benchmarks/growth.py --most 1000000              to a million (some minutes, some gigabytes)
    python benchmarks/growth.py --only length annotators    some axes
    python benchmarks/growth.py --save results.json         keeps the figures; axes not measured stay as they were

Each point is measured in a process of its own, from files to score: reading them is part of the time, importing is not,
and memory is the whole process's at its peak. Times are medians of processor time on one thread. The text is made up
(texts.py): 19 tokens a sentence, four references for GLEU, two annotators for M2 and the I-measure.
`document.py` makes the tables and plots of docs/benchmarks.md from the saved figures, when the site is built.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from measure import (
    FailedError,
    beside,
    child,
    machine,
    machine_line,
    markdown,
    rounded,
    save_parts,
    saved_parts,
    split_files,
    tell,
    time_label,
)
from texts import Made, lines_of, made_files, make

import gecbench
from gecbench import Alternative, Annotation, Corpus, Edit, ErrorGroup, GroupedSentence, Replacement

METRICS = ("gleu", "m2", "imeasure")
TITLES = {"gleu": "GLEU", "m2": "M2", "imeasure": "I-measure"}
TAIL = 3
TOKENS = 64_000
PYTHON_SENTENCES = 1_000
SOURCE = 30
CLAUSE = 7
LONG = 400
Points = list[dict[str, Any]]
Axes = dict[str, dict[str, Points]]


@dataclass(frozen=True)
class Axis:
    """What grows, over which sizes, for which metrics; `text` has the sizes of the text for one size of the axis."""

    title: str
    unit: str
    sizes: Sequence[int]
    text: Callable[[int], dict[str, int]] | None = None
    metrics: Sequence[str] = METRICS
    compare: Callable[[int], dict[str, int]] = field(default=lambda _: {})


AXES = {
    "sentences": Axis(
        "number of sentences", "sentences", (1_000, 10_000, 100_000, 1_000_000), lambda n: {"sentences": n}
    ),
    "length": Axis(
        "sentence length",
        "tokens",
        (10, 25, 50, 100, 200, 400, 800, 1_600),
        lambda n: {"sentences": TOKENS // n, "length": n},
    ),
    "annotators": Axis(
        "number of annotators or references",
        "annotators",
        (1, 2, 4, 8, 16),
        lambda n: {"sentences": 2_000, "references": n, "annotators": n},
    ),
    "systems": Axis(
        "number of systems compared (500 sentences, 1,000 resamples)",
        "systems",
        (2, 4, 8, 16),
        lambda n: {"sentences": 500, "systems": n},
        compare=lambda n: {"systems": n, "resamples": 1_000},
    ),
    "resamples": Axis(
        "number of resamples (two systems, 1,000 sentences)",
        "resamples",
        (10, 100, 1_000, 10_000),
        lambda _: {"sentences": 1_000, "systems": 2},
        compare=lambda n: {"systems": 2, "resamples": n},
    ),
    "clause": Axis(
        "length of an output that repeats a clause of its source", "tokens", (500, 2_000, 10_000), metrics=("m2",)
    ),
    "errors": Axis(
        "errors in a sentence of 400 tokens, three choices each",
        "errors",
        (1, 5, 10, 20, 40, 80),
        metrics=("imeasure",),
    ),
}


def repeated_clause(length: int) -> tuple[Corpus, list[str]]:
    """Return a source of 30 tokens with five gold edits, and an output that repeats a clause of it.

    The official M2 scorer does not come back from it; the lattice here grows with source × output.
    """
    source = [f"w{i}" for i in range(SOURCE)]
    clause = source[10 : 10 + CLAUSE]
    output = (source[:17] + clause * (length // CLAUSE + 1))[:length]
    texts = {(3, 4): "z", (12, 13): "", (17, 17): " ".join(clause), (20, 22): "w0 w0", (29, 30): "y"}
    gold = Annotation(0, tuple(Edit(*span, (text,)) for span, text in texts.items()))
    return Corpus(sources=[" ".join(source)], annotations=[[gold]]), [" ".join(output)]


def many_errors(errors: int) -> tuple[Corpus, list[str]]:
    """Return a sentence of 400 tokens whose errors have two alternatives each: 3 ** errors mixed references.

    The output corrects half of them and spoils one token in twenty.
    """
    chance = random.Random(errors)
    words = [f"w{min(int(chance.paretovariate(0.7)), 5000)}" for _ in range(LONG)]
    places = [round((k + 0.5) * LONG / errors - 0.5) for k in range(errors)]
    output = list(words)
    for place in places[1::2]:
        output[place] = "right0"
    output[7::20] = ["wrong"] * len(output[7::20])
    groups = tuple(
        ErrorGroup(tuple(Alternative(str(n), (Replacement(place, place + 1, f"right{n}"),)) for n in range(2)), False)
        for place in places
    )
    return Corpus(sources=[" ".join(words)], groups=[GroupedSentence(groups, 3)]), [" ".join(output)]


HOSTILE = {"clause": repeated_clause, "errors": many_errors}


def main() -> int:
    """Measure and print each axis, and save."""
    options = _options()
    if options.child:
        print(json.dumps(measure_here(**json.loads(options.child))))
        return 0
    about, found = machine(), {}
    print(machine_line(about), flush=True)
    for name in options.only or AXES:
        found[name] = measure_axis(name, options.most, options.seconds)
        print(f"\n{heading(name)}\n\n{axis_table(name, found[name])}", flush=True)
    if options.save:
        known = saved_parts(options.save).get("growth", {}).get("axes", {})
        save_parts(options.save, {"growth": {"machine": about, "axes": {**known, **found}}})
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="AXIS", nargs="+", choices=AXES, help=f"some of {', '.join(AXES)}")
    parser.add_argument("--most", metavar="N", type=int, default=100_000, help="most sentences (default: 100000)")
    parser.add_argument("--save", metavar="FILE", help="write the figures as JSON")
    parser.add_argument(
        "--seconds", metavar="N", type=float, default=1.0, help="repeat each point so long (default: 1)"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def measure_axis(name: str, most: int, seconds: float) -> dict[str, Points]:
    """Measure every size for every metric; the Python kernels too, on a small text."""
    axis = AXES[name]
    found: dict[str, Points] = {metric: [] for metric in axis.metrics}
    for size in (size for size in axis.sizes if name != "sentences" or size <= most):
        with tempfile.TemporaryDirectory() as folder:
            text = axis.text(size) if axis.text else {}
            if text:
                make(Path(folder), **text)
            for metric in axis.metrics:
                tell(f"{name} {size:,} {metric} …")
                ask = {"name": name, "size": size, "metric": metric, "folder": folder, "seconds": seconds}
                point = _point(ask)
                if name == "sentences" and size == PYTHON_SENTENCES and "seconds" in point:
                    in_python = _point({**ask, "seconds": 0.0}, GECBENCH_KERNELS="python")
                    point["twin"] = in_python.get("seconds")
                found[metric].append(rounded({"size": size, **point}))
    tell("")
    return found


def _point(ask: dict[str, Any], **environment: str) -> dict[str, Any]:
    try:
        return child("growth.py", "--child", json.dumps(ask), **{"GECBENCH_THREADS": "1", **environment})
    except FailedError as problem:
        return {"skipped": str(problem)}


def measure_here(name: str, size: int, metric: str, folder: str, seconds: float) -> dict[str, Any]:
    """Measure one point in this process; imports are done before."""
    warnings.simplefilter("ignore")
    axis, scorer = AXES[name], gecbench.make_metric(metric)
    if axis.text is None:
        corpus, output = HOSTILE[name](size)
        scorer.score_corpus(*HOSTILE[name](axis.sizes[0]), aligned=True, tokenized=True)
        plain = Path(folder) / "output.txt"
        plain.write_text(output[0], encoding="utf-8")
        return beside(lambda: scorer.count(corpus, output), partial(split_files, [plain] * 5), seconds)
    sizes, more = axis.text(size), axis.compare(size)
    made = made_files(Path(folder), sizes.get("references", 4), sizes.get("systems", 1))
    files = [
        made.gold if metric != "gleu" else made.source,
        *(made.references if metric == "gleu" else []),
        *made.outputs,
    ]
    warm = gecbench.load_demo()
    scorer.score_corpus(warm, warm.sources)
    work = partial(_compare, metric, made, more["resamples"]) if more else partial(_score, metric, made)
    return beside(work, partial(split_files, files), seconds)


def _read(metric: str, made: Made) -> Any:
    from gecbench.formats.m2 import read_m2
    from gecbench.formats.tables import read_parallel

    return read_parallel(made.source, made.references) if metric == "gleu" else read_m2(made.gold)


def _score(metric: str, made: Made) -> object:
    return gecbench.score(lines_of(made.outputs[0]), _read(metric, made), metric)


def _compare(metric: str, made: Made, resamples: int) -> object:
    systems = {path.name: lines_of(path) for path in made.outputs}
    return gecbench.compare(systems, _read(metric, made), metric, resamples=resamples)


def heading(name: str) -> str:
    """Return what an axis shows."""
    return f"By {AXES[name].title}"


def exponent(points: Points) -> float | None:
    """Return p where time grows as size to the power p: least squares over the largest three sizes."""
    known = [(math.log(each["size"]), math.log(each["seconds"])) for each in points if "seconds" in each][-TAIL:]
    if len(known) < 2:
        return None
    means = [sum(column) / len(known) for column in zip(*known, strict=True)]
    spread = sum((x - means[0]) ** 2 for x, _ in known)
    return sum((x - means[0]) * (y - means[1]) for x, y in known) / spread


def per_sentence(name: str, points: Points) -> Points:
    """Return the points of the length axis as the time of one sentence; those of the others as they are."""
    if name != "length":
        return points
    return [
        {**each, "seconds": each["seconds"] * each["size"] / TOKENS} if "seconds" in each else each for each in points
    ]


def axis_table(name: str, found: dict[str, Points]) -> str:
    """Return one axis as a Markdown table, with the exponents in its last row."""
    series = {metric: per_sentence(name, points) for metric, points in found.items()}
    sizes = [each["size"] for each in next(iter(series.values()))]
    memory = name == "sentences"
    header = [AXES[name].unit]
    for metric in series:
        header += [TITLES[metric], *(["of reading", "memory"] if memory else [])]
    lines = []
    for k, size in enumerate(sizes):
        cells = [f"{size:,}"]
        for points in series.values():
            cells += _cells(points[k], memory)
        lines.append(cells)
    last = ["exponent"]
    for points in series.values():
        power = exponent(points)
        last += ["–" if power is None else f"{power:.2f}", *(["", ""] if memory else [])]
    skipped = sorted({each["skipped"] for points in series.values() for each in points if "skipped" in each})
    table = markdown(header, [*lines, last])
    return "\n\n".join([table, *(f"A dash: {reason}." for reason in skipped), *_python_times(found)])


def _cells(point: dict[str, Any], memory: bool) -> list[str]:
    if "skipped" in point:
        return ["–"] * (3 if memory else 1)
    more = [f"{point['cost']:.1f} ×", f"{point['megabytes']:,.0f} MB"] if memory else []
    return [time_label(point["seconds"]), *more]


def _python_times(found: dict[str, Points]) -> list[str]:
    known = {
        TITLES[metric]: each["twin"] / each["seconds"]
        for metric, points in found.items()
        for each in points
        if each.get("twin")
    }
    if not known:
        return []
    times = ", ".join(f"{title} {ratio:.0f} ×" for title, ratio in known.items())
    return [f"The Python fallback is slower, for {PYTHON_SENTENCES:,} sentences: {times}."]


if __name__ == "__main__":
    sys.exit(main())
