"""Every M2 file of the mirror: its own text scores 100 against it, or its edits say why not (see docs/corpora.md)."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from gecbench.corpora.conll14 import OFFICIAL, WITH_ALTERNATIVES
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import derive_references
from gecbench.corpus.edits import EditedTexts
from gecbench.errors import InputError
from gecbench.formats.m2 import parse_m2
from gecbench.metrics.errant import ERRANT
from gecbench.metrics.m2 import M2

GITHUB = "raw.githubusercontent.com"
PATTERNS = {
    "CWEB": f"{GITHUB}/SimonHFL/CWEB/*/data/m2/*.m2",
    "UA-GEC": f"{GITHUB}/grammarly/ua-gec/*/data/*/test/*.m2",
    "GECCC, sentences": f"{GITHUB}/ufal/GECCC/*/data/*/sentence.m2",
    "GECCC, paragraphs": f"{GITHUB}/ufal/GECCC/*/data/*/paragraph.m2",
    "CoNLL-14 and 6 systems, edits of ERRANT": f"{GITHUB}/THUKElab/CLEME/*/demo/examples/*.errant",
    "JFLEG test, edits of the authors' converter": f"{GITHUB}/keisks/jfleg/*/EACL_exp/m2converter/test.ref.m2",
    "ChERRANT's sample": f"{GITHUB}/HillZhang1999/MuCGEC/*/scorers/ChERRANT/samples/*.m2.*",
}
CONLL14 = (*OFFICIAL, "conll14/noalt/official-2014.combined.m2", WITH_ALTERNATIVES)
JFLEG_DEV = f"{GITHUB}/keisks/jfleg/*/EACL_exp/m2converter/dev.ref.m2"


@pytest.mark.parametrize("group", ["CoNLL-14", *PATTERNS])
def test_texts_score_100_against_their_own_edits(mirror, repository, group):
    files = {key: mirror.lines(key) for key in CONLL14}
    if group in PATTERNS:
        files = {str(path): path.read_text(encoding="utf-8").split("\n") for path in _find(mirror, PATTERNS[group])}
    sentences = edits = missed = 0
    lowest = 1.0
    for file, lines in files.items():
        corpus = parse_m2(lines, file)
        sentences += len(corpus)
        for alone in _annotators(corpus):
            annotations = [found[0] for found in alone.annotations]
            edits += sum(len(one.edits) for one in annotations)
            assert ERRANT().score_corpus(alone, EditedTexts.of(alone.sources, alone.annotations)).value == 1.0
            texts = [found[0] for found in derive_references(alone).references]
            lowest = min(lowest, M2().score_corpus(alone, texts).value)
            for source, match in zip(alone.sources, M2().matches(alone, texts), strict=True):
                if not (all(match.matched_gold) and all(match.matched_proposed)):
                    missed += 1
                    assert _has_a_reason(match.annotation, source.split())
    row = f"| {group} | {len(files)} | {sentences:,} | {edits:,} | {100 * lowest:.2f} | {missed} |"
    assert row in (repository / "docs" / "corpora.md").read_text(encoding="utf-8")


def test_no_m2_file_is_left_out(mirror):
    found = {path for pattern in (*PATTERNS.values(), JFLEG_DEV) for path in _find(mirror, pattern)}
    in_mirror = [
        path for path in _find(mirror, "**/*") if path.name.endswith((".m2", ".errant")) or ".m2." in path.name
    ]
    assert {path for path in in_mirror if not path.name.startswith("scores.m2")} == found


def test_the_converted_dev_set_of_jfleg_is_refused(mirror):
    """Its spans count the tokens of a source that was tokenized again, so that some end behind the sentence."""
    [path] = _find(mirror, JFLEG_DEV)
    with pytest.raises(InputError, match=r"dev\.ref\.m2:340: the span 13 13 does not fit a sentence of 11 tokens"):
        parse_m2(path.read_text(encoding="utf-8").split("\n"), "dev.ref.m2")


def _find(mirror, pattern):
    return sorted(path for path in mirror.mirror.glob(pattern) if path.is_file())


def _annotators(corpus):
    """Yield each annotator's sentences, with that annotator's edits alone."""
    for annotator in sorted({one.annotator for found in corpus.annotations for one in found}):
        own = [[one for one in found if one.annotator == annotator] for found in corpus.annotations]
        rows = [i for i, found in enumerate(own) if found]
        yield Corpus(sources=[corpus.sources[i] for i in rows], annotations=[own[i] for i in rows])


def _has_a_reason(annotation, tokens):
    """Return whether M2 may read other edits off the text.

    Two edits are next to each other, one changes nothing, or one keeps more than two words: M2 builds no edit around
    more than two unchanged words.
    """
    spans = sorted((edit.start, edit.end) for edit in annotation.edits)
    touch = any(one[1] == other[0] for one, other in pairwise(spans))
    words = [(tokens[edit.start : edit.end], edit.corrections[0].split()) for edit in annotation.edits]
    return touch or any(old == new or (Counter(old) & Counter(new)).total() > 2 for old, new in words)
