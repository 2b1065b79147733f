"""`gecbench m2scorer`: a drop-in for the official M2 scorer.

It has the arguments, the output and the exit statuses of the official program. docs/metrics/m2.md §10 and §11 describe
the output. docs/exact.md lists the inputs for which we compared the output byte by byte.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from getopt import GetoptError, gnu_getopt
from typing import Any, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from gecbench.cli.dropins import add_dropin, figure, prepare, read_hypotheses
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Edit
from gecbench.corpus.prepare import Prepared
from gecbench.corpus.python2 import with_spaces
from gecbench.errors import InputError
from gecbench.formats.m2 import NOOP, Block, parse_blocks, parse_m2
from gecbench.formats.text import read_lines
from gecbench.metrics.base import Counts, Statistics, precision_recall
from gecbench.metrics.m2 import M2, Release, SentenceMatch, agrees, trimmed
from gecbench.metrics.policy import GreedyCumulative

_EXAMPLES = """  gecbench m2scorer system.txt gold.m2
  gecbench m2scorer -v --beta 1 --ignore_whitespace_casing system.txt gold.m2.gz

options (long names may be abbreviated):
  -v, --verbose               also show every sentence's edits and matches;
                              --very_verbose does the same
  --max_unchanged_words N     largest number of unchanged words in one edit
                              (default: 2)
  --beta B                    beta of the F measure (default: 0.5)
  --ignore_whitespace_casing  ignore edits that change only white space or case
  --release R                 release of the official scorer to reproduce:
                              master or 3.2 (default: master)
