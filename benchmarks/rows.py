"""What a person waits for: each row with its figure in 0.1.0 and its goal; `run.py` measures them.

    python benchmarks/rows.py NAME SECONDS FOLDER      measures one row in this process and prints JSON

A row is a program, whose yardstick is bare Python or importing numpy, or work in process, whose yardstick is reading
the same files and splitting their lines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Literal

from measure import YARDSTICKS, FailedError, beside, child, gecbench_program, quietly, run_program, split_files
from texts import (
    ERRANT,
    EVALUATION,
    MissingError,
    conll14_gold,
    conll14_systems,
    jfleg,
    lines_of,
    made_files,
    make,
    make_judgments,
    mirrored,
)

Unit = Literal["× python", "× numpy", "ms", "s", "s wall", "× one core"]
SENTENCES = 100_000
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Work:
    """Work in process, and the files that are its yardstick."""

    run: Callable[[], object]
    files: Sequence[Path]


@dataclass(frozen=True)
class Row:
    """One row: `program` or `work` gets a folder to put files in; `by_name` rows take minutes and run when named.

    `environment` are variables of the program, which runs in an empty folder each time.
    """

    what: str
    before: str
    goal: float
    unit: Unit
    program: Callable[[Path], list[str]] | None = None
    work: Callable[[Path], Work] | None = None
    by_name: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def more_is_better(self) -> bool:
        """Whether the goal is a least, not a most."""
        return self.unit == "× one core"

    def figure(self, found: dict[str, Any]) -> float:
        """Return a measurement in the unit of the row."""
        if self.unit in ("× python", "× numpy"):
            return float(found["cost"])
        if self.unit == "× one core":
            return 1 / float(found["cost"])
        return float(found["wall"] if self.unit == "s wall" else found["seconds"]) * (1000 if self.unit == "ms" else 1)


def measure(name: str, seconds: float, folder: Path) -> dict[str, Any]:
    """Measure a row, or say in `skipped` why it cannot be."""
    row = ROWS[name]
    try:
        if row.unit == "× one core":
            return _threads(name, seconds, folder)
        if row.program is None:
            return child("rows.py", name, seconds, folder)
        bare = [sys.executable, "-c", YARDSTICKS["python" if row.unit == "× python" else "numpy"]]
        command = row.program(folder)
        return beside(lambda: run_program(command, row.environment), lambda: run_program(bare), seconds)
    except (MissingError, FailedError) as problem:
        return {"skipped": str(problem)}


def measure_here(name: str, seconds: float, folder: Path) -> dict[str, Any]:
    """Measure work in this process."""
    prepare = ROWS[name].work
    if prepare is None:
        raise MissingError(f"{name} is a program")
    warnings.simplefilter("ignore")
    work = prepare(folder)
    if ROWS[name].unit == "× one core":
        return _by_turns(work.run, seconds)
    return beside(work.run, partial(split_files, work.files), seconds)


def _threads(name: str, seconds: float, folder: Path) -> dict[str, Any]:
    """Score the same text on one core and on two; the cost is the share of the time on one."""
    from gecbench import kernels

    if not hasattr(kernels, "threads"):
        raise MissingError("these kernels run on one core only")
    if (os.cpu_count() or 1) < 2:
        raise MissingError("this machine has one core")
    text = folder / "threads"
    if not text.exists():
        text.mkdir()
        make(text, SENTENCES)
    return child("rows.py", name, seconds, folder)


def _by_turns(work: Callable[[], object], seconds: float) -> dict[str, Any]:
    """Do the same work on one core and on two, by turns; wall times are medians."""
    walls: dict[str, list[float]] = {"1": [], "2": []}
    begin = time.perf_counter()
    while not walls["2"] or time.perf_counter() - begin < 2 * seconds:
        for threads, found in walls.items():
            os.environ["GECBENCH_THREADS"] = threads
            start = time.perf_counter()
            work()
            found.append(time.perf_counter() - start)
    one, two = (median(found) for found in walls.values())
    return {"wall": two, "wall_on_one": one, "cost": two / one, "repeats": len(walls["2"])}


def _score_made(metric: str, folder: Path) -> Work:
    """Score made-up text; corpus and gold are known before, so that the time is that of a further system."""
    import gecbench
    from gecbench.formats.m2 import read_m2
    from gecbench.formats.tables import read_parallel

    made = made_files(folder / "threads")
    corpus = read_parallel(made.source, made.references) if metric == "gleu" else read_m2(made.gold)
    outputs = lines_of(made.outputs[0])
    gecbench.score(outputs, corpus, metric)
    return Work(lambda: gecbench.score(outputs, corpus, metric), [made.source, *made.outputs])


def _score_jfleg(_: Path) -> list[str]:
    return gecbench_program("score", "-c", "jfleg:test", "-p", jfleg()[1])


def _m2scorer(folder: Path) -> list[str]:
    return gecbench_program("m2scorer", conll14_systems()["CAMB"], conll14_gold(folder))


def _submit(folder: Path) -> list[str]:
    return gecbench_program(
        *("leaderboard", "submit", "-c", "jfleg:test", "-p", jfleg()[1], "--name", "X", "--board", folder / "board"),
        "--dry-run",
    )


def _reproduce(_: Path) -> list[str]:
    mirrored(EVALUATION)
    return gecbench_program("reproduce", "sakaguchi2016")


def _human_rank(folder: Path) -> list[str]:
    return gecbench_program("human", "rank", make_judgments(folder / "judgments.xml"), "--runs", "1000")


def _tests(_: Path) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml"), str(ROOT / "tests")]


def errant_compare() -> list[str]:
    """Return the arguments of errant_compare for CoNLL-14's CAMB, or say that gecbench has no such command."""
    arguments = ["errant_compare", "-hyp", str(mirrored(f"{ERRANT}/conll14-CAMB.errant"))]
    arguments += ["-ref", str(mirrored(f"{ERRANT}/conll14.errant"))]
    command = gecbench_program("errant_compare", "--help")
    if subprocess.run(command, capture_output=True, check=False).returncode:
        raise MissingError("this gecbench has no errant_compare")
    return arguments


