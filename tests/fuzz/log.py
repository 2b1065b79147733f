"""The log of the attacks (a JSON line per attack and run) and its table in docs/reliability.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .attack import Attack

LOG = Path(__file__).parent / "log.jsonl"
DOCUMENT = Path(__file__).parents[2] / "docs" / "reliability.md"
TABLE = re.compile(r"(?<=<!-- attacks:begin -->\n).*?(?=<!-- attacks:end -->)", re.DOTALL)


def read_log(path: Path) -> list[dict[str, Any]]:
    """Return the runs of a log, oldest first."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def append(path: Path, run: Mapping[str, Any]) -> None:
    """Add a run to a log."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run, ensure_ascii=False) + "\n")


def table(attacks: Iterable[Attack], runs: Iterable[Mapping[str, Any]]) -> str:
    """Return a Markdown table of the attacks: what is tried, what must hold, number of tries, outcome."""
    by_attack: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        by_attack.setdefault(run["attack"], []).append(run)
    lines = ["| attack | what is tried | what must hold | tries | outcome |", "|---|---|---|--:|---|"]
    for attack in attacks:
        mine = by_attack.get(attack.name, [])
        tries = sum(run["tries"] for run in mine)
        lines.append(f"| `{attack.name}` | {attack.tries} | {attack.holds} | {tries:,} | {_outcome(mine)} |")
    return "".join(f"{line}\n" for line in lines)


def _outcome(runs: list[Mapping[str, Any]]) -> str:
    """Return the outcome of an attack. The tries after its last finding show that the finding is fixed."""
    if not runs:
        return "not run yet"
    findings = sum(len(run["findings"]) for run in runs)
    if not findings:
        return "no finding"
    last = max(number for number, run in enumerate(runs) if run["findings"])
    since = sum(run["tries"] for run in runs[last + 1 :])
    count = f"{findings} finding{'s' if findings > 1 else ''}"
    return f"{count}, fixed; none in the {since:,} tries since" if since else f"{count}, open"


def document(attacks: Iterable[Attack], runs: Iterable[Mapping[str, Any]], text: str) -> str:
    """Return the document with the table replaced."""
    made = table(attacks, runs)
    return TABLE.sub(lambda _: made, text)
