"""Measure what users wait for. Compare each time with its goal and with other programs, all in one run.

    python benchmarks/run.py                            everything except the time of the test suite
    python benchmarks/run.py --only gleu m2-first       some rows (--list names them)
    python benchmarks/run.py --save new.json            save the figures
    python benchmarks/run.py --compare old.json         show what changed; status 1 if a row got slower
    python benchmarks/run.py --peers ENV/bin/python     the environment with gec-metrics and the other packages

Figures are medians of processor time, unless they say "wall". Each row is also given as a multiple of a yardstick that
is measured in turns with it. The yardstick of a program is bare Python or importing numpy. The yardstick of GREEN is
GLEU, and that of other functions is reading and splitting the same files. Runs are compared by this multiple, so the
machine matters little.
Real corpora are read from GECBENCH_MIRROR.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Literal

import peers
from measure import (
    YARDSTICKS,
    FailedError,
    child,
    gecbench_program,
    machine,
    machine_line,
    markdown,
    measure_with_yardstick,
    mirror,
    quietly,
    rounded,
    run_program,
    save_parts,
    show_progress,
    split_files,
    three_digits,
    time_label,
)
from peers import PEERS
from texts import (
    ERRANT,
    EVALUATION,
    SEEDA,
    MissingError,
    conll14_gold,
    conll14_systems,
    jfleg,
    lines_of,
    made_files,
    make,
    make_judgments,
    mirrored,
    texts_for_peers,
)

Unit = Literal["× python", "× numpy", "× GLEU", "ms", "s", "s wall", "× one core"]
SENTENCES = 100_000
ROOT = Path(__file__).resolve().parent.parent
SECONDS = 5.0
TOLERANCE = 1.25
Found = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Work:
    """A function to measure in this process. Its yardstick is reading `files`, unless `yardstick` is given."""

    run: Callable[[], object]
    files: Sequence[Path]
    yardstick: Callable[[], object] | None = None


@dataclass(frozen=True)
class Row:
    """One row of the table. `program` or `work` gets a folder for its files.

    A `by_name` row takes minutes and runs only if it is named. The program runs in an empty folder each time, with the
    variables in `environment`.
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
        """Whether the goal is a minimum instead of a maximum."""
        return self.unit == "× one core"

    def figure(self, found: dict[str, Any]) -> float:
        """Return a measurement in the unit of the row."""
        if self.unit in ("× python", "× numpy", "× GLEU"):
            return float(found["cost"])
        if self.unit == "× one core":
            return 1 / float(found["cost"])
        return float(found["wall"] if self.unit == "s wall" else found["seconds"]) * (1000 if self.unit == "ms" else 1)


def measure_row(name: str, seconds: float, folder: Path) -> dict[str, Any]:
    """Measure a row, or give in `skipped` the reason why that is impossible."""
    row = ROWS[name]
    try:
        if row.unit == "× one core":
            return _threads(name, seconds, folder)
        if row.program is None:
            return child("run.py", "--child", name, seconds, folder)
        bare = [sys.executable, "-c", YARDSTICKS["python" if row.unit == "× python" else "numpy"]]
        command = row.program(folder)
        return measure_with_yardstick(lambda: run_program(command, row.environment), lambda: run_program(bare), seconds)
    except (MissingError, FailedError) as problem:
        return {"skipped": str(problem)}


def measure_here(name: str, seconds: float, folder: Path) -> dict[str, Any]:
    """Measure work in this process, or give in `skipped` the reason why that is impossible."""
    prepare = ROWS[name].work
    if prepare is None:
        raise ValueError(f"{name} is a program")
    warnings.simplefilter("ignore")
    try:
        work = prepare(folder)
    except MissingError as missing:
        return {"skipped": str(missing)}
    if ROWS[name].unit == "× one core":
        return _by_turns(work.run, seconds)
    return measure_with_yardstick(work.run, work.yardstick or partial(split_files, work.files), seconds)


def _threads(name: str, seconds: float, folder: Path) -> dict[str, Any]:
    """Score the same text on one core and on two. `cost` is the time on two cores divided by the time on one."""
    from gecbench import kernels

    if not hasattr(kernels, "threads"):
        raise MissingError("these kernels run on one core only")
    if (os.cpu_count() or 1) < 2:
        raise MissingError("this machine has one core")
    text = folder / "threads"
    if not text.exists():
        text.mkdir()
        make(text, SENTENCES)
    return child("run.py", "--child", name, seconds, folder)


def _by_turns(work: Callable[[], object], seconds: float) -> dict[str, Any]:
    """Do the same work on one core and on two, in turns, and return the median wall times."""
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
    """Score generated text. Corpus and gold are loaded before, so this is the time of a further system."""
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
    (folder / "board").mkdir(exist_ok=True)
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
    """Return the arguments of errant_compare for CAMB on CoNLL-14, or raise MissingError without this command."""
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


