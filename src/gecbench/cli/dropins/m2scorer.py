"""`gecbench m2scorer`: the official M2 scorer's arguments, output and exit statuses, so that old scripts keep working.

What it prints is docs/m2.md, B.10 and B.11; docs/exact.md says on which inputs the bytes were compared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from getopt import GetoptError, gnu_getopt
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from gecbench.cli.dropins import add_dropin, figure, prepare, read_hypotheses
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Edit
from gecbench.corpus.python2 import with_spaces
from gecbench.errors import InputError
from gecbench.formats.m2 import parse_m2
from gecbench.formats.text import read_lines
from gecbench.metrics.base import Counts, f_beta, precision_recall
from gecbench.metrics.m2 import M2, SentenceMatch, trimmed
from gecbench.metrics.policy import GreedyCumulative

_EXAMPLES = """  gecbench m2scorer system.txt gold.m2
  gecbench m2scorer -v --beta 1 --ignore_whitespace_casing system.txt gold.m2.gz

options (long ones may be cut short):
  -v, --verbose                 also show every sentence's edits and matches; --very_verbose: the same
  --max_unchanged_words N       the most unchanged words in one edit (default: 2)
  --beta B                      beta of the F measure (default: 0.5)
  --ignore_whitespace_casing    leave out edits of spaces and case
  --release R                   of the official scorer: master (default) or 3.2
"""
_LONG = ["verbose", "very_verbose", "max_unchanged_words=", "beta=", "ignore_whitespace_casing", "release=", "help"]
_USAGE = "[options] SYSTEM GOLD"
_UNKNOWN_OPTION, _NO_FILES = 1, 255
Number = TypeVar("Number", int, float)


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    add_dropin(commands, "m2scorer", summary, _USAGE, _EXAMPLES, run)


def run(options: argparse.Namespace) -> int:
    """Score and print as the official program does; return its exit status."""
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
    metric = M2(
        beta=abs(beta),
        max_unchanged_words=max(-1, _number(given, "--max_unchanged_words", 2)),
        ignore_whitespace_casing="--ignore_whitespace_casing" in given,
        release=given.get("--release", "master"),  # type: ignore[arg-type]
    )
    corpus = _read_gold(files[1])
    lines = prepare(corpus, [with_spaces(line).strip() for line in read_hypotheses(files[0])], files[0])
    score = metric.score_corpus(corpus, lines, aligned=True, tokenized=True)
    if given.keys() & {"-v", "--verbose", "--very_verbose"}:
        for line in _verbose(metric, corpus, lines, f"{beta:.1f}"):
            print(line)
    print(f"Precision   : {score.parts['precision']:.4f}")
    print(f"Recall      : {score.parts['recall']:.4f}")
    print(f"F_{beta:.1f}       : {score.value:.4f}")
    return 0


def _number(given: dict[str, str], option: str, default: Number) -> Number:
    try:
        return type(default)(given.get(option, default))
    except ValueError:
        raise InputError(f"{option} {given[option]!r} is not a number") from None


def _read_gold(path: str) -> Corpus:
    lines = [with_spaces(line) if line.startswith("S ") else line for line in read_lines(path)]
    return parse_m2(lines, path, "drop")


def _verbose(metric: M2, corpus: Corpus, lines: Sequence[str], beta: str) -> Iterator[str]:
    """Show every annotator of every sentence, with the figures of all chosen before (docs/m2.md, B.11)."""
    statistics = metric.count(corpus, lines)
    chosen = GreedyCumulative(metric.beta).chosen(statistics)
    total: Counts = np.zeros(3, dtype=np.int64)
    for i, sentence in enumerate(metric.annotations(corpus)):
        source = corpus.sources[i].strip()
        for k, annotation in enumerate(sentence):
            match = metric.match(source, lines[i], annotation)
            yield f">> Annotator: {annotation.annotator}"
            yield from _edits(source, lines[i], match)
            counts = total + statistics.counts[statistics.offsets[i] + k]
            yield from (f"# {name:<12}: {count}" for name, count in _named(counts))
            precision, recall, value = _figures(counts, metric.beta)
            yield f"precision     : {precision}"
            yield f"recall        : {recall}"
            yield f"f_{beta:<12}: {value}"
            yield "-" * 43
        total = total + statistics.counts[chosen[i]]
        yield f">> Chosen Annotator for line {i + 1} : {sentence[chosen[i] - statistics.offsets[i]].annotator}"
        yield ""
    yield from (f"{name.upper() + ' EDITS':<15}: {count}" for name, count in _named(total))
    precision, recall, value = _figures(total, metric.beta)
    yield f"P = {precision}"
    yield f"R = {recall}"
    yield f"F_{beta} = {value}"


def _named(counts: Counts) -> list[tuple[str, int]]:
    return list(zip(("correct", "proposed", "gold"), counts.tolist(), strict=True))


def _figures(counts: Counts, beta: float) -> list[str]:
    precision, recall = precision_recall(counts)
    return [figure(float(value)) for value in (precision, recall, f_beta(precision, recall, beta))]


def _edits(source: str, line: str, match: SentenceMatch) -> Iterator[str]:
    tokens = source.split()
    proposed = [_shown(tokens, edit) for edit in match.proposed]
    yield from (f"& {proposed[i]}" for i in _deletions_after_wrong_insertions(tokens, match))
    gold = [
        f"({edit.start}, {edit.end}, {_text(_original(tokens, edit))}, [{', '.join(map(_unicode, edit.corrections))}])"
        for edit in match.annotation.edits
    ]
    yield f"SOURCE        : {source}"
    yield f"HYPOTHESIS    : {line}"
    yield f"EDIT SEQ      : [{', '.join(_shown(tokens, trimmed(tokens, edit)) for edit in match.proposed)}]"
    yield f"GOLD EDITS    : [{', '.join(gold)}]"
    yield f"CORRECT EDITS : [{', '.join(proposed[i] for i, _ in match.pairs)}]"


def _deletions_after_wrong_insertions(tokens: Sequence[str], match: SentenceMatch) -> Iterator[int]:
    """Yield the places of matched deletions right after an insertion that matches nothing (docs/m2.md, B.11)."""
    hits = match.matched_proposed
    for i, (before, edit) in enumerate(pairwise(match.proposed), start=1):
        if hits[i] and not hits[i - 1] and not edit.corrections[0] and before.end == edit.start:
            bare = trimmed(tokens, before)
            if bare.start == bare.end:
                yield i


def _shown(tokens: Sequence[str], edit: Edit) -> str:
    return f"({edit.start}, {edit.end}, {_text(_original(tokens, edit))}, {_text(edit.corrections[0])})"


def _original(tokens: Sequence[str], edit: Edit) -> str:
    return " ".join(tokens[edit.start : edit.end])


def _text(text: str) -> str:
    """Return a text as Python 2 shows it in a list; nothing is a string of bytes there."""
    return _unicode(text) if text else "''"


def _unicode(text: str) -> str:
    return f"u{text!a}"
