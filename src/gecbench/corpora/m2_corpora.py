"""Corpora that are published as one M2 file per split.

These are CoNLL-13, BEA-19, CWEB, UA-GEC and GECCC. To add a corpus, add its source to `upstream.SOURCES`, its files to
`pins.tsv`, and an entry to `DATASETS` below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from gecbench.corpora.declaration import (
    ANNOTATIONS,
    Config,
    DatasetDeclaration,
    Field,
    ListOf,
    Row,
    annotation_rows,
    by_name,
)
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.derive import derive_references
from gecbench.formats.m2 import parse_m2

_SENTENCE = (
    Field("id", "string", "number of the sentence in the upstream file, from 1"),
    Field("sentence", "string", "the sentence, tokenized as in the upstream file"),
)
_FIELDS = (
    *_SENTENCE,
    Field("corrections", ListOf("string"), "one corrected sentence per annotator, made by applying the edits"),
    Field("annotations", ANNOTATIONS, "the published edits of each annotator"),
)
_DOCUMENT = Field("document", "string", "number of the document; each document's heading is a separate row")
_HEADING = re.compile(r"# (\d+)")


def m2_rows(upstream: Upstream, split: str, *, files: Mapping[str, str]) -> Iterator[Row]:
    """Yield the sentences of an M2 file with their edits.

    Corrections are made by applying the edits.
    """
    key = files[split]
    corpus = derive_references(parse_m2(upstream.lines(key), key))
    sentences = zip(corpus.sources, corpus.references or (), corpus.annotations or (), strict=True)
    for number, (sentence, corrections, edits) in enumerate(sentences, 1):
        yield {
            "id": str(number),
            "sentence": sentence,
            "corrections": list(corrections),
            "annotations": annotation_rows(edits),
        }


def _document_rows(upstream: Upstream, split: str, *, files: Mapping[str, str]) -> Iterator[Row]:
    """Yield the rows of `m2_rows`, each with the number of its document.

    The number comes from the document's heading.
    """
    document = ""
    for row in m2_rows(upstream, split, files=files):
        if heading := _HEADING.fullmatch(row["sentence"]):
            document = heading[1]
        yield {**row, "document": document}


def _source_rows(upstream: Upstream, split: str, *, files: Mapping[str, str]) -> Iterator[Row]:
    """Yield sentences without references."""
    for number, sentence in enumerate(upstream.lines(files[split]), 1):
        yield {"id": str(number), "sentence": sentence}


def _config(name: str, description: str, files: Mapping[str, str], *, pinned: bool = True) -> Config:
    rows = partial(m2_rows, files=files)
    return Config(name, description, _FIELDS, tuple(files), rows, pinned, files=tuple(files.values()))


def _cweb(letter: str, description: str) -> Config:
    splits = {"validation": "dev", "test": "test"}
    files = {split: f"cweb/data/m2/CWEB-{letter.upper()}.{name}.m2" for split, name in splits.items()}
    return _config(letter, description, files)


def _ua_gec(name: str, description: str) -> Config:
    files = {"test": f"ua-gec/data/{name}/test/{name}.test.m2"}
    rows = partial(_document_rows, files=files)
    return Config(name, description, (*_FIELDS, _DOCUMENT), ("test",), rows, files=tuple(files.values()))


def _geccc(unit: str) -> Config:
    files = {"validation": f"geccc/data/dev/{unit}.m2", "test": f"geccc/data/test/{unit}.m2"}
    return _config(unit, f"one or two annotators; one {unit} per row", files)


DATASETS = (
    DatasetDeclaration(
        name="conll13",
        title="CoNLL-13 shared task, test set",
        homepage="https://www.comp.nus.edu.sg/~nlp/conll13st.html",
        license="other",
        redistributable=False,
        sources=("conll13",),
        default_config="default",
        configs=by_name(
            _config(
                "default", "one annotator", {"test": "conll13/original/data/official-preprocessed.m2"}, pinned=False
            )
        ),
        tokenization="NLTK",
        metric="m2(beta=1)",
        citation="Ng et al. 2013, The CoNLL-2013 Shared Task on Grammatical Error Correction",
    ),
    DatasetDeclaration(
        name="bea19",
        title="BEA-19 shared task: W&I+LOCNESS",
        homepage="https://www.cl.cam.ac.uk/research/nl/bea2019st/",
        license="other",
        redistributable=False,
        sources=("bea19",),
        default_config="default",
        configs=by_name(
            _config("default", "one annotator", {"validation": "bea19/m2/ABCN.dev.gold.bea19.m2"}, pinned=False),
            Config(
                "test",
                "sentences only; the references are private",
                _SENTENCE,
                ("test",),
                partial(_source_rows, files={"test": "bea19/test/ABCN.test.bea19.orig"}),
                pinned=False,
                submit_to="Codabench",
                files=("bea19/test/",),
            ),
        ),
        tokenization="spaCy",
        metric="errant",
        citation="Bryant et al. 2019, The BEA-2019 Shared Task on Grammatical Error Correction",
    ),
    DatasetDeclaration(
        name="cweb",
        aliases={"cweb:g": "g"},
        title="CWEB: corrected websites",
        homepage="https://github.com/SimonHFL/CWEB",
        license="cc-by-nc-sa-4.0",
        redistributable=True,
        sources=("cweb",),
        default_config="g",
        several_reference_sets=True,
        configs=by_name(
            _cweb("g", "two annotators; generic websites"), _cweb("s", "two annotators; sponsored websites")
        ),
        tokenization="spaCy",
        metric="errant",
        citation="Flachs et al. 2020, Grammatical Error Correction in Low Error Density Domains",
    ),
    DatasetDeclaration(
        name="ua-gec",
        aliases={"ua-gec:gec-only": "gec-only"},
        title="UA-GEC: Ukrainian grammatical error correction and fluency",
        homepage="https://github.com/grammarly/ua-gec",
        license="cc-by-4.0",
        redistributable=True,
        sources=("ua-gec",),
        default_config="gec-only",
        several_reference_sets=True,
        configs=by_name(
            _ua_gec("gec-only", "two annotators; errors only"),
            _ua_gec("gec-fluency", "two annotators; errors and fluency"),
        ),
        tokenizer="13a",
        tokenization="Stanza",
        language="uk",
        metric="errant",
        citation="Syvokon et al. 2023, UA-GEC: GEC and Fluency Corpus for the Ukrainian Language",
    ),
    DatasetDeclaration(
        name="geccc",
        title="GECCC: Grammar Error Correction Corpus for Czech",
        homepage="https://github.com/ufal/GECCC",
        license="cc-by-sa-4.0",
        redistributable=True,
        sources=("geccc",),
        default_config="sentence",
        several_reference_sets=True,
        configs=by_name(_geccc("sentence"), _geccc("paragraph")),
        tokenizer="13a",
        tokenization="UDPipe",
        language="cs",
        metric="m2",
        citation="Náplava et al. 2022, Czech Grammar Error Correction with a Large and Diverse Corpus",
    ),
)
