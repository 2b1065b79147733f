"""Published results: every row has a source, figures fit each other, and public outputs give the same scores again."""

import json
import os
from pathlib import Path

import pytest

import gecbench
from gecbench.corpora import published
from gecbench.corpora.published import corpora_with_results, place_among, published_results
from gecbench.corpora.seeda import SYSTEMS
from gecbench.errors import InputError

DATA = json.loads((Path(published.__file__).parent / "published.json").read_text(encoding="utf-8"))


def test_every_row_has_a_source_and_every_source_and_system_is_used():
    assert {table["source"] for table in DATA["tables"]} == set(DATA["sources"])
    assert {system for table in DATA["tables"] for system in table["values"]} == set(DATA["systems"])
    for result in published_results():
        assert result.url.startswith("https://")
        assert result.source
        assert result.approach
        assert 2014 <= result.year <= 2026
    assert {result.role for result in published_results()} == {"system", "human", "source"}


def test_a_source_reports_a_system_once_per_metric():
    keys = [(each.corpus, each.reference_set, each.metric, each.system, each.source) for each in published_results()]
    assert len(set(keys)) == len(keys)


def test_scores_are_those_of_precision_and_recall():
    """The sources round all three to a tenth; F0.5 of the rounded ones may be 0.13 off."""
    whole = [each for each in published_results() if each.precision is not None]
    assert len(whole) > 90
    for each in whole:
        assert each.metric in ("m2", "errant")
        f_half = 1.25 * each.precision * each.recall / (0.25 * each.precision + each.recall)
        assert each.value == pytest.approx(f_half, abs=0.13), each


def test_figures_of_pillars_of_gec():
    """As the issue and the README of grammarly/pillars-of-gec give them."""
    known = {each.system: each for each in published_results("conll14", "m2")}
    for system, figures in {
        "CTC-Copy": (72.6, 47.0, 65.5),
        "T5-11B": (70.9, 56.5, 67.5),
        "Chat-LLaMa-2-13B-FT": (77.2, 45.6, 67.9),
        "Majority voting, best 7": (83.7, 45.7, 71.8),
        "Majority voting with GRECO and GPT-4": (83.9, 47.5, 72.8),
    }.items():
        found = known[system]
        assert (found.precision, found.recall, found.value, found.year) == (*figures, 2024)
    assert {each.system: each.value for each in published_results("bea19:dev", "errant")}["UL2-20B"] == 57.7
    assert {each.system: each.value for each in published_results("bea19:test", "errant")}["UL2-20B"] == 74.1


