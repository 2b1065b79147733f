from __future__ import annotations

import json

import pytest

from gecbench.corpora.build import card_metadata, read_lock
from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.declaration import features

datasets = pytest.importorskip("datasets", minversion="2.21")


@pytest.mark.parametrize("name", list(DATASETS))
def test_the_features_of_the_card_are_those_of_the_builder(name):
    for entry in card_metadata(DATASETS[name], read_lock(name))["dataset_info"]:
        config = DATASETS[name].configs[entry["config_name"]]
        from_card = datasets.Features._from_yaml_list(json.loads(json.dumps(entry["features"])))
        assert from_card.arrow_schema.types == features(config.fields).arrow_schema.types
        assert list(from_card) == list(config.columns)
