"""SEEDA: rankings, outputs and human scores as its authors published them."""

import pytest
from mirror_files import needs_mirror

import gecbench
from gecbench.corpora.catalog import HUMAN_JUDGMENTS
from gecbench.corpora.load import load_rankings
from gecbench.corpora.seeda import SETS, SYSTEMS
from gecbench.errors import InputError
from gecbench.formats.judgments import count_from_zero

NAMES = ("seeda:edit", "seeda:sentence")


def test_sets_of_systems():
    assert set(SYSTEMS) - set(SETS["base"]) == {"GPT-3.5", "INPUT", "REF-F"}
    assert set(SYSTEMS) - set(SETS["fluency"]) == {"INPUT"}
    assert (len(SYSTEMS), len(SETS["base"]), len(SETS["fluency"])) == (15, 12, 14)


@needs_mirror
@pytest.mark.parametrize("name", NAMES)
def test_systems_judged_together_wrote_the_same_text(name):
    """The rankings fit the outputs: all 974 places of several systems have one text."""
    rankings, outputs = load_rankings(name), HUMAN_JUDGMENTS[name].systems()
    assert len(rankings) == 600
    places = [(ranking.sentence, place.systems) for ranking in rankings for place in ranking.places]
    shared = [(sentence, systems) for sentence, systems in places if len(systems) > 1]
    assert len(shared) == 974
    assert all(len({outputs[system][sentence] for system in systems}) == 1 for sentence, systems in shared)
    assert count_from_zero(rankings, outputs, file=name) == (rankings, 0)


@needs_mirror
def test_the_391_sentences_are_those_of_conll14():
    judgments = HUMAN_JUDGMENTS["seeda:edit"]
    corpus = judgments.judged_part(gecbench.load_corpus("conll14"))
    assert [source.split() for source in corpus.sources] == [line.split() for line in judgments.systems()["INPUT"]]
    assert judgments.judged_part(corpus) is corpus


@needs_mirror
def test_references_for_too_few_sentences_are_refused():
    short = gecbench.load_corpus("conll14").select(range(400))
    with pytest.raises(InputError, match=r"has 400 sentences, but the human judgments include sentence 1311"):
        HUMAN_JUDGMENTS["seeda:edit"].judged_part(short)


@needs_mirror
@pytest.mark.parametrize(
    ("name", "method", "expected"),
    [
        ("seeda:edit", "trueskill", {"BART": -0.231, "REF-F": 0.679, "UEDIN-MS": -0.076}),
        ("seeda:sentence", "trueskill", {"BART": -0.300, "REF-F": 0.992, "UEDIN-MS": -0.179}),
        ("seeda:edit", "expected-wins", {"BART": 0.364, "INPUT": 0.130, "UEDIN-MS": 0.458}),
        ("seeda:sentence", "expected-wins", {"BART": 0.363, "INPUT": 0.068, "UEDIN-MS": 0.411}),
    ],
)
def test_published_human_scores(name, method, expected):
    found = HUMAN_JUDGMENTS[name].scores(method)
    assert len(found) == 15
    assert {system: found[system] for system in expected} == expected