@pytest.mark.parametrize(("metric", "tolerance"), [("m2", 0.005), ("gleu", 0.015)])
def test_public_outputs_of_seeda_give_what_its_readme_says(metric, tolerance, mirror):
    """All 15 systems, on the whole of CoNLL-14; the outputs on all 1,312 sentences are in the mirror only."""
    folder = next(Path(os.environ["GECBENCH_MIRROR"]).glob("raw.githubusercontent.com/tmu-nlp/SEEDA/*/outputs/all"))
    corpus = gecbench.load_corpus("conll14")
    reported = {each.system: each for each in published_results("conll14", metric) if "SEEDA" in each.source}
    assert len(reported) == len(SYSTEMS)
    for name in SYSTEMS:
        lines = (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        ours = 100 * gecbench.score(lines, corpus, metric, aligned=True, tokenized=True)[metric].value
        row = reported["Source (unchanged)" if name == "INPUT" else f"{name} (SEEDA)"]
        assert row.value == pytest.approx(ours, abs=tolerance + 1e-9)
        assert row.recomputed == ("equal" if metric == "m2" else "within 0.015")


def _reported(source, metric, reference_set="nucle"):
    found = published_results("conll14_fluency:" + reference_set, metric)
    return {each.system.removesuffix(" (SEEDA)"): each.value for each in found if source in each.source}


def test_figures_are_those_of_seedas_readme(mirror):
    """Every cell of its table: 15 systems by 11 metrics."""
    [readme] = mirror.mirror.glob("raw.githubusercontent.com/tmu-nlp/SEEDA/*/README.md")
    lines = [line for line in readme.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    header, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]
    names = ["m2", "sent-m2", "pt-m2", "errant", "sent-errant", "pt-errant", "gotoscorer", "gleu", "scribendi"]
    names += ["some", "impara"]
    assert (len(header), len(rows)) == (1 + len(names), len(SYSTEMS))
    for k, metric in enumerate(names, 1):
        wanted = {row[0].replace("INPUT", "Source (unchanged)"): float(row[k]) for row in rows}
        assert _reported("README of SEEDA", metric) == wanted


def test_figures_are_those_of_metric_scores(mirror):
    """Every line of the file of Sakaguchi et al.: 13 systems by 7 reference sets by 4 metrics."""
    metrics = {"BLEU": "bleu", "GLEU": "gleu", "IM": "imeasure", "M2": "m2"}
    sets = {"BN15": "bn15", "NUCLE": "nucle", "all": "all_bn15", "E-fluency": "expert_fluency"}
    sets |= {"E-minimal": "expert_minimal", "NE-fluency": "nonexpert_fluency", "NE-minimal": "nonexpert_minimal"}
    wanted: dict[tuple[str, str], dict[str, float]] = {}
    for line in mirror.lines("reassess/metric_scores"):
        metric, references, system, value = line.split("\t")
        percent = float(value) * (1 if metric == "IM" else 100)
        name = "Source (unchanged)" if system == "source" else system
        wanted.setdefault((metrics[metric], sets[references]), {})[name] = round(percent, 2)
    assert len(wanted) == 28
    for (metric, references), values in wanted.items():
        assert _reported("metric_scores", metric, references) == pytest.approx(values, abs=1e-9)


def test_names_of_corpora():
    assert published_results("conll14") == published_results("conll14_fluency:nucle:test")
    assert {each.reference_set for each in published_results("conll14:bn15")} == {"bn15"}
    assert {each.corpus for each in published_results("jfleg:dev")} == {"jfleg:validation"}
    assert published_results("demo") == ()
    for name in corpora_with_results():
        assert published_results(name)
    with pytest.raises(InputError, match=r"no published results on 'bea20:test'\. Did you mean bea19:test\?$"):
        published_results("bea20:test")
    with pytest.raises(InputError, match=r"no published results on 'xyz'\. Choose one of jfleg:test"):
        published_results("xyz")
    with pytest.raises(InputError, match=r"'tset' is neither .* of bea19\. Did you mean test"):
        published_results("bea19:tset")
    assert published_results("bea19") == published_results("bea19:dev") != published_results("bea19:test")
    with pytest.raises(InputError, match=r"with the metric 'm3'\. Choose one of gleu, m2"):
        published_results("conll14", "m3")


def test_the_place_of_a_score():
    results = published_results("jfleg:dev", "m2")
    assert [(each.system, each.value) for each in results if each.role == "system"] == [
        ("Chollampatt et al. (2016)", 52.7),
        ("Yuan and Briscoe (2016)", 50.8),
        ("Felice et al. (2014)", 46.6),
        ("AMU (Napoles et al. 2017)", 43.2),
    ]
    assert str(place_among(50.0, results)) == (
        "between Yuan and Briscoe (2016) (50.8, 2017) and Felice et al. (2014) (46.6, 2017) (rank 3 of 5)"
    )
    assert str(place_among(60.0, results)) == "above Chollampatt et al. (2016) (52.7, 2017) (rank 1 of 5)"
    assert str(place_among(40.0, results)) == "below AMU (Napoles et al. 2017) (43.2, 2017) (rank 5 of 5)"
    assert place_among(50.8, results).below.value == 50.8
    [caveat] = place_among(50.0, results).caveats()
    assert caveat.startswith("Napoles et al. 2017, Table 5: The M2 gold edits come from")
    assert place_among(50.0, published_results("demo")) is None
