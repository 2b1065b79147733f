"""Published results as records, and a system that is both reported and scored."""

import json

import pytest
from boards import demo_board, made_up_record

import gecbench
from gecbench.leaderboard.ranking import Significance
from gecbench.leaderboard.rows import packed, table_rows
from gecbench.leaderboard.seeds import public_submissions, seed_records
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
    tables = {each.table for each in seed_records()}
    assert {corpus for corpus, _ in tables} == {
        *("jfleg:test", "jfleg:validation", "conll14_fluency:test", "bea19:test", "bea19:validation")
    }
    assert ("conll14_fluency:test", "nucle_alt") in tables
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


def test_seed_writes_the_settings_that_build_needs(tmp_path, run):
    board = tmp_path / "board"
    run("leaderboard", "seed", "--board", board, "-c", "demo")
    settings = FolderStore(board).settings
    assert [entry["corpus"] for entry in settings.corpora] == ["demo"]
    assert settings.publish_references
    run("leaderboard", "seed", "--board", board, "-c", "demo")
    assert len(FolderStore(board).load().records) == 1, "nothing is added twice"


def test_build_takes_its_corpora_from_the_records(tmp_path, run):
    store = demo_board(tmp_path / "board")
    run("leaderboard", "build", "--board", store.folder, "-o", tmp_path / "site", "--resamples", "40")
    board = json.loads((tmp_path / "site/data/board.json").read_text(encoding="utf-8"))
    first = board["tables"][0]
    assert (first["corpus"], first["sentences"], first["systems"]) == ("demo", 42, 3), "the fullest table comes first"
    assert "gleu" in first["tests"]


def test_build_refuses_records_on_a_file_that_it_does_not_know(tmp_path, refused):
    store = FolderStore(tmp_path / "board")
    store.add(made_up_record(corpus="gold"))
    words = "the board has records on gold, but not the path of the corpus file. Give the corpus file with -c"
    refused(["leaderboard", "build", "--board", store.folder, "-o", tmp_path / "site"], words)


def test_public_outputs_on_conll14(mirror):
    """M2 of the twelve newer systems and of two rewrites as SEEDA's README has it, all rounded to two decimals."""
    published = {"BART": 50.3, "BERT-fuse": 62.77, "GECToR-BERT": 61.83, "GECToR-ens": 63.53, "GPT-3.5": 53.5}
    published |= {"LM-Critic": 55.5, "PIE": 59.93, "Riken-Tohoku": 64.74, "T5": 65.07, "TemplateGEC": 56.29}
    published |= {"TransGEC": 68.08, "UEDIN-MS": 64.55}
    published |= {"Expert A, minimal (REF-M)": 60.12, "Expert A, fluency (REF-F)": 47.48}
    nucle = gecbench.load_corpus("conll14_fluency:nucle", upstream=mirror)
    found = {each.system: each for each in public_submissions(nucle, mirror)}
    assert sum(each.role == "system" for each in found.values()) == 24
    assert all(each.year for each in found.values() if each.role == "system")
    for name, value in published.items():
        score = gecbench.score(found[name].predictions, nucle, "m2", aligned=True, tokenized=True)["m2"]
        assert 100 * score.value == pytest.approx(value, abs=0.006), name


def test_public_outputs_on_jfleg(mirror):
    jfleg = gecbench.load_corpus("jfleg:test", upstream=mirror)
    found = {each.system: each.role for each in public_submissions(jfleg, mirror)}
    assert found == {"Source (unchanged)": "source", "Spell-checked source": "baseline"}
