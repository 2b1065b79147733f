"""ERRANT's comparison as its description says it, one rule after another (docs/metrics/errant.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Edit = tuple[int, int, str, str]
Sentence = Mapping[int, Sequence[Edit]]
NOOP: Edit = (-1, -1, "noop", "-NONE-")


def read_blocks(text: str) -> list[Sentence]:
    """Return the edits of each sentence by annotator."""
    sentences = []
    for block in text.strip().split("\n\n"):
        found: dict[int, list[Edit]] = {}
        for line in block.split("\n")[1:]:
            span, kind, correction, *_, annotator = line.removeprefix("A ").split("|||")
            start, end = map(int, span.split())
            found.setdefault(int(annotator), []).append((start, end, kind, correction))
        sentences.append(found)
    return sentences


def wanted(edit: Edit, mode: str, single: bool, multi: bool, filtered: Iterable[str]) -> bool:
    start, end, kind, correction = edit
    longest = max(end - start, len(correction.split()))
    if kind == "UNK" and mode in ("cs", "cse"):
        return False
    return not (single and longest > 1) and not (multi and longest < 2) and kind not in filtered


def keys(edit: Edit, mode: str) -> list[tuple[Any, ...]]:
    start, end, kind, correction = edit
    if mode == "dt" and start == -1:
        return [(-1, -1)]
    if mode == "dt" and start == end >= 0:
        return [(start, start + 1)]
    if mode == "dt":
        return [(i, i + 1) for i in range(start, end)]
    return [{"cs": (start, end, correction), "cse": (start, end, kind, correction), "ds": (start, end)}[mode]]


def edit_set(edits: Sequence[Edit], mode: str, **filters: Any) -> dict[tuple[Any, ...], list[str]]:
    found: dict[tuple[Any, ...], list[str]] = {}
    for edit in edits:
        if wanted(edit, mode, **filters):
            for key in keys(edit, mode):
                found[key] = [*found.get(key, []), edit[2]]
    return found


def compare(hypothesis: Mapping[Any, list[str]], reference: Mapping[Any, list[str]]) -> list[tuple[str, str]]:
    """Return (outcome, type) of everything counted."""
    proposed = [key for key, kinds in hypothesis.items() if kinds[0] != "noop"]
    needed = [key for key, kinds in reference.items() if kinds[0] != "noop"]
    true = [("tp", kind) for key in proposed if key in reference for kind in reference[key]]
    false = [("fp", kind) for key in proposed if key not in reference for kind in hypothesis[key]]
    return true + false + [("fn", kind) for key in needed if key not in hypothesis for kind in reference[key]]


def figures(tp: int, fp: int, fn: int, beta: float) -> tuple[float, float, float]:
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if precision + recall else 0.0
    return round(precision, 4), round(recall, 4), round(f, 4)


def score(
    hypotheses: Sequence[Sentence], references: Sequence[Sentence], mode: str, beta: float, **filters: Any
) -> Counter[tuple[str, str]]:
    """Return how often each (outcome, type) was counted for the pairs chosen one sentence after another."""
    total: Counter[tuple[str, str]] = Counter()
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        best: tuple[tuple[float, ...], list[tuple[str, str]]] | None = None
        for ours in (hypothesis or {0: [NOOP]}).values():
            for theirs in (reference or {0: [NOOP]}).values():
                found = compare(edit_set(ours, mode, **filters), edit_set(theirs, mode, **filters))
                tp, fp, fn = (sum(outcome == name for outcome, _ in found) for name in ("tp", "fp", "fn"))
                before = [sum(n for (outcome, _), n in total.items() if outcome == name) for name in ("tp", "fp", "fn")]
                f = figures(before[0] + tp, before[1] + fp, before[2] + fn, beta)[2]
                rank = (f, tp, -fp, -fn)
                if best is None or rank > best[0]:
                    best = (rank, found)
        assert best is not None
        total.update(best[1])
    return total
