"""Text to edits through the installed errant, over a spaCy pipeline that is trained here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import errant_m2
import pytest

import gecbench
from gecbench import ERRANT, Annotation, Corpus, Edit, EditedTexts, make_metric
from gecbench.errors import InputError, MissingDependencyError
from gecbench.formats.m2 import read_m2, write_m2
from gecbench.metrics import errant_annotate
from gecbench.metrics.errant_annotate import Annotator

SOURCES = ["She like cat .", "He go in school .", "The dog saw bird .", "", "Dogs see birds ."]
SYSTEM = ["She likes the cats .", "He goes to school .", "The dog saw a bird .", "", "Dogs see birds ."]
REFERENCES = [
    ["She likes cats .", "She likes the cat ."],
    ["He goes to school .", "He went to school ."],
    ["The dogs saw birds .", "the dog saw a bird ."],
    ["", ""],
    ["Dogs see birds .", "The dogs see birds in trees ."],
]
CORPUS = Corpus(sources=SOURCES, references=REFERENCES)


@pytest.fixture(scope="module")
def pipeline(tiny_model: Path) -> Any:
    import spacy

    return spacy.load(tiny_model)


@pytest.fixture
def official(pipeline: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a runner of errant's own programs, which take the pipeline trained here instead of en_core_web_sm."""
    import errant

    load = errant.load
    monkeypatch.setattr(errant, "load", lambda language, nlp=None: load(language, nlp or pipeline))

    def run(program: str, *words: object) -> str:
        module = pytest.importorskip(f"errant.commands.{program}")
        return errant_m2.printed(module.main, [program, *map(str, words)])

    return run


