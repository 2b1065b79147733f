"""Published results as records, and a system that is both reported and scored."""

import json

import pytest
from boards import made_up_record

from gecbench.leaderboard.page import packed, table_rows
from gecbench.leaderboard.ranking import Significance
from gecbench.leaderboard.seeds import seed_records
from gecbench.leaderboard.store import FolderStore


def test_seeds_are_the_published_figures(repository):
    goldens = json.loads((repository / "tests/goldens/gleu.json").read_text(encoding="utf-8"))
    seeds = {(each.corpus, each.reference_set, each.system): each for each in seed_records()}
    for split, name in (("dev", "validation"), ("test", "test")):
        for system, role in (("Source (unchanged)", "source"), ("Human", "human_average")):
            value = seeds[f"jfleg:{name}", "default", system].scores["gleu"]["value"]
            assert 100 * value == pytest.approx(goldens["jfleg"][f"jfleg.{split}.{role}"]["published_x100"])
    sets = {"NUCLE": "nucle", "E-fluency": "expert_fluency", "E-minimal": "expert_minimal"}
    sets |= {"NE-fluency": "nonexpert_fluency", "NE-minimal": "nonexpert_minimal"}
    compared = 0
    for key, golden in goldens["conll14"].items():
        _, kind, system = key.split(".")
        if kind in sets and "published_metric_scores" in golden:
            name = "Source (unchanged)" if system == "INPUT" else system
            value = seeds["conll14_fluency:test", sets[kind], name].scores["gleu"]["value"]
            assert value == pytest.approx(golden["published_metric_scores"], abs=5.1e-5)
            compared += 1
    assert compared == 30


def test_seeds_are_marked_and_name_their_source():
    assert len({each.table for each in seed_records()}) == 9
    for each in seed_records():
        assert each.kind == "reported"
        assert each.outputs is None
        assert all(figure["source"]["url"].startswith("https://") for figure in each.scores.values())


@pytest.mark.parametrize("name", ["AMU", "amu", "AMU (CoNLL-14)"])
def test_a_system_stands_once(name, tmp_path):
    table = ("conll14_fluency:test", "nucle")
    reported = [each for each in seed_records() if each.table == table]
    scored = made_up_record(system=name, corpus=table[0], reference_set=table[1])
    rows = table_rows([scored, *reported], Significance(FolderStore(tmp_path), {}))
    found = packed(rows, None)
    assert [row["system"] for row in found["rows"]] == [name]
    assert "AMU" not in {row["system"] for row in found["reported"]}
    assert len(found["reported"]) == len(reported) - 1
    assert found["rows"][0]["reported"]["gleu"]["differs"]
