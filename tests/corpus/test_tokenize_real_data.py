"""`auto` on real corpora of four languages: what annotators and systems wrote comes back after it was detokenized."""

import functools

import pytest
from detokenizers import WAYS
from mirror_files import (
    GECCC,
    M2_FILES,
    SEEDA_OUTPUTS,
    annotators,
    conll14_gold,
    conll14_references,
    lines,
    m2_file,
    mucgec,
    needs_mirror,
    seeda_systems,
    split_annotator,
    submission,
)

from gecbench import GLEU, M2, Corpus, derive_references
from gecbench.corpus.prepare import Preprocessing
from gecbench.corpus.tokenize import detokenize

pytestmark = needs_mirror

AUTO = Preprocessing(tokenize="auto", aligned=True)
GLEU_BOUND, M2_BOUND, SAME_BOUND = 0.10, 0.20, 0.995
SENTENCES = 3000
# The beginning of one file for each language; benchmarks/raw_text.py reads all of them.
CORPORA = {
    name: M2_FILES[language][name]
    for language, name in [
        ("English", "CWEB-S.dev"),
        ("Czech", "GECCC dev, sentences"),
        ("Ukrainian", "UA-GEC gec-only"),
        ("Chinese", "ChERRANT sample, chars"),
    ]
}
ANNOTATORS = [(name, annotator) for name in CORPORA for annotator in (0, 1)]
# Outputs that are not tokenized like their source, "' real '" or "a'real '" for its "'real '": largest GLEU and M2.
# sacremoses glues these marks to the word, as it does those of the source: the raw text is then the source's own.
OTHER_TOKENS = {
    ("LM-Critic", "gecbench"): (GLEU_BOUND, 0.30),
    **{
        (system, "sacremoses"): (0.15, 0.40)
        for system in ("GPT-3.5", "LM-Critic", "PIE", "T5", "TemplateGEC", "TransGEC")
    },
}


@functools.cache
def rewrite(name, annotator):
    gold = m2_file(CORPORA[name])
    part = Corpus(sources=gold.sources[:SENTENCES], annotations=gold.annotations[:SENTENCES])
    return split_annotator(part, annotator)


@functools.cache
def read_back(name, annotator):
    """Return an annotator's text, detokenized and read back by a guide that has seen the other annotator's alone."""
    texts, others, _ = rewrite(name, annotator)
    return AUTO.prepare(others, detokenize(texts)).lines


def same(found, expected):
    return sum(map(str.__eq__, found, expected)) / len(expected)


def points(metric, corpus, texts):
    return 100 * metric.score_corpus(corpus, texts, aligned=True, tokenized=True).value


@pytest.mark.parametrize("name", CORPORA)
def test_annotators_come_back(name):
    assert annotators(m2_file(CORPORA[name])) == [0, 1]
    found = [line for annotator in (0, 1) for line in read_back(name, annotator)]
    assert same(found, [text for annotator in (0, 1) for text in rewrite(name, annotator)[0]]) >= SAME_BOUND


@pytest.mark.parametrize(("name", "annotator"), ANNOTATORS)
def test_gleu_comes_back(name, annotator):
    texts, others, _ = rewrite(name, annotator)
    gold = derive_references(others)
    assert abs(points(GLEU(), gold, read_back(name, annotator)) - points(GLEU(), gold, texts)) <= GLEU_BOUND


@pytest.mark.parametrize(("name", "annotator"), ANNOTATORS)
def test_m2_comes_back(name, annotator):
    """Against the whole file, as users have it."""
    texts, _, gold = rewrite(name, annotator)
    found = AUTO.prepare(gold, detokenize(texts)).lines
    assert abs(points(M2(), gold, found) - points(M2(), gold, texts)) <= M2_BOUND


def test_chinese_without_blanks_comes_back():
    sources, first, second = zip(*[texts[:3] for texts in mucgec()[:300] if len(texts) > 2], strict=True)
    corpus = Corpus(sources=sources, references=[[text] for text in second])
    assert same(AUTO.prepare(corpus, ["".join(text.split()) for text in first]).lines, first) == 1


def test_what_people_really_typed():
    """GECCC publishes its sources as they were typed, too: hyphens, units and web addresses are glued there."""
    gold, raw = m2_file(f"{GECCC}/dev/sentence.m2"), lines(f"{GECCC}/dev/sentence.input")
    sources = [" ".join(source.split()) for source in gold.sources]
    assert same(AUTO.prepare(gold, raw).lines, sources) >= 0.99


@functools.cache
def conll14():
    sources = [" ".join(line.split()) for line in submission("INPUT")]
    return Corpus(sources=sources, references=conll14_references("NUCLE"))


@functools.cache
def detokenizer(way):
    if way != "gecbench":
        pytest.importorskip(way)
    return detokenize if way == "gecbench" else functools.partial(map, WAYS[way]())


@pytest.mark.parametrize("way", ["gecbench", "sacremoses"])
@pytest.mark.parametrize("system", seeda_systems())
def test_systems_of_today_come_back(system, way):
    texts = [" ".join(line.split()) for line in lines(f"{SEEDA_OUTPUTS}/{system}.txt")]
    found = AUTO.prepare(conll14(), detokenizer(way)(texts)).lines
    gleu_bound, m2_bound = OTHER_TOKENS.get((system, way), (GLEU_BOUND, M2_BOUND))
    assert abs(points(GLEU(), conll14(), found) - points(GLEU(), conll14(), texts)) <= gleu_bound
    assert abs(points(M2(), conll14_gold(), found) - points(M2(), conll14_gold(), texts)) <= m2_bound