@pytest.fixture
def files(folder: Path) -> Path:
    columns = {"source": SOURCES, "system": SYSTEM, "ref0": [row[0] for row in REFERENCES]}
    columns["ref1"] = [row[1] for row in REFERENCES]
    for name, lines in columns.items():
        Path(f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


@pytest.mark.parametrize("parameters", ["", "lev=yes", "merge=all-split", "mode=cse", "mode=dt,beta=1"])
def test_texts_score_as_with_errants_programs(
    parameters: str, official: Any, tiny_model: Path, files: Path, kernels_of: str
) -> None:
    options = {"lev=yes": ["-lev"], "merge=all-split": ["-merge", "all-split"]}.get(parameters, [])
    flags = {"mode=cse": ["-cse"], "mode=dt,beta=1": ["-dt", "-b", "1"]}.get(parameters, [])
    official("parallel_to_m2", "-orig", "source.txt", "-cor", "system.txt", "-out", "system.m2", *options)
    official("parallel_to_m2", "-orig", "source.txt", "-cor", "ref0.txt", "ref1.txt", "-out", "gold.m2", *options)
    printed = official("compare_m2", "-hyp", "system.m2", "-ref", "gold.m2", *flags)
    words = ",".join(filter(None, [parameters, f"model={tiny_model}"]))
    score = gecbench.score(SYSTEM, CORPUS, f"errant({words})", aligned=True)["errant"]
    found = [score.parts[name] for name in ("tp", "fp", "fn", "precision", "recall")] + [score.value]
    assert [str(round(value, 4)) for value in found] == printed.splitlines()[-3].split("\t")
    fields = score.signature
    assert (fields["system"], fields["gold"], fields["model"]) == ("text", "rewrites:2", "en_tiny:1.2.3")
    assert {"errant", "spacy", "lev", "merge", "tok"} <= set(fields)
    assert make_metric(str(fields)) == make_metric(f"errant({','.join(filter(None, [parameters, 'model=en_tiny']))})")


def test_gold_is_taken_as_it_stands_or_annotated_anew(tiny_model: Path) -> None:
    coarse = [[Annotation(0, (Edit(0, 4, ("She likes the cats .",), "Wrong"),))], [Annotation(0, ())]]
    gold = Corpus(sources=["She like cat .", "Dogs see birds ."], annotations=coarse)
    texts = ["She likes the cats .", "Dogs see birds ."]
    stands, anew = (
        gecbench.score(texts, gold, ERRANT(model=str(tiny_model), reannotate=again))["errant"]
        for again in (False, True)
    )
    assert [stands.parts[name] for name in ("tp", "fp", "fn")] == [0, 3, 1]
    assert [anew.parts[name] for name in ("tp", "fp", "fn")] == [3, 0, 0]
    assert (stands.signature["gold"], anew.signature["gold"]) == ("edits", "annotated")
    types = ERRANT(model=str(tiny_model), reannotate=True).breakdown("error-type", gold, texts)
    assert {score.type for score in types} == {"R:VERB:SVA", "M:DET", "R:NOUN:NUM"}


def test_reannotated_gold_is_that_of_errants_program(official: Any, tiny_model: Path, files: Path) -> None:
    """Whole sentences as edits, a detected error that is not corrected, and an annotator who found nothing."""
    coarse = Edit(0, 4, ("She likes the cats .",), "Wrong")
    detected = (Edit(0, 1, ("he",), "Um"), Edit(1, 3, ("goes to",), "Vform"), Edit(3, 4, ("",), "UNK"))
    annotations = [[Annotation(0, (coarse,))], [Annotation(0, detected), Annotation(1, ())]]
    gold = Corpus(sources=SOURCES[:2], annotations=annotations)
    write_m2(gold, "gold.m2")
    official("m2_to_m2", "-auto", "gold.m2", "-out", "auto.m2")
    annotator = Annotator(str(tiny_model))
    found = tuple(
        tuple(Annotation(one.annotator, annotator.reannotate(source, one.edits)) for one in sentence)
        for source, sentence in zip(gold.sources, annotations, strict=True)
    )
    assert found == read_m2("auto.m2").annotations
    assert {"Um", "UNK"} & {edit.type for sentence in found for one in sentence for edit in one.edits}


def test_explain_and_compare_annotate_texts(tiny_model: Path, files: Path, run: Any) -> None:
    words = ["-s", "source.txt", "-r", "ref0.txt", "ref1.txt", "--aligned"]
    shown = run("explain", *words, "-p", "system.txt", "-m", f"errant(model={tiny_model})", "--sentences", "1", "2")
    assert "+like → likes [1,2) R:VERB:SVA" in shown
    assert "Sentence 2, annotator 0: 2 TP, 0 FP, 0 FN" in shown
    Path("same.txt").write_text("".join(f"{line}\n" for line in SOURCES), encoding="utf-8")
    metric = f"errant(model={tiny_model})"
    table = run("compare", *words, "-p", "same.txt", "system.txt", "-m", metric, "--resamples", "20")
    assert table.index("system ") < table.index("same ")


def test_a_board_has_its_column_where_it_can_be_computed(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gecbench.leaderboard import scoring
    from gecbench.leaderboard.scoring import usable_metrics
    from gecbench.leaderboard.submission import Submission, score_submission
    from gecbench.metrics.base import METRICS

    monkeypatch.setattr(ERRANT, "missing", lambda: None)
    tiny = {"errant": ERRANT(model=str(tiny_model))}
    monkeypatch.setattr(scoring, "metric_class", lambda name: lambda: tiny.get(name) or METRICS[name]())
    demo, system = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    assert "errant" in usable_metrics(demo)
    figure = score_submission(Submission("rules", system), demo, resamples=5).record.scores["errant"]
    assert figure["value"] == gecbench.score(system, demo, ERRANT(model=str(tiny_model)))["errant"].value
    assert figure["human"] == gecbench.human_bound("errant", demo, sizes="last").rows[0].human
    assert 0 < figure["ratio"] < 2


def test_tokens_of_spacy_must_be_those_of_the_gold(tiny_model: Path) -> None:
    gold = Corpus(sources=["He can't go ."], annotations=[[Annotation(0, (Edit(1, 2, ("cannot",), "R:OTHER"),))]])
    metric = ERRANT(model=str(tiny_model), tok=True)
    with pytest.raises(InputError, match="spaCy splits source 1 into other tokens"):
        metric.score_corpus(gold, ["He cannot go ."])


def test_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch, refused: Any, folder: Path) -> None:
    pytest.importorskip("errant")
    gold = Corpus(sources=["She like cat ."], annotations=[[Annotation(0, ())]])
    with pytest.raises(
        MissingDependencyError,
        match=r"needs the spaCy model nowhere_to_be\. Install it: python -m spacy download nowhere_to_be, "
        r"or choose another model, as in 'errant\(model=NAME\)' or 'cleme\(model=NAME\)'\.",
    ):
        ERRANT(model="nowhere_to_be").score_corpus(gold, ["She likes cats ."])
    with pytest.raises(MissingDependencyError, match=r"model no/where\. There is no folder of this name, so give"):
        ERRANT(model="no/where").score_corpus(gold, ["She likes cats ."])
    monkeypatch.setattr(errant_annotate, "find_spec", lambda name: None)
    steps = r'Install it with its spaCy model: pip install "gecbench\[errant\]" && python -m spacy download'
    with pytest.raises(MissingDependencyError, match=rf"needs errant\. {steps} also_nowhere\."):
        ERRANT(model="also_nowhere").score_corpus(gold, ["She likes cats ."])
    with pytest.raises(MissingDependencyError, match=rf"{steps} en_core_web_sm\."):
        ERRANT(model="a/folder").score_corpus(gold, ["She likes cats ."])
    assert ERRANT.missing() is not None
    Path("gold.m2").write_text("S She like cat .\n\n", encoding="utf-8")
    Path("out.txt").write_text("She likes cats .\n", encoding="utf-8")
    refused(["score", "-m", "errant(model=third)", "-c", "gold.m2", "-p", "out.txt"], f"{steps} third")


def test_without_a_change_nothing_needs_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errant_annotate, "find_spec", lambda name: None)
    gold = Corpus(sources=["a b"], annotations=[[Annotation(0, (Edit(0, 1, ("c",), "R:OTHER"),))]])
    score = ERRANT().score_corpus(gold, ["a b"])
    assert [score.parts[name] for name in ("tp", "fp", "fn")] == [0, 0, 1]
    assert score.signature["system"] == "unchanged"
    edits = EditedTexts.of(["a b"], gold.annotations or ())
    assert ERRANT().score_corpus(gold, edits).value == 1.0


def test_a_model_without_tags_is_named(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    pytest.importorskip("errant")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="tags a word with '', which errant does not know"):
        Annotator(str(tmp_path / "blank")).edits("She like cat .", "She likes cats .")
    (tmp_path / "broken").mkdir()
    with pytest.raises(InputError, match="broken cannot be loaded"):
        Annotator(str(tmp_path / "broken")).edits("a", "b")


def test_another_module_of_its_name_is_named(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The evaluate module of a Space is errant.py, beside its page."""
    (tmp_path / "errant.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "errant")
    errant_annotate._load.cache_clear()
    with pytest.raises(InputError, match=r"'import errant' loads .*errant\.py, not the errant library"):
        Annotator(str(tiny_model)).edits("a b", "a c")
