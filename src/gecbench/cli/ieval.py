"""`gecbench ieval`: the official I-measure scorer's arguments and its columns, so that old scripts keep working."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from gecbench.analysis.tables import Table, render_table
from gecbench.cli.options import add_command
from gecbench.corpora.resolve import read_edits
from gecbench.errors import InputError
from gecbench.formats.columns import read_predictions
from gecbench.metrics.imeasure.accuracy import COUNT_NAMES
from gecbench.metrics.imeasure.metric import IMeasure
from gecbench.metrics.ratios import percent

_EXAMPLES = """  gecbench ieval -ref:gold.xml -hyp:system.txt
  gecbench ieval -ref:gold.xml -hyp:system.txt -nomix -b:0.5 -per-sent
  gecbench ieval -ref:gold.m2 -hyp:system.txt -max:dwacc -opt:corpus -w:3

options, in any order:
  -ref:FILE     gold: I-measure XML, or M2, which is grouped first
  -hyp:FILE     corrected sentences, one per line
  -nomix        do not mix the annotators' corrections
  -max:GOAL     d (detection) or c (correction) and tp, tn, fp, fn, p, r, f, acc, wacc or i (default: cwacc)
  -opt:SCOPE    sent (default) or corpus
  -b:BETA       beta of F (default: 1.0; the paper has 0.5)
  -w:WEIGHT     weight of corrections in WAcc (default: 2.0)
  -per-sent     also two rows for every sentence
  -v, -vv       also show every sentence's alignment
"""
_VALUES = ("ref", "hyp", "max", "opt", "b", "w")
_FLAGS = ("nomix", "per-sent", "v", "vv")
_HEADER = ("TP", "TN", "FP", "FN", "FPN", "P", "R", "F_{}", "Acc", "Acc_b", "WAcc", "WAcc_b", "I")


def add_parser(commands: Any) -> None:
    """Add the command; its options begin with one dash and take their values after a colon."""
    parser = add_command(
        commands,
        "ieval",
        "Score like the official I-measure scorer's script",
        _EXAMPLES,
        run,
        prefix_chars="+",
        add_help=False,
        usage="gecbench ieval -ref:FILE -hyp:FILE [options]",
    )
    parser.add_argument("options", nargs="*", help=argparse.SUPPRESS)
    parser.set_defaults(parser=parser)


def run(options: argparse.Namespace) -> None:
    """Score and print the official columns."""
    if {"-h", "--help"} & set(options.options):
        options.parser.print_help()
        return
    given = _read_options(options.options)
    corpus = read_edits(given["ref"])
    predictions = read_predictions(given["hyp"], corpus)
    metric = _metric(given)
    score = metric.score_corpus(corpus, predictions, name=given["hyp"], aligned=True, tokenized=True)
    if {"v", "vv"} & given.keys():
        for explanation in metric.explain(corpus, predictions, range(len(corpus))):
            print(explanation.to_text(width=120), end="\n\n")
    header = ["", *_HEADER]
    header[8] = header[8].format(metric.beta)
    rows = []
    if "per-sent" in given:
        for name, counts in zip(corpus.ids or (), score.statistics.counts, strict=True):
            rows += _rows(f"{name} ", metric.parts(counts[None]))
    print(render_table(Table(header, [*rows, *_rows("", score.parts)]), "text"))


def _read_options(words: Sequence[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for word in words:
        name, colon, value = word.removeprefix("-").partition(":")
        known = name in (_VALUES if colon else _FLAGS)
        if not word.startswith("-") or not known or (colon and not value):
            raise InputError(f"{word!r} is not an option", fix="gecbench ieval --help lists them")
        given[name] = value
    for name in ("ref", "hyp"):
        if name not in given:
            raise InputError(f"no -{name}:FILE", fix="Give -ref:gold.xml and -hyp:system.txt")
    return given


def _metric(given: Mapping[str, str]) -> IMeasure:
    scope = given.get("opt", "sent").lower()
    if scope not in ("sent", "corpus"):
        raise InputError(f"-opt:{scope} is unknown", fix="Use -opt:sent or -opt:corpus")
    try:
        weight, beta = float(given.get("w", 2)), float(given.get("b", 1))
    except ValueError:
        raise InputError(f"-w:{given.get('w', 2)} or -b:{given.get('b', 1)} is not a number") from None
    return IMeasure(
        mixing="nomix" not in given,
        objective=given.get("max", "cwacc").lower(),
        optimise="corpus" if scope == "corpus" else "sentence",
        weight=weight,
        beta=beta,
    )


def _rows(prefix: str, parts: Mapping[str, float]) -> list[list[str]]:
    rows = []
    for aspect in ("detection", "correction"):
        ratios = [f"{aspect}_precision", f"{aspect}_recall", f"{aspect}_f", f"{aspect}_accuracy", "baseline_accuracy"]
        ratios += [f"{aspect}_weighted_accuracy", "baseline_weighted_accuracy", f"{aspect}_improvement"]
        counts = [str(parts[f"{aspect}_{count}"]) for count in COUNT_NAMES]
        rows.append([f"{prefix}{aspect}", *counts, *(percent(parts[ratio]) for ratio in ratios)])
    return rows
