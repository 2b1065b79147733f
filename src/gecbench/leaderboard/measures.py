"""The metrics as a board computes them."""

from __future__ import annotations

from gecbench.metrics.base import Metric
from gecbench.metrics.registry import metric_class


def board_metric(name: str) -> Metric:
    """Return a metric of the registry with the parameters that boards use."""
    metric = metric_class(name)
    return metric(**metric.board_parameters)
