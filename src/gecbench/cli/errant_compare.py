"""`gecbench errant_compare`: the official program's arguments and its lines, so that old scripts keep working."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from gecbench.cli.options import add_command
from gecbench.errors import InputError
from gecbench.formats.m2 import EditFields, read_edit_fields
from gecbench.metrics.errant.edits import NO_EDITS, Keyed, Mode, Selection, at_tier, count_pairs, outcomes, tally
from gecbench.metrics.policy import GreedyRounded
from gecbench.metrics.statistics import Statistics

_EXAMPLES = """  gecbench errant_compare -hyp system.m2 -ref gold.m2
  gecbench errant_compare -hyp system.m2 -ref gold.m2 -ds -cat 3
"""
_TITLES = {
    "dt": "Token-Based Detection",
    "ds": "Span-Based Detection",
    "cse": "Span-Based Correction + Classification",
    "cs": "Span-Based Correction",
}
_RULE = "-" * 40
Blocks = Sequence[tuple[str, dict[int, list[EditFields]]]]


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(
        commands, "errant_compare", "Score edits like the official errant_compare", _EXAMPLES, run, failure=1
    )
    parser.add_argument("-hyp", required=True, metavar="FILE", help="the system's edits, M2")
    parser.add_argument("-ref", required=True, metavar="FILE", help="the gold edits, M2, of the same sentences")
    parser.add_argument("-b", "--beta", type=float, default=0.5, help="beta of the F measure (default: 0.5)")
    parser.add_argument("-v", "--verbose", action="store_true", help="also show every sentence's edits and counts")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("-dt", action="store_true", help="detection, token by token")
    modes.add_argument("-ds", action="store_true", help="detection, span by span")
    modes.add_argument("-cs", action="store_true", help="correction, span by span (default)")
    modes.add_argument("-cse", action="store_true", help="correction and error type, span by span")
    parser.add_argument("-single", action="store_true", help="only edits of at most one token on either side")
    parser.add_argument("-multi", action="store_true", help="only edits of two tokens or more on either side")
    parser.add_argument("-filt", nargs="+", default=[], metavar="TYPE", help="error types to leave out")
    parser.add_argument(
        "-cat", type=int, choices=(1, 2, 3), help="also scores by operation (1), category (2) or both (3)"
    )


def run(options: argparse.Namespace) -> None:
    """Compare and print."""
    hypothesis, reference = read_edit_fields(options.hyp), read_edit_fields(options.ref)
    _check_same_sentences(hypothesis, reference, options)
    mode: Mode = "dt" if options.dt else "ds" if options.ds else "cse" if options.cse else "cs"
    selection = Selection(mode, options.single, options.multi, frozenset(options.filt))
    ours, theirs = (_keyed(blocks, selection) for blocks in (hypothesis, reference))
    statistics = count_pairs([[*found.values()] for found in ours], [[*found.values()] for found in theirs])
    _check_beta(options.beta, statistics)
    rows = GreedyRounded(options.beta).chosen(statistics).tolist()
    if options.verbose:
        for line in _verbose([source for source, _ in hypothesis], ours, theirs, statistics, rows, options.beta):
            print(line)
    if options.cat:
        chosen = _chosen(ours, theirs, rows, statistics)
        counts = tally(outcome for one, other in chosen for outcome in outcomes(one, other))
        _print_categories(at_tier(counts, options.cat), _TITLES[mode], options.beta)
    correct, proposed, gold = statistics.counts[rows].sum(axis=0).tolist()
    total = [correct, proposed - correct, gold - correct]
    print(f"\n{f' {_TITLES[mode]} ':=^46}")
    print("TP", "FP", "FN", "Prec", "Rec", f"F{options.beta}", sep="\t")
    print(*total, *_figures(total, options.beta), sep="\t")
    print("=" * 46, end="\n\n")


def _check_same_sentences(hypothesis: Blocks, reference: Blocks, options: argparse.Namespace) -> None:
    """Refuse files of other sentences, which officially are compared as if they were the same."""
    if len(hypothesis) != len(reference):
        raise InputError(
            f"{len(hypothesis)} sentences, but {options.ref} has {len(reference)}",
            file=options.hyp,
            fix="Both files need the same sentences, in the same order",
        )
    for number, ((ours, _), (theirs, _)) in enumerate(zip(hypothesis, reference, strict=True), start=1):
        if ours != theirs and ours.split() != theirs.split():
            raise InputError(
                f"sentence {number} is not that of {options.ref}: {ours[:60]!r} against {theirs[:60]!r}",
                file=options.hyp,
                fix="Both files need the same sentences, in the same order",
            )


def _keyed(blocks: Blocks, selection: Selection) -> list[dict[int, Keyed]]:
    return [
        {annotator: selection.keyed(edits) for annotator, edits in (found or {0: NO_EDITS}).items()}
        for _, found in blocks
    ]


def _check_beta(beta: float, statistics: Statistics) -> None:
    """Refuse a beta for which the official F is not a number, or stops it."""
    _, proposed, gold = statistics.counts.T
    without_f = beta == 0 and bool(((proposed == 0) & (gold > 0)).any())
    if without_f or not math.isfinite(beta) or abs(beta) > 1e6:
        raise InputError(f"-b {beta} gives no F here", fix="Give a number above 0")


def _figures(counts: Sequence[int], beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F, each rounded to four decimals."""
    correct, wrong, missed = counts
    precision = correct / (correct + wrong) if wrong else 1.0
    recall = correct / (correct + missed) if missed else 1.0
    f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if precision + recall else 0.0
    return round(precision, 4), round(recall, 4), round(f, 4)


