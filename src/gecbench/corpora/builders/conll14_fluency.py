"""Builder of conll14_fluency."""

from __future__ import annotations

from gecbench.corpora import catalog
from gecbench.corpora.builders import base


class Builder(base.RowsBuilder):
    """conll14_fluency, from its upstream files."""

    DECLARED = catalog.CONLL14_FLUENCY
    BUILDER_CONFIGS = base.builder_configs(DECLARED)
    DEFAULT_CONFIG_NAME = DECLARED.default_config