def _cleme(_: Path) -> Work:
    """Score a system's edits on CoNLL-14. The gold is loaded before."""
    from gecbench import CLEME, EditedTexts
    from gecbench.formats.m2 import read_m2

    files = [mirrored(f"{ERRANT}/{name}.errant") for name in ("conll14", "conll14-CAMB")]
    gold, system = map(read_m2, files)
    edits = EditedTexts.of(system.sources, system.annotations or ())
    return Work(lambda: CLEME().score_corpus(gold, edits), files)


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


def _green(folder: Path) -> Work:
    """Score GREEN on SEEDA's sentences, with GLEU as the yardstick. Corpus and references are loaded before."""
    from gecbench import Corpus, derive_references, make_metric
    from gecbench.formats.m2 import read_m2

    files = [mirrored(f"{SEEDA}/{name}.txt") for name in ("INPUT", "T5")]
    sources, outputs = map(lines_of, files)
    everything = derive_references(read_m2(conll14_gold(folder)))
    known = dict(zip(everything.sources, everything.references or (), strict=True))
    corpus = Corpus(sources=sources, references=[known[source] for source in sources])
    ours, theirs = make_metric("green"), make_metric("gleu")
    return Work(lambda: ours.score_corpus(corpus, outputs), files, lambda: theirs.score_corpus(corpus, outputs))


def _edits(_: Path) -> Work:
    from gecbench import Corpus, derive_annotations

    source, _, *references = jfleg()
    sources, columns = lines_of(source), [lines_of(path) for path in references]
    texts = list(zip(*columns, strict=True))
    return Work(lambda: derive_annotations(Corpus(sources=sources, references=texts)), [source, *references])


def _seeda(_: Path) -> list[str]:
    """Meta-evaluate six metrics on SEEDA-E and SEEDA-S with both sets of systems, in one new process."""
    mirrored(f"{SEEDA}/INPUT.txt")
    metrics = ["gleu", "gleu(variant=multiset)", "m2", "green", "imeasure", "bleu"]
    cases = [(human, systems) for human in ("seeda:edit", "seeda:sentence") for systems in ("base", "fluency")]
    code = f"import gecbench\nfor human, systems in {cases}: gecbench.meta({metrics}, human, systems=systems)"
    return [sys.executable, "-c", code]


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
    "green": Row("GREEN, compared with GLEU (SEEDA, 391 sentences)", "absent", 3, "× GLEU", work=_green),
    "imeasure": Row(
        "I-measure mixed, first system (CoNLL-14)", "188 ms", 80, "ms", work=partial(_conll14, "imeasure", True)
    ),
    "edits": Row("extracting edits from 2,988 pairs (JFLEG test)", "462 ms", 30, "ms", work=_edits),
    "errant": Row("`errant_compare`, 1,312 sentences, in process", "absent", 23, "ms", work=_errant),
    "cleme": Row("CLEME, next system (CoNLL-14)", "absent", 50, "ms", work=_cleme),
    "compare": Row("`compare`, 12 systems × 1,000 resamples × 4 metrics", "21.5 s", 6, "s", work=_compare),
    "seeda": Row("SEEDA-E and -S, base and fluency, 6 metrics, a cold process", "absent", 10, "s", program=_seeda),
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


def main() -> int:
    """Measure, print, save and compare. Return 1 if a row got slower, 2 if the options are wrong."""
    options = _options()
    if options.child:
        name, seconds, folder = options.child
        print(json.dumps(measure_here(name, float(seconds), Path(folder))))
        return 0
    if options.list:
        print("\n".join([*ROWS, *PEERS]))
        return 0
    before = _read(options.compare) if options.compare else None
    if known := mirror():
        os.environ["GECBENCH_MIRROR"] = str(known)
    about = machine()
    print(machine_line(about), flush=True)
    with tempfile.TemporaryDirectory() as place:
        found = measure_rows(options, Path(place))
        others = measure_peers(options, Path(place))
    show_progress("")
    saved = {"machine": about, "rows": found, "peers": others}
    for table in (rows_table(found), peers_table(others)):
        if table:
            print(f"\n{table}")
    if options.save:
        save_parts(options.save, saved)
    return print_changes(before, saved) if before is not None else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [*ROWS, *PEERS]
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=known, help="measure only these")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--save", metavar="FILE", help="write the figures as JSON; other parts of the file are kept")
    parser.add_argument("--compare", metavar="FILE", help="a saved run to compare with")
    parser.add_argument(
        "--peers", metavar="PYTHON", type=os.path.abspath, help="an environment's Python that has the others' packages"
    )
    parser.add_argument(
        "--seconds", metavar="N", type=float, default=SECONDS, help="repeat each so long (default: 5); 0: once"
    )
    parser.add_argument("--child", nargs=3, metavar=("ROW", "SECONDS", "FOLDER"), help=argparse.SUPPRESS)
    return parser.parse_args()


