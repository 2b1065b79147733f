"""The metrics as a board computes them."""

from __future__ import annotations

from gecbench.metrics.base import Metric
from gecbench.metrics.registry import make_metric

# The I-measure mixes where that is cheap, so that no output can keep a server busy.
_PARAMETERS = {"imeasure": "imeasure(mixing=cap)"}


def board_metric(name: str) -> Metric:
    """Return a metric of the registry with the parameters that boards use."""
    return make_metric(_PARAMETERS.get(name, name))
