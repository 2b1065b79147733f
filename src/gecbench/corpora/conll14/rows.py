"""CoNLL-14 test sentences with every published reference set, and the shared task's system outputs."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from gecbench.corpora.conll14.essays import place_sentences
from gecbench.corpora.edits import ANNOTATIONS, Row, annotation_rows
from gecbench.corpora.schema import Field, ListOf
from gecbench.corpora.upstream import Upstream, check_sources
from gecbench.corpora.upstream.pins import BN15_ANNOTATORS
from gecbench.corpus.edits import Annotation, Edit, apply_edits
from gecbench.errors import InputError
from gecbench.formats.judgments import Pseudonyms
from gecbench.formats.m2 import NOOP, Block, parse_blocks
from gecbench.formats.table import parse_csv

OFFICIAL = ("conll14/noalt/official-2014.0.m2", "conll14/noalt/official-2014.1.m2")
WITH_ALTERNATIVES = "conll14/alt/official-2014.combined-withalt.m2"
ESSAYS = "conll14/noalt/official-2014.0.sgml"
MERGED = "reassess/annotations/merged_ids"
EXTRA = "reassess/annotations/extra_fluency/results_extra-HITs.csv"
SUBMISSIONS = "grammatical/data/original/official_submissions"
SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")
INPUT = "INPUT"
OFFICIAL_IN_BN15 = (7, 3)
SAME_ANNOTATOR = 0.95
REWRITES = {
    "expert_fluency": "expert_annotations/expert_fluency/expert_fluency",
    "nonexpert_fluency": "turker_annotations/turkers_fluency/turker_fluency",
    "expert_minimal": "expert_annotations/expert_minimal/expert_minimal",
    "nonexpert_minimal": "turker_annotations/turkers_minimal/turker_minimal",
}

SENTENCE_FIELDS = (
    Field("id", "string", "the 1-based line of the sentence in the official files"),
    Field("essay", "int32", "number of the essay, 1 to 50"),
    Field("paragraph", "int32", "paragraph in the essay, from 0, the title counted"),
    Field("sentence_in_paragraph", "int32", "place in the paragraph, from 0"),
    Field("kind", "string", "`TITLE` or `P`"),
    Field(
        "merged",
        "bool",
        "one of the 34 sentences that rewriters merged; the papers leave them out (1,278 remain)",
    ),
    Field("sentence", "string", "the learner's sentence, tokenised"),
)
CORRECTIONS = Field("corrections", ListOf("string"), "the references")
NAMES = Field("reference_names", ListOf("string"), "which reference each of `corrections` is")
REFERENCE_FIELDS = (*SENTENCE_FIELDS, CORRECTIONS, NAMES)
ANNOTATED_FIELDS = (
    *REFERENCE_FIELDS,
    Field(
        "annotations",
        ANNOTATIONS,
        "coded edits; applying the k-th to `sentence` gives the k-th of `corrections`",
    ),
)
SYSTEM_FIELDS = (
    *SENTENCE_FIELDS,
    *(Field(name, "string", f"output of {name}") for name in SYSTEMS),
    Field(INPUT, "string", "the unchanged input, ranked together with the systems"),
)
EXTRA_FIELDS = (
    *SENTENCE_FIELDS,
    Field(
        "corrections",
        ListOf("string"),
        "six crowd rewrites, not tokenised; entities resolved, white space joined",
    ),
    Field("workers", ListOf("string"), "who wrote each, as w1, w2, …"),
)


@dataclass(frozen=True)
class References:
    """References of every sentence under one name, with coded edits where the set has them."""

    name: str
    texts: list[str]
    edits: list[list[Edit]] | None = None


def sentence_rows(upstream: Upstream) -> list[Row]:
    """Return the columns that all configurations share."""
    sentences = [block.source for block in _blocks(upstream, OFFICIAL[0])]
    places = place_sentences(sentences, upstream.text(ESSAYS))
    merged = set(read_merged_ids(upstream.lines(MERGED)))
    return [
        {"id": str(line), **place, "merged": line in merged, "sentence": sentence}
        for line, (sentence, place) in enumerate(zip(sentences, places, strict=True), 1)
    ]


def read_merged_ids(lines: list[str]) -> list[int]:
    """Return the merged sentences' lines: consecutive pairs, so 48 before 419 is corrected to 418."""
    numbers = [int(line) for line in lines if line]
    if len(numbers) % 2:
        raise InputError("the merged sentences do not come in pairs", file=MERGED)
    return [number for second in numbers[1::2] for number in (second - 1, second)]


def _blocks(upstream: Upstream, key: str) -> list[Block]:
    return parse_blocks(upstream.lines(key), key)


def _coded(upstream: Upstream, key: str, name: str, sentences: list[str]) -> References:
    """Return one annotator's file as references; its only annotator bears the number 0."""
    blocks = _blocks(upstream, key)
    check_sources([block.source for block in blocks], sentences, key)
    edits = [[edit for found in block.annotations() for edit in _real(found)] for block in blocks]
    texts = []
    for line, pair in enumerate(zip(sentences, edits, strict=True), 1):
        try:
            texts.append(apply_edits(*pair))
        except InputError:
            raise InputError(f"the edits of sentence {line} overlap", file=key) from None
    return References(name, texts, edits)


def _real(annotation: Annotation) -> tuple[Edit, ...]:
    return tuple(edit for edit in annotation.edits if edit.type != NOOP)


def nucle(upstream: Upstream, sentences: list[str]) -> list[References]:
    """Return the two official annotators."""
    return [_coded(upstream, key, f"nucle_{k}", sentences) for k, key in enumerate(OFFICIAL)]


