"""The CoNLL-14 test set.

The rows have every published set of references, the outputs of the shared task's systems, and human rankings.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan

from gecbench.corpora.declaration import (
    ANNOTATIONS,
    Config,
    DatasetDeclaration,
    Field,
    HumanJudgments,
    ListOf,
    Row,
    Struct,
    annotation_rows,
    by_name,
)
from gecbench.corpora.upstream import BN15_ANNOTATORS, SOURCES, Upstream, check_sources
from gecbench.corpus.edits import Annotation, Edit, apply_edits
from gecbench.errors import InputError
from gecbench.formats.judgments import Place, Pseudonyms, Ranking, parse_mturk, parse_ranking_xml, relabel, shown_text
from gecbench.formats.m2 import NOOP, Block, parse_blocks
from gecbench.formats.tables import parse_csv

OFFICIAL = ("conll14/noalt/official-2014.0.m2", "conll14/noalt/official-2014.1.m2")
WITH_ALTERNATIVES = "conll14/alt/official-2014.combined-withalt.m2"
ESSAYS = "conll14/noalt/official-2014.0.sgml"
MERGED = "reassess/annotations/merged_ids"
EXTRA = "reassess/annotations/extra_fluency/results_extra-HITs.csv"
SUBMISSIONS = "grammatical/data/original/official_submissions"
EXPERT_JUDGMENTS = "grammatical/data/judgments.xml"
CROWD_JUDGMENTS = "reassess/inter_annotator_agreements/Ctrl_merged.csv"
REFERENCE_JUDGMENTS = "reassess/inter_annotator_agreements/Main_merged.csv"
JUDGMENT_SPLITS = ("expert", "crowd", "crowd_relabelled", "references")
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
    Field("id", "string", "number of the sentence in the official files, from 1"),
    Field("essay", "int32", "number of the essay, 1 to 50"),
    Field("paragraph", "int32", "number of the paragraph in the essay, from 0; the title is a paragraph"),
    Field("sentence_in_paragraph", "int32", "number of the sentence in the paragraph, from 0"),
    Field("kind", "string", "kind of paragraph: `TITLE` or `P`"),
    Field("merged", "bool", "true for 34 sentences that rewriters merged in pairs; Sakaguchi et al. 2016 omit them"),
    Field("sentence", "string", "the learner's sentence, tokenized"),
)
REFERENCE_FIELDS = (
    *SENTENCE_FIELDS,
    Field("corrections", ListOf("string"), "the references"),
    Field("reference_names", ListOf("string"), "the name of each reference in `corrections`"),
)
ANNOTATED_FIELDS = (
    *REFERENCE_FIELDS,
    Field("annotations", ANNOTATIONS, "edits; applying entry k to `sentence` gives entry k of `corrections`"),
)
SYSTEM_FIELDS = (
    *SENTENCE_FIELDS,
    *(Field(name, "string", f"output of {name}") for name in SYSTEMS),
    Field(INPUT, "string", "the unchanged input, ranked together with the systems"),
)
EXTRA_FIELDS = (
    *SENTENCE_FIELDS,
    Field("corrections", ListOf("string"), "six crowd rewrites: raw text with decoded HTML entities and single spaces"),
    Field("workers", ListOf("string"), "pseudonyms of the workers who wrote the rewrites: w1, w2, …"),
)
_OUTPUT = Struct((Field("systems", ListOf("string")), Field("rank", "float64"), Field("text", "string")))
JUDGMENT_FIELDS = (
    Field("item", "int32", "index of this ranking in the upstream file, from 0"),
    Field("id", "string", "number of the sentence, as in the other configurations"),
    Field("judge", "string", "pseudonym of the judge: as published for experts; w1, w2, … for crowd workers"),
    Field("approved", "bool", "false if the answer was rejected on the crowd platform; always true for experts"),
    Field("seconds", "float64", "time that the judge took, in seconds"),
    Field(
        "outputs",
        ListOf(_OUTPUT),
        "the ranked texts, each with its systems, its rank (lower is better, null if left blank) and the text itself",
    ),
)
_DOCUMENT = re.compile(r'<(DOC) nid="(\d+)">')
_TEXT = re.compile(r"<(TEXT)>")
_PARAGRAPH = re.compile(r"<(TITLE|P)>")


# Sentences


def sentence_rows(upstream: Upstream) -> list[Row]:
    """Return a row for each sentence, with the columns that all configurations share."""
    sentences = [block.source for block in _blocks(upstream, OFFICIAL[0])]
    places = place_sentences(sentences, upstream.text(ESSAYS))
    merged = set(read_merged_ids(upstream.lines(MERGED)))
    return [
        {"id": str(line), **place, "merged": line in merged, "sentence": sentence}
        for line, (sentence, place) in enumerate(zip(sentences, places, strict=True), 1)
    ]


def read_merged_ids(lines: list[str]) -> list[int]:
    """Return the numbers of the merged sentences.

    The file lists them as pairs of neighbors. One pair is 48 and 419, where 48 is a mistake for 418. So the first
    number of each pair is computed from the second.
    """
    numbers = [int(line) for line in lines if line]
    if len(numbers) % 2:
        problem = f"{len(numbers)} lines, but merged sentences are listed in pairs, one sentence number per line"
        raise InputError(problem, file=MERGED)
    return [number for second in numbers[1::2] for number in (second - 1, second)]


def _paragraphs(sgml: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield essay, paragraph number, kind (TITLE or P) and text."""
    for document, content in _elements(sgml, _DOCUMENT):
        text = next((inside for _, inside in _elements(content, _TEXT)), None)
        if text is None:
            raise InputError(f"essay {document[2]} has no <TEXT> element")
        for number, (paragraph, inside) in enumerate(_elements(text, _PARAGRAPH)):
            yield int(document[2]), number, paragraph[1], html.unescape(inside)


