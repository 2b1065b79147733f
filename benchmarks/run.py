"""What a person waits for, against its goal and against others' programs, all in one run.

    python benchmarks/run.py                            everything but the tests' own time
    python benchmarks/run.py --only gleu m2-first       some rows (--list names them)
    python benchmarks/run.py --save new.json            keeps the figures
    python benchmarks/run.py --compare old.json         shows what changed; status 1 if a row got slower
    python benchmarks/run.py --peers ENV/bin/python     where gec-metrics and the others are installed

Figures are medians of processor time, unless they say "wall". Each row is also measured as a multiple of a yardstick
that runs by turns with it: bare Python, importing numpy, or reading and splitting the same files. Runs are compared by
that multiple, so that another machine or a busy one matters little. Real corpora are read from GECBENCH_MIRROR.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import peers
import rows
from measure import machine, machine_line, markdown, mirror, rounded, save_json, tell, three_digits, time_label
from peers import PEERS
from rows import ROWS
from texts import MissingError, texts_for_peers

SECONDS = 5.0
TOLERANCE = 1.25
Found = dict[str, dict[str, Any]]


def main() -> int:
    """Measure, print, save, compare; return 1 if a row got slower, 2 if the options are wrong."""
    options = _options()
    if options.list:
        print("\n".join([*ROWS, *PEERS]))
        return 0
    before = _read(options.compare) if options.compare else None
    if folder := mirror():
        os.environ["GECBENCH_MIRROR"] = str(folder)
    about = machine()
    print(machine_line(about), flush=True)
    with tempfile.TemporaryDirectory() as place:
        found = measure_rows(options, Path(place))
        beside = measure_peers(options, Path(place))
    tell("")
    saved = {"machine": about, "rows": found, "peers": beside}
    for table in (rows_table(found), peers_table(beside)):
        if table:
            print(f"\n{table}")
    if options.save:
        save_json(options.save, saved)
    return print_changes(before, saved) if before is not None else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [*ROWS, *PEERS]
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=known, help="measure only these")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--save", metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--compare", metavar="FILE", help="a saved run to compare with")
    parser.add_argument("--peers", metavar="PYTHON", help="an environment's Python that has the others' packages")
    parser.add_argument(
        "--seconds", metavar="N", type=float, default=SECONDS, help="repeat each so long (default: 5); 0: once"
    )
    return parser.parse_args()


def _read(path: str) -> dict[str, Any]:
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
        return {kind: dict(saved[kind]) for kind in ("rows", "peers")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{path}: not a saved run ({error}). Write one with --save.", file=sys.stderr)
        sys.exit(2)


def measure_rows(options: argparse.Namespace, folder: Path) -> Found:
    """Measure the chosen rows, saying which."""
    chosen = options.only or [name for name, row in ROWS.items() if not row.by_name]
    found = {}
    for name in (name for name in ROWS if name in chosen):
        tell(name)
        measured = rounded(rows.measure(name, options.seconds, folder))
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
        texts["errant"] = rows.errant_compare()
    except MissingError as missing:
        texts["no errant"] = str(missing)
    path = folder / "texts.json"
    path.write_text(json.dumps(texts, indent=0), encoding="utf-8")
    pythons = [*([options.peers] if options.peers else []), sys.executable]
    found = {}
    for name in chosen:
        tell(name)
        both = peers.measure(name, options.seconds, path, pythons)
        sides = {key: rounded(value) for key, value in both.items() if isinstance(value, dict)}
        found[name] = {**rounded(both), **sides, "text": texts["name"]}
    return found


def rows_table(found: Found) -> str:
    """Return the rows as a Markdown table: what, before, goal, measured, whether the goal is met, the multiple."""
    lines = []
    for name, measured in _measured(found).items():
        row, figure = ROWS[name], measured["figure"]
        met = figure >= row.goal if row.more_is_better else figure <= row.goal
        goal = f"{'≥' if row.more_is_better else '≤'} {row.goal:g} {row.unit}"
        multiple = "" if row.more_is_better else f"{three_digits(measured['cost'])} ×"
        lines.append((row.what, row.before, goal, _figure(row, measured), "yes" if met else "no", multiple))
    header = ("what", "0.1.0", "goal", "measured", "met", "of its yardstick")
    return _with_skipped(header, lines, {ROWS[name].what: each for name, each in found.items()})


def _measured(found: Found) -> Found:
    return {name: each for name, each in found.items() if "skipped" not in each}


def _figure(row: rows.Row, measured: Mapping[str, Any]) -> str:
    if row.unit.startswith("×"):
        seconds = measured["wall" if row.more_is_better else "seconds"]
        return f"{three_digits(measured['figure'])} × ({time_label(seconds)})"
    return f"{three_digits(measured['figure'])} {row.unit}"


def peers_table(found: Found) -> str:
    """Return gecbench beside the others."""
    lines = []
    for name, both in _measured(found).items():
        peer, ours, theirs = PEERS[name], both["ours"], both["theirs"]
        times = (time_label(ours["seconds"]), time_label(theirs["seconds"]), f"{both['cost']:.3f}")
        values = " / ".join(f"{value:.4f}" for value in (ours["value"], theirs["value"]) if value is not None)
        lines.append((peer.what, f"{peer.package} {theirs['version']}", *times, values))
    header = ("the same work", "by", "ours", "theirs", "ours ÷ theirs", "values")
    whose = {f"{PEERS[name].what}, {PEERS[name].package}": each for name, each in found.items()}
    title = f"The same work on {next(iter(found.values()))['text']}, imports not counted:\n\n" if found else ""
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
    """Print how costs changed since a saved run; return 1 if one grew by more than a quarter."""
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
