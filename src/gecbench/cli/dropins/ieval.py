"""`gecbench ieval`: a drop-in for the official I-measure scorer.

It has the arguments and the output of the official program: options may come in any order, unknown options are ignored,
and the last value of an option counts. docs/metrics/imeasure.md §7 describes the output. docs/exact.md lists the inputs
for which we compared the output byte by byte.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gecbench.cli.dropins import add_dropin, figure, prepare, read_hypotheses
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared
from gecbench.corpus.python2 import with_spaces
from gecbench.display import percent
from gecbench.errors import InputError
from gecbench.formats.imeasure_xml import parse_imeasure_xml
from gecbench.formats.m2 import parse_m2
from gecbench.formats.text import read_bytes, split_lines
from gecbench.kernels.alignment import MEASURES
from gecbench.metrics.imeasure import COUNT_NAMES, IMeasure

_EXAMPLES = """  gecbench ieval -ref:gold.xml -hyp:system.txt
  gecbench ieval -ref:gold.xml -hyp:system.txt -nomix -b:0.5 -per-sent
  gecbench ieval -ref:gold.m2 -hyp:system.txt -max:dwacc -opt:corpus -w:3

options, in any order:
  -ref:FILE     gold edits: I-measure XML, or M2 (converted to error groups)
  -hyp:FILE     corrected sentences, one per line
  -nomix        do not mix the annotators' corrections
  -max:GOAL     score to maximize: d (detection) or c (correction), followed by
                tp, tn, fp, fn, p, r, f, acc, wacc or i (default: cwacc)
  -opt:SCOPE    maximize the score of each sentence (sent, default) or of the
                whole corpus (corpus)
  -b:BETA       beta of F (default: 1.0; the paper uses 0.5)
  -w:WEIGHT     weight of corrections in WAcc (default: 2.0)
  -per-sent     also print the detection and the correction scores of every
                sentence
  -v, -vv       also show every sentence's alignment
"""
_VALUES = ("ref", "hyp", "max", "opt", "b", "w")
_FLAGS = ("nomix", "per-sent", "v", "vv", "h", "-help")
_HEADER = ("TP", "TN", "FP", "FN", "FPN", "P", "R", "F_{:.2f}", "Acc", "Acc_b", "WAcc", "WAcc_b", "I")
_ASPECTS = {"d": "detection", "c": "correction"}
_RULE = "-" * 117


def add_parser(commands: Any, summary: str) -> None:
    """Add the command, whose options take values after a colon, as in `-b:0.5`."""
    usage = "-ref:FILE -hyp:FILE [options]"
    add_dropin(commands, "ieval", summary, usage, _EXAMPLES, run)


def run(options: argparse.Namespace) -> None:
    """Score and print as the official program does."""
    given = _read_options(options.words)
    if not given.keys() >= {"ref", "hyp"} or given.keys() & {"h", "-help"}:
        options.parser.print_help()
        return
    beta, weight = _number(given, "b", 1.0), _number(given, "w", 2.0)
    objective, objected = _objective(given.get("max", "cwacc").lower())
    optimise, unknown = _scope(given.get("opt", "sent").lower())
    metric = IMeasure(
        mixing="nomix" not in given,
        objective=objective,
        optimise="corpus" if optimise == "corpus" else "sentence",
        weight=weight,
        beta=abs(beta),
    )
    corpus = _read_gold(given["ref"])
    lines = prepare(corpus, _without_empty_rest(read_hypotheses(given["hyp"]), len(corpus)), given["hyp"])
    score = metric.score_prepared(Prepared(corpus, lines))
    printed = [*objected, *unknown, *_information(given, metric, beta)]
    if {"v", "vv"} & given.keys():
        for explanation in metric.explain(corpus, lines, range(len(corpus))):
            printed += [explanation.to_text(width=120), ""]
    if "per-sent" in given:
        printed += _title("SENTENCE RESULTS", f"{'SID':<8}Asp.", beta)
        for name, counts in zip(corpus.ids or (), score.statistics.counts, strict=True):
            printed += _rows(metric.parts(counts[None]), lambda aspect, name=name: f"{name:<8}{aspect[:3]:<4}")
        printed.append("")
    printed += _title("OVERALL RESULTS", f"{'Aspect':<12}", beta)
    printed += [*_rows(score.parts, "{:<12}".format), ""]
    print("\n".join(printed))


def _read_options(words: Sequence[str]) -> dict[str, str]:
    """Return the last value of each known option, and ignore unknown options."""
    given: dict[str, str] = {}
    for word in words:
        name, colon, value = word.removeprefix("-").partition(":")
        if word.startswith("-") and name in (_VALUES if colon else _FLAGS):
            given[name] = value
    return given


def _number(given: Mapping[str, str], name: str, default: float) -> float:
    try:
        number = float(given.get(name, default))
    except ValueError:
        raise InputError(f"-{name}:{given[name]} is not a number") from None
    return number


def _objective(goal: str) -> tuple[str, list[str]]:
    if goal[:1] in _ASPECTS and goal[1:] in MEASURES:
        return goal, []
    return "cwacc", [f"Invalid maximising metric: {goal[:1]} {goal[1:]}", "Rolling back to default: c wacc"]


def _scope(scope: str) -> tuple[str, list[str]]:
    if scope in ("sent", "corpus"):
        return scope, []
    return "sent", [f"Invalid optimisation: {scope}", "Rolling back to default: sent"]


def _read_gold(path: str) -> Corpus:
    """Read gold edits from I-measure XML if the content starts with a tag, else M2."""
    data = read_bytes(path)
    if not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return parse_m2(split_lines(data, path), path)
    vowel_separator = "\u180e"
    return parse_imeasure_xml(data.replace(vowel_separator.encode(), with_spaces(vowel_separator).encode()), path)


def _without_empty_rest(lines: list[str], sentences: int) -> list[str]:
    """Drop empty lines after the last sentence, as the official program does."""
    return lines[:sentences] if not "".join(lines[sentences:]).strip() else lines


def _information(given: Mapping[str, str], metric: IMeasure, beta: float) -> list[str]:
    aspect, measure = metric.objective[0], metric.objective[1:]
    return [
        _RULE,
        f"Hypothesis file    : {given['hyp']}",
        f"Gold standard file : {given['ref']}",
        f"Maximising metric  : {measure.upper()} - {_ASPECTS[aspect].upper()}",
        f"Optimise for       : {metric.optimise.upper()}",
        f"WAcc weight        : {figure(metric.weight)}",
        f"F beta             : {figure(beta)}",
        _RULE,
        "",
    ]


def _title(title: str, label: str, beta: float) -> list[str]:
    columns = "".join(f"{name.format(beta):>8}" for name in _HEADER)
    return [title, _RULE, f"{label}{columns} ", _RULE]


def _rows(parts: Mapping[str, float], label: Any) -> Iterator[str]:
    for aspect in _ASPECTS.values():
        ratios = [f"{aspect}_precision", f"{aspect}_recall", f"{aspect}_f", f"{aspect}_accuracy", "baseline_accuracy"]
        ratios += [f"{aspect}_weighted_accuracy", "baseline_weighted_accuracy", f"{aspect}_improvement"]
        if not all(math.isfinite(parts[ratio]) for ratio in ratios):
            raise InputError("the improvement is undefined with this weight", fix="Give a weight above 0, such as -w:2")
        cells = [
            *(str(parts[f"{aspect}_{count}"]) for count in COUNT_NAMES),
            *(percent(parts[each]) for each in ratios),
        ]
        yield label(aspect.capitalize()) + "".join(f"  {cell:>6}" for cell in cells)
