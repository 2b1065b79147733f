"""Every way to score gives the same figures: the 15 outputs of SEEDA on CoNLL-14, systems of 2019 to 2023."""

from __future__ import annotations

from pathlib import Path

import pytest
from mirror_files import MIRROR, needs_mirror

import gecbench
from gecbench.corpus.derive import with_references
from gecbench.formats.m2 import format_m2
from gecbench.formats.text import read_lines
from gecbench.harness.benchmark import score_answers
from gecbench.leaderboard.scoring import board_metric, compute_figures, prepare_stored

pytestmark = needs_mirror
SEEDA = "raw.githubusercontent.com/tmu-nlp/SEEDA/0c6c07f98dcfab016f1169b680997f1f29ea0705/outputs/all"
FOLDER = Path(MIRROR or "") / SEEDA
SYSTEMS = (
    *("BART", "BERT-fuse", "GECToR-BERT", "GECToR-ens", "GPT-3.5", "INPUT", "LM-Critic", "PIE", "REF-F", "REF-M"),
    *("Riken-Tohoku", "T5", "TemplateGEC", "TransGEC", "UEDIN-MS"),
)
METRICS = ("gleu", "m2", "imeasure", "bleu")


@pytest.fixture(scope="module")
def corpus() -> gecbench.Corpus:
    return gecbench.load_corpus("conll14")


@pytest.mark.parametrize("system", SYSTEMS)
def test_score_board_evaluate_harness_and_stream_agree(system: str, corpus: gecbench.Corpus) -> None:
    outputs = read_lines(FOLDER / f"{system}.txt")
    scores = gecbench.score(outputs, corpus, METRICS)
    assert all("capped" not in scores[metric].signature for metric in METRICS), "every sentence is mixed exactly"

    whole = with_references(corpus)
    board = compute_figures(prepare_stored(whole, outputs), 2, lambda _stage, _done: None).figures
    assert {metric: board[metric]["value"] for metric in METRICS} == {m: scores[m].value for m in METRICS}

    answers = score_answers(corpus, dict(enumerate(outputs)), METRICS)
    assert {metric: answers[metric].value for metric in METRICS} == {m: scores[m].value for m in METRICS}

    for metric in METRICS:
        made = board_metric(metric)
        halves = [range(656), range(656, 1312)]
        batches = [(whole.select(half), [outputs[i] for i in half]) for half in halves]
        assert made.stream(batches).value == scores[metric].value


@pytest.mark.parametrize("system", ["T5", "GPT-3.5"])
def test_the_modules_of_evaluate_agree(system: str, corpus: gecbench.Corpus) -> None:
    outputs = read_lines(FOLDER / f"{system}.txt")
    scores = gecbench.score(outputs, corpus, ["m2", "imeasure"])
    blocks = "\n".join(format_m2(corpus)).strip().split("\n\n")
    for metric in ("m2", "imeasure"):
        module = gecbench.load_metric(metric)
        found = module.compute(sources=list(corpus.sources), predictions=outputs, references=blocks)
        assert found[metric] == scores[metric].value


def test_the_systems_are_those_of_the_mirror() -> None:
    assert sorted(SYSTEMS) == sorted(path.stem for path in FOLDER.glob("*.txt"))