def _chosen(
    ours: Sequence[dict[int, Keyed]], theirs: Sequence[dict[int, Keyed]], rows: Sequence[int], statistics: Statistics
) -> Iterator[tuple[Keyed, Keyed]]:
    """Yield the pair of annotators that counts for each sentence."""
    for one, other, row, first in zip(ours, theirs, rows, statistics.offsets[:-1].tolist(), strict=True):
        yield list(product(one.values(), other.values()))[row - first]


def _verbose(
    sources: Sequence[str],
    ours: Sequence[dict[int, Keyed]],
    theirs: Sequence[dict[int, Keyed]],
    statistics: Statistics,
    rows: Sequence[int],
    beta: float,
) -> Iterator[str]:
    """Yield what the official program says of every sentence."""
    total = [0, 0, 0]
    for i, source in enumerate(sources):
        yield from (_RULE, f"Original sentence {i}: {source}")
        first = int(statistics.offsets[i])
        pairs = list(product(ours[i], theirs[i]))
        for (one, other), row in zip(pairs, statistics.counts[first:].tolist(), strict=False):
            local = [row[0], row[1] - row[0], row[2] - row[0]]
            running = [have + more for have, more in zip(total, local, strict=True)]
            yield from (_RULE, f"SENTENCE {i} - HYP {one} - REF {other}")
            yield f"HYPOTHESIS EDITS : {_listed(ours[i][one])}"
            yield f"REFERENCE EDITS  : {_listed(theirs[i][other])}"
            for name, counts in (("Local", local), ("Global", running)):
                yield f"{f'{name} TP/FP/FN':<17}: {' '.join(map(str, counts))}"
                yield f"{name} P/R/F{beta}  : {' '.join(map(str, _figures(counts, beta)))}"
        one, other = pairs[rows[i] - first]
        found = tally(outcomes(ours[i][one], theirs[i][other]))
        total = [have + sum(counts[k] for counts in found.values()) for k, have in enumerate(total)]
        yield from (_RULE, f"^^ HYP {one}, REF {other} chosen for sentence {i}", "Local results:")
        yield from _table([["Category", "TP", "FP", "FN"], *([kind, *map(str, row)] for kind, row in found.items())])


def _listed(keyed: Keyed) -> list[tuple[Any, ...]]:
    edits = [(*key, keyed[key][0]) for key in sorted(keyed)]
    return [] if not edits or edits[0][0] == -1 else edits


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) + 3 for column in zip(*rows, strict=True)]
    for row in rows:
        yield "".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))


def _print_categories(counts: dict[str, list[int]], title: str, beta: float) -> None:
    print(f"\n{f' {title} ':=^66}")
    rows = [[kind, *map(str, [*three, *_figures(three, beta)])] for kind, three in sorted(counts.items())]
    for first, *rest, last in [["Category", "TP", "FP", "FN", "P", "R", f"F{beta}"], *rows]:
        print(first.ljust(14), *(cell.ljust(8) for cell in rest), last)
