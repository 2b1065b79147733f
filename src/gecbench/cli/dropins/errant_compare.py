"""`gecbench errant_compare`: a drop-in for the official ERRANT scorer.

It has the arguments and the output of the official program.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from gecbench.cli.dropins import warn_of_mixed_up
from gecbench.cli.options import add_command
from gecbench.corpus.prepare import MIN_LINES
from gecbench.display import shorten
from gecbench.errors import InputError, counted
from gecbench.formats.m2 import ErrantFile, parse_errant
from gecbench.formats.tables import is_same_sentence
from gecbench.formats.text import is_same_file, read_marked_text
from gecbench.kernels.errant import Comparison, Keyed, Mode, Selection, tally
from gecbench.metrics.base import Counts, Statistics, f_beta, precision_recall
from gecbench.metrics.errant import at_tier, count_statistics, count_types
from gecbench.metrics.policy import GreedyRounded

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


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "errant_compare", summary, _EXAMPLES, run, failure=1, last_wins=True)
    parser.add_argument("-hyp", required=True, metavar="FILE", help="the system's edits (M2)")
    parser.add_argument("-ref", required=True, metavar="FILE", help="the gold edits of the same sentences (M2)")
    parser.add_argument("-b", "--beta", type=float, default=0.5, help="beta of the F measure (default: 0.5)")
    parser.add_argument("-v", "--verbose", action="store_true", help="also show every sentence's edits and counts")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("-dt", action="store_true", help="evaluate detection by token")
    modes.add_argument("-ds", action="store_true", help="evaluate detection by span")
    modes.add_argument("-cs", action="store_true", help="evaluate correction by span (default)")
    modes.add_argument("-cse", action="store_true", help="evaluate correction and error type by span")
    about = "evaluate only edits of at most one token, in the source and in the correction"
    parser.add_argument("-single", action="store_true", help=about)
    about = "evaluate only edits of two or more tokens, in the source or in the correction"
    parser.add_argument("-multi", action="store_true", help=about)
    parser.add_argument("-filt", nargs="+", default=[], metavar="TYPE", help="error types to ignore")
    about = "accept sources that differ only in full-width and half-width characters (not in the official program)"
    parser.add_argument("--ignore-width", action="store_true", help=about)
    parser.add_argument(
        "-cat", type=int, choices=(1, 2, 3), help="also print scores by operation (1), category (2) or both (3)"
    )


def run(options: argparse.Namespace) -> None:
    """Compare the edits and print the scores."""
    mode: Mode = "dt" if options.dt else "ds" if options.ds else "cse" if options.cse else "cs"
    selection = Selection(mode, options.single, options.multi, frozenset(options.filt))
    ours, theirs = (read_marked_text(path) for path in (options.hyp, options.ref))
    hypothesis, reference = parse_errant(ours, options.hyp), parse_errant(theirs, options.ref)
    _check_same_sentences(hypothesis.sources, reference.sources, options)
    _warn_of_annotators(hypothesis.annotators, options)
    if ours == theirs and (len(hypothesis.sources) >= MIN_LINES or is_same_file(options.hyp, options.ref)):
        warn_of_mixed_up(f"{options.hyp} and {options.ref} are identical")
    compared = Comparison.of(hypothesis.edits, reference.edits, selection)
    statistics = count_statistics(compared)
    _check_beta(options.beta, statistics)
    rows = GreedyRounded(options.beta).chosen(statistics)
    lines: list[str] = []
    if options.verbose:
        lines += _verbose(hypothesis, reference, compared, statistics, rows, options.beta)
    if options.cat:
        types = at_tier(count_types(compared, statistics, rows), options.cat)
        lines += _categories(types, _TITLES[mode], options.beta)
    lines += _overall(_outcomes(statistics.counts[rows].sum(axis=0)), _TITLES[mode], options.beta)
    print("\n".join(lines))


def _warn_of_annotators(annotators: Sequence[Sequence[int]], options: argparse.Namespace) -> None:
    """Warn if the system's file has several annotators.

    For each sentence, the best annotator is scored.
    """
    if max(map(len, annotators)) > 1:
        known = shorten(", ".join(map(str, sorted({number for sentence in annotators for number in sentence}))))
        warn_of_mixed_up(f"{options.hyp}: expected one annotator, but found the annotators {known}")


def _check_same_sentences(hypothesis: Sequence[str], reference: Sequence[str], options: argparse.Namespace) -> None:
    """Raise an error if the files have different sentences.

    The official program compares such files anyway.
    """
    problem, fix = None, "Both files need the same sentences, in the same order"
    if len(hypothesis) != len(reference):
        problem = f"{counted(len(hypothesis), 'sentence')}, but {options.ref} has {len(reference)}"
    elif hypothesis != reference:
        for number, (ours, theirs) in enumerate(zip(hypothesis, reference, strict=True), start=1):
            if not is_same_sentence(ours, theirs, options.ignore_width):
                problem = f"sentence {number} differs from {options.ref}: {ours[:60]!r}, not {theirs[:60]!r}"
                if is_same_sentence(ours, theirs, ignore_width=True):
                    fix = "To accept differences between full-width and half-width characters, use --ignore-width"
                break
    if problem:
        raise InputError(problem, file=options.hyp, fix=fix)


def _check_beta(beta: float, statistics: Statistics) -> None:
    """Raise an error for a beta that makes the official F undefined."""
    _, proposed, gold = statistics.counts.T
    without_f = beta == 0 and bool(((proposed == 0) & (gold > 0)).any())
    if without_f or not math.isfinite(beta) or abs(beta) > 1e6:
        raise _no_f(beta)


def _no_f(beta: float) -> InputError:
    return InputError(f"F is undefined for -b {beta}", fix="Give a number above 0 and up to 1000000")


def _figures(counts: Sequence[int], beta: float) -> list[float]:
    """Return precision, recall and F, rounded to four decimals by Python's `round`."""
    correct, wrong, missed = counts
    precision, recall = precision_recall(np.array([correct, correct + wrong, correct + missed]))
    if precision > 0 and not beta**2 * precision + recall:
        raise _no_f(beta)
    return [round(float(value), 4) for value in (precision, recall, f_beta(precision, recall, beta))]