def _read(path: str) -> dict[str, Any]:
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
        return {kind: dict(saved[kind]) for kind in ("rows", "peers")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{path}: not a saved run ({error}). Write one with --save.", file=sys.stderr)
        sys.exit(2)


def measure_rows(options: argparse.Namespace, folder: Path) -> Found:
    """Measure the chosen rows, and show the current one."""
    chosen = options.only or [name for name, row in ROWS.items() if not row.by_name]
    found = {}
    for name in (name for name in ROWS if name in chosen):
        show_progress(name)
        measured = rounded(measure_row(name, options.seconds, folder))
        if "skipped" not in measured:
            measured["figure"] = float(f"{ROWS[name].figure(measured):.4g}")
        found[name] = measured
    return found


def measure_peers(options: argparse.Namespace, folder: Path) -> Found:
    """Measure the chosen peers on the same text."""
    chosen = [name for name in PEERS if name in (options.only or PEERS)]
    if not chosen:
        return {}
    texts = texts_for_peers()
    try:
        texts["errant"] = errant_compare()
    except MissingError as missing:
        texts["no errant"] = str(missing)
    path = folder / "texts.json"
    path.write_text(json.dumps(texts, indent=0), encoding="utf-8")
    pythons = [*([options.peers] if options.peers else []), sys.executable]
    found = {}
    for name in chosen:
        show_progress(name)
        both = peers.measure(name, options.seconds, path, pythons)
        sides = {key: rounded(value) for key, value in both.items() if isinstance(value, dict)}
        found[name] = {**rounded(both), **sides, "text": texts["name"]}
    return found


def rows_table(found: Found) -> str:
    """Return the rows as a Markdown table: work, time in 0.1.0, goal, time now, goal met, multiple of the yardstick."""
    lines = []
    for name, measured in _measured(found).items():
        row, figure = ROWS[name], measured["figure"]
        met = figure >= row.goal if row.more_is_better else figure <= row.goal
        goal = f"{'≥' if row.more_is_better else '≤'} {row.goal:g} {row.unit}"
        multiple = "" if row.more_is_better else f"{three_digits(measured['cost'])} ×"
        lines.append((row.what, row.before, goal, _figure(row, measured), "yes" if met else "no", multiple))
    header = ("what", "0.1.0", "goal", "measured", "goal met", "times its yardstick")
    return _with_skipped(header, lines, {ROWS[name].what: each for name, each in found.items()})


def _measured(found: Found) -> Found:
    return {name: each for name, each in found.items() if "skipped" not in each}


def _figure(row: Row, measured: Mapping[str, Any]) -> str:
    if row.unit.startswith("×"):
        seconds = measured["wall" if row.more_is_better else "seconds"]
        return f"{three_digits(measured['figure'])} × ({time_label(seconds)})"
    return f"{three_digits(measured['figure'])} {row.unit}"


def peers_table(found: Found) -> str:
    """Return a Markdown table of gecbench and the other programs."""
    lines = []
    for name, both in _measured(found).items():
        peer, ours, theirs = PEERS[name], both["ours"], both["theirs"]
        times = (time_label(ours["seconds"]), time_label(theirs["seconds"]), f"{both['cost']:.3f}")
        values = " / ".join(f"{value:.4f}" for value in (ours["value"], theirs["value"]) if value is not None)
        lines.append((peer.what, f"{peer.package} {theirs['version']}", *times, values))
    header = ("the same work", "by", "ours", "theirs", "ours ÷ theirs", "values")
    whose = {f"{PEERS[name].what}, {PEERS[name].package}": each for name, each in found.items()}
    title = (
        f"Measured on {next(iter(found.values()))['text']}. Imports count only for whole programs:\n\n" if found else ""
    )
    return title + _with_skipped(header, lines, whose, left=2)


def _with_skipped(header: Sequence[str], lines: list[tuple[str, ...]], found: Found, left: int = 1) -> str:
    table = [markdown(header, lines, left)] if lines else []
    reasons: dict[str, list[str]] = {}
    for what, each in found.items():
        if "skipped" in each:
            reasons.setdefault(each["skipped"], []).append(what)
    skipped = [f"- Skipped, {reason}: {'; '.join(which)}." for reason, which in reasons.items()]
    return "\n\n".join([*table, *(["\n".join(skipped)] if skipped else [])])


def print_changes(before: Mapping[str, Found], now: Mapping[str, Found]) -> int:
    """Print how costs changed since a saved run, and return 1 if a cost grew by more than a quarter."""
    lines = []
    for kind in ("rows", "peers"):
        for name, new in now[kind].items():
            old = before[kind].get(name, {})
            if "cost" in old:
                lines.append((name, f"{three_digits(old['cost'])} ×", *_change(old, new)))
    print("\nSince the saved run (multiples of each yardstick, or of the others' time):\n")
    print(markdown(("row", "then", "now", "change", ""), lines) if lines else "no row is in both runs")
    return int(any(line[-1] == "slower" for line in lines))


def _change(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, str, str]:
    if "cost" not in new:
        return "–", "–", "not measured"
    change = new["cost"] / old["cost"]
    word = "slower" if change > TOLERANCE else "faster" if change < 1 / TOLERANCE else "as before"
    return f"{three_digits(new['cost'])} ×", f"{three_digits(change)} ×", word


if __name__ == "__main__":
    sys.exit(main())