def bn15(upstream: Upstream, sentences: list[str]) -> list[References]:
    """Return the ten annotators of Bryant & Ng 2015.

    The archive has no pinned hash, so its sentences must be the official ones, and A7 and A3 the official
    annotators (up to small differences, as another release might have).
    """
    keys = [f"bn15/A{number}.m2" for number in range(1, BN15_ANNOTATORS + 1)]
    found = [_coded(upstream, key, f"bn15_{key[5:-3]}", sentences) for key in keys]
    for official, number in zip(nucle(upstream, sentences), OFFICIAL_IN_BN15, strict=True):
        pairs = zip(official.texts, found[number - 1].texts, strict=True)
        if sum(one == other for one, other in pairs) < SAME_ANNOTATOR * len(sentences):
            raise InputError(f"A{number} is not the official annotator {official.name}", file=keys[number - 1])
    return found


def rewrites(upstream: Upstream, sentences: list[str], name: str) -> list[References]:
    """Return the two rewrites (A and B) of one set of Sakaguchi et al. 2016."""
    path = f"reassess/annotations/{REWRITES[name]}"
    return [References(f"{name}_{x}", upstream.lines(path + x, len(sentences))) for x in "AB"]


def everything(upstream: Upstream, sentences: list[str], *, with_bn15: bool) -> list[References]:
    """Return all references: NUCLE's two (or BN15's ten, which include them) and the eight rewrites."""
    coded = bn15(upstream, sentences) if with_bn15 else nucle(upstream, sentences)
    plain = [References(references.name, references.texts) for references in coded]
    return [*plain, *(one for name in REWRITES for one in rewrites(upstream, sentences, name))]


ReferenceSet = Callable[[Upstream, list[str]], list[References]]
REFERENCE_SETS: dict[str, ReferenceSet] = {
    "nucle": nucle,
    "bn15": bn15,
    **{name: partial(rewrites, name=name) for name in REWRITES},
    "all": partial(everything, with_bn15=False),
    "all_bn15": partial(everything, with_bn15=True),
}


def reference_rows(upstream: Upstream, _split: str, *, name: str) -> Iterator[Row]:
    """Yield sentences with the references of one set."""
    rows = sentence_rows(upstream)
    chosen = REFERENCE_SETS[name](upstream, [row["sentence"] for row in rows])
    for index, row in enumerate(rows):
        row["corrections"] = [references.texts[index] for references in chosen]
        row["reference_names"] = [references.name for references in chosen]
        coded = [references.edits[index] for references in chosen if references.edits is not None]
        if coded:
            row["annotations"] = annotation_rows(Annotation(k, tuple(edits)) for k, edits in enumerate(coded))
        yield row


def alternative_rows(upstream: Upstream, _split: str) -> Iterator[Row]:
    """Yield the official file with the teams' alternatives, up to five per sentence.

    Upstream numbers the distinct annotations of each sentence from 0, so a number names no one person.
    """
    rows = sentence_rows(upstream)
    blocks = _blocks(upstream, WITH_ALTERNATIVES)
    check_sources([block.source for block in blocks], [row["sentence"] for row in rows], WITH_ALTERNATIVES)
    for row, block in zip(rows, blocks, strict=True):
        published = sorted(block.annotations(), key=lambda found: found.annotator)
        annotations = [Annotation(found.annotator, _real(found)) for found in published] or [Annotation(0, ())]
        row["corrections"] = [apply_edits(row["sentence"], found.edits) for found in annotations]
        row["reference_names"] = [f"nucle_alt_{found.annotator}" for found in annotations]
        yield row | {"annotations": annotation_rows(annotations)}


def read_systems(upstream: Upstream, sentences: list[str]) -> dict[str, list[str]]:
    """Return the outputs of the twelve systems and the input."""
    outputs = {name: upstream.lines(f"{SUBMISSIONS}/{name}", len(sentences)) for name in (*SYSTEMS, INPUT)}
    check_sources(outputs[INPUT], sentences, INPUT)
    return outputs


def system_rows(upstream: Upstream, _split: str) -> Iterator[Row]:
    """Yield sentences with the twelve systems' outputs."""
    rows = sentence_rows(upstream)
    outputs = read_systems(upstream, [row["sentence"] for row in rows])
    for index, row in enumerate(rows):
        yield row | {name: lines[index] for name, lines in outputs.items()}


def extra_rows(upstream: Upstream, _split: str) -> Iterator[Row]:
    """Yield the sentences that were rewritten by six more people each (`Input.sentID` is 1-based here)."""
    rows = sentence_rows(upstream)
    workers = Pseudonyms()
    answers: dict[int, list[tuple[str, str]]] = {}
    columns = ("Input.sentID", "Input.sentence1", "Answer.Q1MultiLineTextInput", "WorkerId")
    for _, answer in parse_csv(upstream.text(EXTRA), columns, file=EXTRA):
        line = int(answer["Input.sentID"])
        if _letters(answer["Input.sentence1"]) != _letters(rows[line - 1]["sentence"]):
            raise InputError(f"the sentence shown is not sentence {line}", file=EXTRA)
        text = " ".join(html.unescape(answer["Answer.Q1MultiLineTextInput"]).split())
        answers.setdefault(line, []).append((text, workers[answer["WorkerId"]]))
    for line in sorted(answers):
        texts, names = zip(*answers[line], strict=True)
        yield rows[line - 1] | {"corrections": list(texts), "workers": list(names)}


def _letters(text: str) -> str:
    return "".join(html.unescape(text).split())