def _verbose(
    hypothesis: ErrantFile,
    reference: ErrantFile,
    compared: Comparison,
    statistics: Statistics,
    rows: Counts,
    beta: float,
) -> Iterator[str]:
    """Yield the official program's output for every sentence."""
    total: Counts = np.zeros(3, dtype=np.int64)
    places = (rows - statistics.offsets[:-1]).tolist()
    annotators = zip(hypothesis.annotators, reference.annotators, strict=True)
    sentences = zip(hypothesis.sources, compared.keyed(), annotators, places, strict=True)
    for i, (source, (ours, theirs), numbers, place) in enumerate(sentences):
        yield f"{_RULE}\nOriginal sentence {i}: {source}"
        pairs = list(zip(product(*numbers), product(ours, theirs), strict=True))
        for k, ((one, other), (system, gold)) in enumerate(pairs, start=int(statistics.offsets[i])):
            local = statistics.counts[k]
            yield (
                f"{_RULE}\nSENTENCE {i} - HYP {one} - REF {other}\n"
                f"HYPOTHESIS EDITS : {_listed(system)}\nREFERENCE EDITS  : {_listed(gold)}\n"
                f"Local TP/FP/FN   : {_spaced(_outcomes(local))}\n"
                f"Local P/R/F{beta}  : {_spaced(_figures(_outcomes(local), beta))}\n"
                f"Global TP/FP/FN  : {_spaced(_outcomes(total + local))}\n"
                f"Global P/R/F{beta}  : {_spaced(_figures(_outcomes(total + local), beta))}"
            )
        total = total + statistics.counts[rows[i]]
        (one, other), chosen = pairs[place]
        yield f"{_RULE}\n^^ HYP {one}, REF {other} chosen for sentence {i}\nLocal results:"
        types = tally([chosen])
        yield from _table([["Category", "TP", "FP", "FN"], *([kind, *map(str, row)] for kind, row in types.items())])


def _outcomes(counts: Counts) -> list[int]:
    """Return TP, FP and FN from TP, TP + FP and TP + FN."""
    correct, proposed, gold = counts.tolist()
    return [correct, proposed - correct, gold - correct]


def _spaced(values: Iterable[float]) -> str:
    return " ".join(map(str, values))


def _listed(keyed: Keyed) -> list[tuple[Any, ...]]:
    edits = [(*key, keyed[key][0]) for key in sorted(keyed)]
    return [] if not edits or edits[0][0] == -1 else edits


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) + 3 for column in zip(*rows, strict=True)]
    for row in rows:
        yield "".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))


def _categories(counts: dict[str, list[int]], title: str, beta: float) -> Iterator[str]:
    yield f"\n{f' {title} ':=^66}"
    rows = [[kind, *map(str, [*three, *_figures(three, beta)])] for kind, three in sorted(counts.items())]
    for first, *rest, last in [["Category", "TP", "FP", "FN", "P", "R", f"F{beta}"], *rows]:
        yield " ".join([first.ljust(14), *(cell.ljust(8) for cell in rest), last])


def _overall(counts: Sequence[int], title: str, beta: float) -> Iterator[str]:
    yield f"\n{f' {title} ':=^46}"
    yield "\t".join(["TP", "FP", "FN", "Prec", "Rec", f"F{beta}"])
    yield "\t".join(map(str, [*counts, *_figures(counts, beta)]))
    yield "=" * 46
    yield ""