def _errant(_: Path) -> Work:
    from gecbench.cli.main import main

    arguments = errant_compare()
    return Work(lambda: quietly(main, arguments), [Path(arguments[2]), Path(arguments[4])])


def _conll14(metric: str, first: bool, folder: Path) -> Work:
    from gecbench import make_metric
    from gecbench.formats.m2 import parse_m2

    gold, system = conll14_gold(folder), conll14_systems()["CAMB"]
    lines, outputs, scorer = lines_of(gold), lines_of(system), make_metric(metric)
    corpus = parse_m2(lines)
    return Work(lambda: scorer.score_corpus(parse_m2(lines) if first else corpus, outputs), [gold, system])


def _gleu(_: Path) -> Work:
    from gecbench import GLEU

    files = jfleg()
    sources, predictions, *columns = map(lines_of, files)
    references = list(zip(*columns, strict=True))
    return Work(lambda: GLEU().score(sources=sources, predictions=predictions, references=references), files)


def _edits(_: Path) -> Work:
    from gecbench import Corpus, derive_annotations

    source, _, *references = jfleg()
    sources, columns = lines_of(source), [lines_of(path) for path in references]
    texts = list(zip(*columns, strict=True))
    return Work(lambda: derive_annotations(Corpus(sources=sources, references=texts)), [source, *references])


def _compare(folder: Path) -> Work:
    import gecbench
    from gecbench.formats.m2 import read_m2

    systems = {name: lines_of(path) for name, path in conll14_systems().items()}
    metrics = ["gleu", "m2", "imeasure", "bleu"]
    gold = conll14_gold(folder)

    def run() -> object:
        corpus = gecbench.derive_references(read_m2(gold))
        return gecbench.compare(systems, corpus, metrics, resamples=1000)

    return Work(run, [gold, *conll14_systems().values()])


ROWS: dict[str, Row] = {
    "version": Row("`gecbench --version`", "26 ×", 3, "× python", program=lambda _: gecbench_program("--version")),
    "help": Row("`gecbench --help`", "26 ×", 3, "× python", program=lambda _: gecbench_program("--help")),
    "score": Row("`gecbench score -c jfleg:test`, a cold process", "3.6 ×", 2.5, "× numpy", program=_score_jfleg),
    "m2scorer": Row("`gecbench m2scorer CAMB gold.m2`, a cold process", "3.7 ×", 2.2, "× numpy", program=_m2scorer),
    "m2-first": Row("M2, first system (CoNLL-14)", "90–110 ms", 35, "ms", work=partial(_conll14, "m2", True)),
    "m2-next": Row("M2, next system", "24 ms", 12, "ms", work=partial(_conll14, "m2", False)),
    "gleu": Row("GLEU (JFLEG test)", "29 ms", 15, "ms", work=_gleu),
    "imeasure": Row(
        "I-measure mixed, first system (CoNLL-14)", "188 ms", 80, "ms", work=partial(_conll14, "imeasure", True)
    ),
    "edits": Row("extracting edits from 2,988 pairs (JFLEG test)", "462 ms", 30, "ms", work=_edits),
    "errant": Row("`errant_compare`, 1,312 sentences, in process", "absent", 23, "ms", work=_errant),
    "compare": Row("`compare`, 12 systems × 1,000 resamples × 4 metrics", "21.5 s", 6, "s", work=_compare),
    "submit": Row("`leaderboard submit` on jfleg:test", "6.5 s", 1.5, "s", program=_submit),
    "human-rank": Row(
        "`human rank` of 15 systems, 4,000 XML judgments, 1,000 runs", "6 s", 2, "s", program=_human_rank
    ),
    "reproduce": Row(
        "`reproduce sakaguchi2016`, nothing cached",
        "73 s wall",
        25,
        "s wall",
        program=_reproduce,
        environment={"HF_HOME": "home"},
    ),
    "threads-m2": Row(
        "M2, 100,000 sentences on two cores, next system", "1 ×", 1.7, "× one core", work=partial(_score_made, "m2")
    ),
    "threads-imeasure": Row("I-measure, the same", "1 ×", 1.7, "× one core", work=partial(_score_made, "imeasure")),
    "threads-gleu": Row("GLEU, the same", "1 ×", 1.7, "× one core", work=partial(_score_made, "gleu")),
    "tests": Row(
        *("the tests, without the corpora", "5 min wall", 120, "s wall"),
        program=_tests,
        by_name=True,
        environment={"GECBENCH_MIRROR": ""},
    ),
}


if __name__ == "__main__":
    row, budget, place = sys.argv[1:]
    try:
        print(json.dumps(measure_here(row, float(budget), Path(place))))
    except MissingError as missing:
        print(json.dumps({"skipped": str(missing)}))