"""
_LONG = ["verbose", "very_verbose", "max_unchanged_words=", "beta=", "ignore_whitespace_casing", "release=", "help"]
_USAGE = "[options] SYSTEM GOLD"
_UNKNOWN_OPTION, _NO_FILES = 1, 255
Number = TypeVar("Number", int, float)
PublishedEdits = Mapping[int, Sequence[Edit]]


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    add_dropin(commands, "m2scorer", summary, _USAGE, _EXAMPLES, run)


def run(options: argparse.Namespace) -> int:
    """Score and print like the official program, and return its exit status."""
    try:
        pairs, files = gnu_getopt(options.words, "vh", _LONG)
    except GetoptError as error:
        print(f"gecbench m2scorer: {error}", file=sys.stderr)
        return _UNKNOWN_OPTION
    given = dict(pairs)
    if given.keys() & {"-h", "--help"}:
        options.parser.print_help()
        return 0
    if len(files) != 2:
        options.parser.print_usage(sys.stderr)
        return _NO_FILES
    beta = _number(given, "--beta", 0.5)
    release = given.get("--release", "master")
    if release not in get_args(Release):
        raise InputError(f"--release {release!r} is unknown", fix=f"Use {' or '.join(get_args(Release))}")
    metric = M2(
        max_unchanged_words=max(-1, _number(given, "--max_unchanged_words", 2)),
        ignore_whitespace_casing="--ignore_whitespace_casing" in given,
        release=release,  # type: ignore[arg-type]
    )
    gold = _read_gold(files[1])
    corpus = parse_m2(gold, files[1], "drop")
    lines = prepare(corpus, [with_spaces(line).strip() for line in read_hypotheses(files[0])], files[0])
    statistics = metric.score_prepared(Prepared(corpus, lines)).statistics
    chosen = _choose(statistics, beta)
    total = statistics.counts[chosen[chosen >= 0]].sum(axis=0)
    if given.keys() & {"-v", "--verbose", "--very_verbose"}:
        published = [_published_edits(block) for block in parse_blocks(gold, files[1])]
        for line in _verbose(metric, corpus, lines, published, statistics, chosen, beta):
            print(line)
        for line in _verbose_totals(total, beta):
            print(line)
    precision, recall, value = _precision_recall_f(total, beta)
    print(f"Precision   : {precision:.4f}")
    print(f"Recall      : {recall:.4f}")
    print(f"F_{beta:.1f}       : {value:.4f}")
    return 0


def _number(given: dict[str, str], option: str, default: Number) -> Number:
    try:
        number = type(default)(given.get(option, default))
        float(number) ** 2  # beta is squared
    except ValueError:
        kind = "whole number" if isinstance(default, int) else "number"
        raise InputError(f"{option} {given[option]!r} is not a {kind}") from None
    except OverflowError:
        raise InputError(f"{option} {given[option]} is too large") from None
    return number


def _read_gold(path: str) -> list[str]:
    return [with_spaces(line) if line.startswith("S ") else line for line in read_lines(path)]


def _choose(statistics: Statistics, beta: float) -> npt.NDArray[np.int64]:
    """Return the row chosen for each sentence, or -1 if beta is not finite.

    With such a beta, F is NaN, and the official program chooses no annotator.
    """
    if not math.isfinite(beta):
        return np.full(len(statistics), -1, dtype=np.int64)
    return GreedyCumulative(abs(beta)).chosen(statistics)


def _precision_recall_f(total: Counts, beta: float) -> tuple[float, float, float]:
    """Return P, R and F of totals, where F is NaN if beta is not finite."""
    precision, recall = map(float, precision_recall(total))
    divisor = beta**2 * precision + recall
    return precision, recall, (1 + beta**2) * precision * recall / divisor if divisor else 0.0


def _f_of_counts(counts: Counts, beta: float) -> float:
    """Return the F used to compare annotators: 1 for 0/0 (docs/metrics/m2.md §9)."""
    correct, proposed, gold = counts.tolist()
    divisor = beta**2 * gold + proposed
    return (1 + beta**2) * correct / divisor if divisor else 1.0


def _verbose(
    metric: M2,
    corpus: Corpus,
    lines: Sequence[str],
    published: Sequence[PublishedEdits],
    statistics: Statistics,
    chosen: npt.NDArray[np.int64],
    beta: float,
) -> Iterator[str]:
    """Yield the output for every annotator of every sentence, with running totals.

    docs/metrics/m2.md §11 describes this output.
    """
    total: Counts = np.zeros(3, dtype=np.int64)
    for i, sentence in enumerate(metric.annotations(corpus)):
        source = corpus.sources[i].strip()
        for k, annotation in enumerate(sentence):
            match = metric.match(source, lines[i], annotation)
            yield f">> Annotator: {annotation.annotator}"
            yield from _edits(source, lines[i], match, published[i].get(annotation.annotator, ()))
            counts = total + statistics.counts[statistics.offsets[i] + k]
            yield from (f"# {name:<12}: {count}" for name, count in _named(counts))
            precision, recall, _ = _precision_recall_f(counts, beta)
            yield f"precision     : {figure(precision)}"
            yield f"recall        : {figure(recall)}"
            yield f"f_{beta:.1f}         : {figure(_f_of_counts(counts, beta))}"
            yield "-" * 43
        annotator = -1
        if chosen[i] >= 0:
            total = total + statistics.counts[chosen[i]]
            annotator = sentence[chosen[i] - statistics.offsets[i]].annotator
        yield f">> Chosen Annotator for line {i + 1} : {annotator}"
        yield ""


def _verbose_totals(total: Counts, beta: float) -> Iterator[str]:
    yield from (f"{name.upper() + ' EDITS':<15}: {count}" for name, count in _named(total))
    for name, value in zip(("P", "R", f"F_{beta:.1f}"), _precision_recall_f(total, beta), strict=True):
        yield f"{name} = {figure(value)}"


def _named(counts: Counts) -> list[tuple[str, int]]:
    return list(zip(("correct", "proposed", "gold"), counts.tolist(), strict=True))


def _published_edits(block: Block) -> PublishedEdits:
    """Return the scored edits by annotator, with corrections as in the file."""
    size = len(block.source.split())
    return {
        annotation.annotator: [
            edit for edit in annotation.edits if edit.type != NOOP and edit.start >= 0 and edit.end <= size
        ]
        for annotation in block.annotations
    }


def _edits(source: str, line: str, match: SentenceMatch, published: Sequence[Edit]) -> Iterator[str]:
    tokens = source.split()
    proposed = [_shown(tokens, edit) for edit in match.proposed]
    yield from (f"{mark} {proposed[i]}" for mark, i in _marks(tokens, match))
    yield f"SOURCE        : {source}"
    yield f"HYPOTHESIS    : {line}"
    yield f"EDIT SEQ      : [{', '.join(_shown(tokens, trimmed(tokens, edit)) for edit in match.proposed)}]"
    yield f"GOLD EDITS    : [{', '.join(_shown_gold(tokens, edit) for edit in published)}]"
    yield f"CORRECT EDITS : [{', '.join(proposed[i] for i, _ in match.pairs)}]"


def _marks(tokens: Sequence[str], match: SentenceMatch) -> Iterator[tuple[str, int]]:
    """Yield (mark, index) of matched insertions next to deletions, and vice versa.

    The index is the place of the matched edit among the proposed edits. The mark is `!` if the neighbor agrees with a
    gold edit. Otherwise it is `*` for an insertion and `&` for a deletion (docs/metrics/m2.md §11).
    """
    for i, _ in match.pairs:
        edit = match.proposed[i]
        if _is_insertion(edit):
            mark, is_opposite = "*", _is_deletion
        elif _is_deletion(edit):
            mark, is_opposite = "&", _is_insertion
        else:
            continue
        touching = [other for other in match.proposed if other.start == edit.end or other.end == edit.start]
        neighbors = [other for other in (trimmed(tokens, each) for each in touching) if is_opposite(other)]
        if neighbors:
            gold = match.annotation.edits
            yield "!" if any(agrees(other, each) for other in neighbors for each in gold) else mark, i


def _is_insertion(edit: Edit) -> bool:
    return edit.start == edit.end


def _is_deletion(edit: Edit) -> bool:
    return edit.start < edit.end and not edit.corrections[0]


def _shown(tokens: Sequence[str], edit: Edit) -> str:
    return f"({edit.start}, {edit.end}, {_text(_original(tokens, edit))}, {_text(edit.corrections[0])})"


def _shown_gold(tokens: Sequence[str], edit: Edit) -> str:
    corrections = ", ".join(map(_gold_text, edit.corrections))
    return f"({edit.start}, {edit.end}, {_text(_original(tokens, edit))}, [{corrections}])"


def _original(tokens: Sequence[str], edit: Edit) -> str:
    return " ".join(tokens[edit.start : edit.end])


def _text(text: str) -> str:
    """Return a text as Python 2 prints it in a list.

    In the official program, an empty text is a byte string.
    """
    return _unicode(text) if text else "''"


def _gold_text(text: str) -> str:
    """Return a gold correction as Python 2 prints it in a list.

    `-NONE-` is printed as an empty byte string, and all other corrections as Unicode strings.
    """
    return "''" if text == "-NONE-" else _unicode(text.strip())


def _unicode(text: str) -> str:
    return f"u{text!a}"
