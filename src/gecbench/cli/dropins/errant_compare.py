"""`gecbench errant_compare`: the official program's arguments and its lines, so that old scripts keep working."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from gecbench import kernels
from gecbench.cli.options import add_command
from gecbench.errors import InputError
from gecbench.formats.m2 import parse_edit_fields
from gecbench.formats.text import read_marked_text
from gecbench.kernels.errant import Block, Keyed, Mode, Selection, count_pairs, keyed_blocks, tally
from gecbench.metrics.base import Counts, Statistics
from gecbench.metrics.errant import at_tier
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
Blocks = Sequence[Block]
Compared = tuple[list[str], list[int], dict[str, list[int]]]  # lines of -v, TP, FP and FN of all, of each error type
Sentence = tuple[str, dict[int, Keyed], dict[int, Keyed], list[tuple[int, int]], tuple[int, int]]


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "errant_compare", summary, _EXAMPLES, run, failure=1)
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
    mode: Mode = "dt" if options.dt else "ds" if options.ds else "cse" if options.cse else "cs"
    selection = Selection(mode, options.single, options.multi, frozenset(options.filt))
    texts = list(map(read_marked_text, (options.hyp, options.ref)))
    found = None if options.verbose else _compare_quickly(texts, selection, options)
    lines, total, types = found or _compare(texts, selection, options)
    if options.cat:
        lines += _categories(at_tier(types, options.cat), _TITLES[mode], options.beta)
    lines += _overall(total, _TITLES[mode], options.beta)
    print("\n".join(lines))


def _compare_quickly(texts: Sequence[str], selection: Selection, options: argparse.Namespace) -> Compared | None:
    """Compare files of the usual form; the others have to be read again, to say what is wrong with them."""
    kernel = kernels.select("errant")
    files = [text.encode() for text in texts]
    counts = kernel.count_files(*files, selection)
    if counts is None:
        return None
    statistics = Statistics(*counts)
    rows = _chosen_rows(statistics, options.beta)
    types = kernel.tally_files(*files, selection, rows - statistics.offsets[:-1]) if options.cat else {}
    return [], _total(statistics, rows), types


def _compare(texts: Sequence[str], selection: Selection, options: argparse.Namespace) -> Compared:
    """Compare files of any form that the official program takes, and show each sentence if it is wanted."""
    hypothesis, reference = map(parse_edit_fields, texts, (options.hyp, options.ref))
    _check_same_sentences(hypothesis, reference, options)
    ours, theirs = (keyed_blocks(blocks, selection) for blocks in (hypothesis, reference))
    statistics = Statistics(*count_pairs(*([[*found.values()] for found in keyed] for keyed in (ours, theirs))))
    rows = _chosen_rows(statistics, options.beta)
    pairs = [list(product(one, other)) for one, other in zip(ours, theirs, strict=True)]
    chosen = [found[place] for found, place in zip(pairs, (rows - statistics.offsets[:-1]).tolist(), strict=True)]
    sentences = zip([source for source, _ in hypothesis], ours, theirs, pairs, chosen, strict=True)
    shown = list(_verbose(sentences, statistics, options.beta)) if options.verbose else []
    keyed = ((ours[i][one], theirs[i][other]) for i, (one, other) in enumerate(chosen))
    return shown, _total(statistics, rows), tally(keyed) if options.cat else {}


def _chosen_rows(statistics: Statistics, beta: float) -> Counts:
    _check_beta(beta, statistics)
    return GreedyRounded(beta).chosen(statistics)


def _total(statistics: Statistics, rows: Counts) -> list[int]:
    correct, proposed, gold = statistics.counts[rows].sum(axis=0).tolist()
    return [correct, proposed - correct, gold - correct]


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


def _check_beta(beta: float, statistics: Statistics) -> None:
    """Refuse a beta for which the official F is not a number, or stops it."""
    _, proposed, gold = statistics.counts.T
    without_f = beta == 0 and bool(((proposed == 0) & (gold > 0)).any())
    if without_f or not math.isfinite(beta) or abs(beta) > 1e6:
        raise _no_f(beta)


def _no_f(beta: float) -> InputError:
    return InputError(f"-b {beta} gives no F here", fix="Give a number above 0")


def _figures(counts: Sequence[int], beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F, each rounded to four decimals."""
    correct, wrong, missed = counts
    precision = correct / (correct + wrong) if wrong else 1.0
    recall = correct / (correct + missed) if missed else 1.0
    divisor = beta**2 * precision + recall
    if precision and not divisor:
        raise _no_f(beta)
    f = (1 + beta**2) * precision * recall / divisor if precision + recall else 0.0
    return round(precision, 4), round(recall, 4), round(f, 4)


def _verbose(sentences: Iterable[Sentence], statistics: Statistics, beta: float) -> Iterator[str]:
    """Yield what the official program says of every sentence."""
    total, counts = (0, 0, 0), iter(statistics.counts.tolist())
    for i, (source, ours, theirs, pairs, chosen) in enumerate(sentences):
        yield f"{_RULE}\nOriginal sentence {i}: {source}"
        after, shown = total, {one: _listed(keyed) for one, keyed in ours.items()}
        for one, other in pairs:
            correct, proposed, gold = next(counts)
            local = (correct, proposed - correct, gold - correct)
            running = (total[0] + local[0], total[1] + local[1], total[2] + local[2])
            if (one, other) == chosen:
                after = running
            yield (
                f"{_RULE}\nSENTENCE {i} - HYP {one} - REF {other}\n"
                f"HYPOTHESIS EDITS : {shown[one]}\nREFERENCE EDITS  : {_listed(theirs[other])}\n"
                f"Local TP/FP/FN   : {_spaced(local)}\nLocal P/R/F{beta}  : {_spaced(_figures(local, beta))}\n"
                f"Global TP/FP/FN  : {_spaced(running)}\nGlobal P/R/F{beta}  : {_spaced(_figures(running, beta))}"
            )
        total = after
        yield f"{_RULE}\n^^ HYP {chosen[0]}, REF {chosen[1]} chosen for sentence {i}\nLocal results:"
        found = tally([(ours[chosen[0]], theirs[chosen[1]])])
        yield from _table([["Category", "TP", "FP", "FN"], *([kind, *map(str, row)] for kind, row in found.items())])


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