def _elements(sgml: str, opening: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the opening tag and the content of each element.

    The first group of the pattern `opening` is the name of the tag.
    """
    place = 0
    while tag := opening.search(sgml, place):
        end = sgml.find(f"</{tag[1]}>", tag.end())
        if end < 0:
            return
        yield tag, sgml[tag.end() : end]
        place = end


def place_sentences(sentences: Sequence[str], sgml: str) -> list[Row]:
    """Return the place of every sentence.

    A place is an essay, a paragraph, the number of the sentence in the paragraph, and the kind of paragraph. Sentences
    are matched with the text of the essays in order, ignoring white space. Paragraphs and the sentences in them are
    numbered from 0.
    """
    places: list[Row] = []
    remaining = iter(sentences)
    for essay, number, kind, text in _paragraphs(sgml):
        left = "".join(text.split())
        count = 0
        while left:
            sentence = next(remaining, None)
            if sentence is None:
                raise InputError(f"the sentences end before paragraph {number} of essay {essay}")
            letters = "".join(sentence.split())
            if not letters or not left.startswith(letters):
                raise InputError(f"sentence {len(places) + 1} is not in paragraph {number} of essay {essay}")
            left = left[len(letters) :]
            places.append({"essay": essay, "paragraph": number, "sentence_in_paragraph": count, "kind": kind})
            count += 1
    if next(remaining, None) is not None:
        raise InputError(f"the essays end before sentence {len(places) + 1}")
    return places


def _blocks(upstream: Upstream, key: str) -> list[Block]:
    return parse_blocks(upstream.lines(key), key)


# References


@dataclass(frozen=True)
class References:
    """A named set of references, one text per sentence.

    `edits` are the edits of each sentence, if published.
    """

    name: str
    texts: list[str]
    edits: list[list[Edit]] | None = None


ReferenceSet = Callable[[Upstream, list[str]], list[References]]
"""A function that reads the references of the given sentences."""


def _annotator(upstream: Upstream, key: str, name: str, sentences: list[str]) -> References:
    """Return the references in the file of one annotator.

    In this file, the annotator has the number 0.
    """
    blocks = _blocks(upstream, key)
    check_sources([block.source for block in blocks], sentences, key)
    edits = [[edit for found in block.annotations for edit in _without_noop(found)] for block in blocks]
    texts = []
    for line, pair in enumerate(zip(sentences, edits, strict=True), 1):
        try:
            texts.append(apply_edits(*pair))
        except InputError:
            raise InputError(f"the edits of sentence {line} overlap", file=key) from None
    return References(name, texts, edits)


def _without_noop(annotation: Annotation) -> tuple[Edit, ...]:
    return tuple(edit for edit in annotation.edits if edit.type != NOOP)


def nucle(upstream: Upstream, sentences: list[str]) -> list[References]:
    """Return the two official annotators."""
    return [_annotator(upstream, key, f"nucle_{k}", sentences) for k, key in enumerate(OFFICIAL)]


def bn15(upstream: Upstream, sentences: list[str]) -> list[References]:
    """Return the ten annotators of Bryant & Ng 2015.

    We have no hash to check the archive against. Instead, its sentences must be the official sentences, and its
    annotators A7 and A3 must agree with the two official annotators on at least 95% of the sentences.
    """
    keys = [f"bn15/A{number}.m2" for number in range(1, BN15_ANNOTATORS + 1)]
    found = [_annotator(upstream, key, f"bn15_{key[5:-3]}", sentences) for key in keys]
    for official, file, number in zip(nucle(upstream, sentences), OFFICIAL, OFFICIAL_IN_BN15, strict=True):
        pairs = zip(official.texts, found[number - 1].texts, strict=True)
        same = sum(one == other for one, other in pairs)
        if same < SAME_ANNOTATOR * len(sentences):
            count = f"{same:,} of {len(sentences):,}"
            problem = f"expected the same annotator as in {file}, but only {count} corrected texts are equal"
            fix = f"Replace the archive in the mirror or the cache with the file from {SOURCES['bn15'].url}"
            raise InputError(problem, file=keys[number - 1], fix=fix)
    return found


def rewrites(upstream: Upstream, sentences: list[str], name: str) -> list[References]:
    """Return the two rewrites (A and B) of one set of Sakaguchi et al. 2016."""
    path = f"reassess/annotations/{REWRITES[name]}"
    return [References(f"{name}_{x}", upstream.lines(path + x, len(sentences))) for x in "AB"]


def everything(upstream: Upstream, sentences: list[str], coded: ReferenceSet) -> list[References]:
    """Return all references as texts, without edits.

    They are the two references of NUCLE or the ten of BN15, and the eight rewrites.
    """
    plain = [References(found.name, found.texts) for found in coded(upstream, sentences)]
    return [*plain, *(one for name in REWRITES for one in rewrites(upstream, sentences, name))]


def reference_rows(upstream: Upstream, _split: str, *, read: ReferenceSet) -> Iterator[Row]:
    """Yield sentences with the references of one set."""
    rows = sentence_rows(upstream)
    chosen = read(upstream, [row["sentence"] for row in rows])
    for index, row in enumerate(rows):
        row["corrections"] = [references.texts[index] for references in chosen]
        row["reference_names"] = [references.name for references in chosen]
        coded = [references.edits[index] for references in chosen if references.edits is not None]
        if coded:
            row["annotations"] = annotation_rows(Annotation(k, tuple(edits)) for k, edits in enumerate(coded))
        yield row


def alternative_rows(upstream: Upstream, _split: str) -> Iterator[Row]:
    """Yield the sentences with the official annotations and the teams' alternatives.

    A sentence has up to five annotations. The file numbers the distinct annotations of each sentence from 0, so a
    number does not identify a person.
    """
    rows = sentence_rows(upstream)
    blocks = _blocks(upstream, WITH_ALTERNATIVES)
    check_sources([block.source for block in blocks], [row["sentence"] for row in rows], WITH_ALTERNATIVES)
    for row, block in zip(rows, blocks, strict=True):
        published = sorted(block.annotations, key=lambda found: found.annotator)
        annotations = [Annotation(found.annotator, _without_noop(found)) for found in published] or [Annotation(0, ())]
        row["corrections"] = [apply_edits(row["sentence"], found.edits) for found in annotations]
        row["reference_names"] = [f"nucle_alt_{found.annotator}" for found in annotations]
        yield row | {"annotations": annotation_rows(annotations)}


# System outputs and more rewrites


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
    """Yield the sentences that six more people rewrote.

    In the upstream file, `Input.sentID` counts from 1.
    """
    rows = sentence_rows(upstream)
    workers = Pseudonyms()
    answers: dict[int, list[tuple[str, str]]] = {}
    columns = ("Input.sentID", "Input.sentence1", "Answer.Q1MultiLineTextInput", "WorkerId")
    for _, answer in parse_csv(upstream.text(EXTRA), columns, file=EXTRA):
        line = int(answer["Input.sentID"])
        if _letters(answer["Input.sentence1"]) != _letters(rows[line - 1]["sentence"]):
            raise InputError(f"the sentence shown to the workers is not sentence {line} of CoNLL-14", file=EXTRA)
        text = " ".join(html.unescape(answer["Answer.Q1MultiLineTextInput"]).split())
        answers.setdefault(line, []).append((text, workers[answer["WorkerId"]]))
    for line in sorted(answers):
        texts, names = zip(*answers[line], strict=True)
        yield rows[line - 1] | {"corrections": list(texts), "workers": list(names)}


def _letters(text: str) -> str:
    return "".join(html.unescape(text).split())


# Judgments


def judgment_rows(upstream: Upstream, split: str) -> Iterator[Row]:
    """Yield the rankings of one split."""
    for number, ranking in enumerate(read_rankings(upstream, split)):
        yield {
            "item": number,
            "id": str(ranking.sentence + 1),
            "judge": ranking.judge,
            "approved": ranking.approved,
            "seconds": ranking.seconds,
            "outputs": [_output(place) for place in ranking.places],
        }


def read_rankings(upstream: Upstream, split: str) -> list[Ranking]:
    """Return the rankings of one split, with the ranked texts.

    Sentences are numbered from 0.
    """
    if split == "expert":
        return _expert_rankings(upstream)
    found = _crowd_rankings(upstream, REFERENCE_JUDGMENTS if split == "references" else CROWD_JUDGMENTS)
    return relabel(found, system_outputs(upstream)) if split == "crowd_relabelled" else found


def system_outputs(upstream: Upstream) -> dict[str, list[str]]:
    """Return the outputs of the twelve systems and the input."""
    return read_systems(upstream, [row["sentence"] for row in sentence_rows(upstream)])


def _expert_rankings(upstream: Upstream) -> list[Ranking]:
    """Return the experts' rankings.

    In the upstream file, `src-id` counts from 0. Systems in one group have the same output.
    """
    outputs = system_outputs(upstream)

    def with_text(sentence: int, place: Place) -> Place:
        return replace(place, text=outputs[place.systems[0]][sentence])

    return [
        replace(ranking, places=tuple(with_text(ranking.sentence, place) for place in ranking.places))
        for ranking in parse_ranking_xml(upstream.text(EXPERT_JUDGMENTS), file=EXPERT_JUDGMENTS)
    ]


def _crowd_rankings(upstream: Upstream, key: str) -> list[Ranking]:
    """Return the rankings in a file of the crowd, including rejected ones.

    A worker has the same pseudonym in both files.
    """
    workers = Pseudonyms()
    found = {
        file: parse_mturk(upstream.text(file), file=file, statuses=None, workers=workers)
        for file in (CROWD_JUDGMENTS, REFERENCE_JUDGMENTS)
    }
    return [
        replace(ranking, places=tuple(replace(place, text=shown_text(place.text or "")) for place in ranking.places))
        for ranking in found[key]
    ]


def _output(place: Place) -> Row:
    rank = None if isnan(place.rank) else float(place.rank)
    return {"systems": list(place.systems), "rank": rank, "text": place.text}


# The dataset

_SCORED_ON = "conll14_fluency:expert_fluency"


_SENTENCE_FILES = (OFFICIAL[0], ESSAYS, MERGED)


def _references(
    name: str, description: str, read: ReferenceSet, *files: str, coded: bool = False, pinned: bool = True
) -> Config:
    fields, metric = (ANNOTATED_FIELDS, "m2") if coded else (REFERENCE_FIELDS, None)
    rows = partial(reference_rows, read=read)
    return Config(name, description, fields, ("test",), rows, pinned, metric, files=(*_SENTENCE_FILES, *files))


def _rewrites(name: str, description: str) -> Config:
    return _references(name, description, partial(rewrites, name=name), f"reassess/annotations/{REWRITES[name]}")


def _systems() -> Mapping[str, list[str]]:
    return system_outputs(Upstream.from_environment())


def _approved(split: str) -> Callable[[], list[Ranking]]:
    return lambda: [one for one in read_rankings(Upstream.from_environment(), split) if one.approved]


DATASET = DatasetDeclaration(
    name="conll14_fluency",
    aliases={"conll14": "nucle", "conll14:alt": "nucle_alt", "bn15": "bn15"},
    title="CoNLL-14 with fluency and minimal rewrites",
    short_title="CoNLL-14",
    homepage="https://github.com/keisks/reassess-gec",
    license="other",
    redistributable=False,
    sources=("conll14", "bn15", "reassess", "grammatical"),
    default_config="all",
    several_reference_sets=True,
    configs=by_name(
        _references("nucle", "the two official annotators", nucle, *OFFICIAL, coded=True),
        Config(
            "nucle_alt",
            "the official annotations and the alternatives of the teams: one to five references per sentence",
            ANNOTATED_FIELDS,
            ("test",),
            alternative_rows,
            metric="m2",
            files=(*_SENTENCE_FILES, WITH_ALTERNATIVES),
        ),
        _references("bn15", "the ten annotators of Bryant & Ng 2015", bn15, "bn15/", coded=True, pinned=False),
        _rewrites("expert_fluency", "two fluency rewrites by experts"),
        _rewrites("nonexpert_fluency", "two fluency rewrites by the crowd"),
        _rewrites("expert_minimal", "two minimal rewrites by experts"),
        _rewrites("nonexpert_minimal", "two minimal rewrites by the crowd"),
        _references(
            "all",
            "ten references: the two official annotators and the eight rewrites",
            partial(everything, coded=nucle),
            *OFFICIAL,
            *(f"reassess/annotations/{folder}" for folder in REWRITES.values()),
        ),
        _references(
            "all_bn15",
            "eighteen references: the ten of Bryant & Ng and the eight rewrites",
            partial(everything, coded=bn15),
            "bn15/",
            *(f"reassess/annotations/{folder}" for folder in REWRITES.values()),
            pinned=False,
        ),
        Config(
            "systems",
            "outputs of the twelve systems of the shared task, and the input",
            SYSTEM_FIELDS,
            ("test",),
            system_rows,
        ),
        Config(
            "judgments",
            "the crowd's rankings of references, and rankings of systems by experts and the crowd",
            JUDGMENT_FIELDS,
            JUDGMENT_SPLITS,
            judgment_rows,
        ),
        Config(
            "extra_fluency",
            "six more crowd rewrites of each of twenty sentences",
            EXTRA_FIELDS,
            ("test",),
            extra_rows,
        ),
    ),
    tokenization="NLTK",
    citation="Ng et al. 2014, The CoNLL-2014 Shared Task; Sakaguchi et al. 2016, Reassessing the Goals of GEC; "
    "bn15: Bryant & Ng 2015, How Far are We from Fully Automatic High Quality GEC?",
    judgments={
        "conll14": HumanJudgments(
            "eight experts ranked twelve systems and the input (Grundkiewicz et al. 2015)",
            _approved("expert"),
            _systems,
            _SCORED_ON,
        ),
        "conll14-crowd": HumanJudgments(
            "crowd workers ranked the systems of conll14 (Sakaguchi et al. 2016); system names are corrected",
            _approved("crowd_relabelled"),
            _systems,
            _SCORED_ON,
        ),
        "conll14-references": HumanJudgments(
            "crowd workers ranked five sets of references and the input (Sakaguchi et al. 2016)",
            _approved("references"),
        ),
    },
)
