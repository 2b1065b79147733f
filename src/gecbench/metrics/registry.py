"""The metrics by name: the command line, the documentation and the leaderboard read this table."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from gecbench.errors import InputError
from gecbench.metrics.base import Metric
from gecbench.metrics.signature import Signature


@dataclass(frozen=True)
class MetricEntry:
    """A metric declared: what it is and where it lives; its module is imported when it is used."""

    name: str
    title: str
    description: str
    paper: str
    location: str

    def load(self) -> type[Metric]:
        """Return the metric's class."""
        module, _, attribute = self.location.partition(":")
        found: type[Metric] = getattr(importlib.import_module(module), attribute)
        return found


METRICS: Mapping[str, MetricEntry] = {
    entry.name: entry
    for entry in (
        MetricEntry(
            "gleu",
            "GLEU",
            "N-gram precision against sampled references, minus what should have been changed",
            "Napoles et al. 2015; Sakaguchi et al. 2016",
            "gecbench.metrics.gleu:GLEU",
        ),
        MetricEntry(
            "m2",
            "M2",
            "MaxMatch: F0.5 of edits, read off the lattice of minimal alignments that matches the gold best",
            "Dahlmeier & Ng 2012",
            "gecbench.metrics.m2.metric:M2",
        ),
        MetricEntry(
            "imeasure",
            "I-measure",
            "Improvement over the source in weighted accuracy of tokens, against the best mix of all corrections",
            "Felice & Briscoe 2015",
            "gecbench.metrics.imeasure.metric:IMeasure",
        ),
        MetricEntry(
            "bleu",
            "BLEU",
            "Machine-translation BLEU by sacrebleu, blind to the source: a negative control",
            "Papineni et al. 2002; Post 2018",
            "gecbench.metrics.bleu:BLEU",
        ),
    )
}


def metric_entry(name: str) -> MetricEntry:
    """Return a metric's declaration, or say which names exist."""
    if name not in METRICS:
        raise InputError(f"unknown metric {name!r}", fix=f"Known metrics: {', '.join(METRICS)}")
    return METRICS[name]


def make_metric(metric: str | Metric) -> Metric:
    """Return a metric from its name, with parameters in brackets if any, or from a signature.

    >>> make_metric("gleu(draws=py3,iterations=100)").iterations
    100
    """
    if isinstance(metric, Metric):
        return metric
    if "|" in metric:
        signature = Signature.parse(metric)
        return metric_entry(signature.metric).load().from_signature(signature)
    form = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", metric)
    if form is None:
        raise InputError(f"cannot read the metric {metric!r}", fix="Write name or name(parameter=value,…)")
    kind = metric_entry(form[1]).load()
    return kind(**_parameters(kind, form[2] or ""))


def _parameters(kind: type[Metric], text: str) -> dict[str, Any]:
    known = kind.parameters()
    words = {field.name: field.metadata.get("words", ()) for field in fields(kind)}  # type: ignore[arg-type]
    chosen: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in known:
            raise InputError(f"{kind.name} has no parameter {name!r}", fix=f"Its parameters: {', '.join(known)}")
        chosen[name] = value if value in words[name] else _convert(kind.name, name, value, known[name])
    return chosen


def _convert(metric: str, name: str, value: str, default: object) -> object:
    words = {"true": True, "yes": True, "false": False, "no": False}
    try:
        if isinstance(default, bool):
            return words[value.lower()]
        if isinstance(default, (int, float)):
            return type(default)(value)
    except (KeyError, ValueError) as error:
        kind = "yes or no" if isinstance(default, bool) else "a number"
        raise InputError(f"{metric}: {name}={value!r} is not {kind}") from error
    return value
