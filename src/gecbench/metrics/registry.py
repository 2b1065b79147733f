"""The metrics by name: the command line, the documentation and the leaderboard read this table."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gecbench.errors import InputError
from gecbench.metrics.base import Metric
from gecbench.metrics.signature import Signature


class Registry(Mapping[str, type[Metric]]):
    """Metric classes by name, each imported when it is first asked for."""

    def __init__(self, locations: Mapping[str, str]) -> None:
        self._locations = locations

    def __getitem__(self, name: str) -> type[Metric]:
        found: type[Metric] = pkgutil.resolve_name(self._locations[name])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._locations)

    def __len__(self) -> int:
        return len(self._locations)


METRICS = Registry(
    {
        "gleu": "gecbench.metrics.gleu:GLEU",
        "m2": "gecbench.metrics.m2.metric:M2",
        "errant": "gecbench.metrics.errant.metric:ERRANT",
        "imeasure": "gecbench.metrics.imeasure.metric:IMeasure",
        "bleu": "gecbench.metrics.bleu:BLEU",
    }
)


def metric_class(name: str) -> type[Metric]:
    """Return a metric's class, or say which names exist."""
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
    if not isinstance(metric, str):
        raise InputError(f"a metric is a name or a Metric, not a {type(metric).__name__}")
    if "|" in metric:
        signature = Signature.parse(metric)
        return metric_class(signature.metric).from_signature(signature)
    form = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", metric)
    if form is None:
        raise InputError(f"cannot read the metric {metric!r}", fix="Write name or name(parameter=value,…)")
    kind = metric_class(form[1])
    return kind(**_parameters(kind, form[2] or ""))


def _parameters(kind: type[Metric], text: str) -> dict[str, Any]:
    known = kind.parameters()
    chosen: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        kind.check_parameters([name if equals else part])
        found = known[name]
        chosen[name] = value if value in found.choices else _convert(kind.name, name, value, found.default)
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
