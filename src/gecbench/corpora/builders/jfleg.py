"""Builder of jfleg."""

from __future__ import annotations

from gecbench.corpora import catalog
from gecbench.corpora.builders import base


class Builder(base.RowsBuilder):
    """jfleg, from its upstream files."""

    DECLARED = catalog.JFLEG
    BUILDER_CONFIGS = base.builder_configs(DECLARED)
    DEFAULT_CONFIG_NAME = DECLARED.default_config
