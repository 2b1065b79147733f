"""JFLEG (Napoles et al. 2017) with GUG judgments (Heilman et al. 2014).

The rows are made from the upstream files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from gecbench.corpora.declaration import (
    ANNOTATIONS,
    Config,
    DatasetDeclaration,
    Field,
    HumanJudgments,
    ListOf,
    Row,
    annotation_rows,
    by_name,
)
from gecbench.corpora.upstream import Upstream, check_sources
from gecbench.corpus.edits import Annotation, extract_all_edits
from gecbench.errors import InputError, counted
from gecbench.formats.judgments import Ranking, parse_jfleg_pairwise
from gecbench.formats.m2 import parse_blocks
from gecbench.formats.tables import parse_csv

REFERENCES = 4
FOLDER = {"validation": "dev", "test": "test"}
CODED_COLUMNS = {"Original": "the sentence", "Reference": "the rewrite"} | {
    name: f"the output of {name}" for name in ("AMU", "CAMB14", "CAMB16", "NUS")
}
PAIRWISE = "jfleg/EACL_exp/mturk/pairwise.csv"
CODED = "jfleg/EACL_exp/manual_eval/coded_sentences.csv"
GUG = "gug/gug_annotations.tsv"
CROWD_SIZE = 5
SPLIT_OF_GUG_SET = {"test": "validation", "dev": "test"}

ID = Field("id", "string", "upstream file and line (from 1), such as `dev-1`")
SENTENCE = Field("sentence", "string", "the learner's sentence, tokenized, trailing space removed")
GUG_ID = Field("gug_id", "int32", "number of the sentence in GUG")

DEFAULT_FIELDS = (
    ID,
    SENTENCE,
    Field("corrections", ListOf("string"), "the four rewrites, in upstream order (ref0 to ref3)"),
    Field("spellchecked", "string", "the source after the authors' spell checker (in lower case in the test split)"),
    GUG_ID,
    Field("gug_expert", "int32", "the expert's judgment, 1 (incomprehensible) to 4 (perfect)"),
    Field("gug_crowd", ListOf("int32"), "the five crowd judgments, on the same scale"),
    Field("gug_average", "float64", "mean of the six judgments"),
)
M2_FIELDS = (
    ID,
    SENTENCE,
    Field(
        "annotations",
        ANNOTATIONS,
        "edits of each rewrite, derived by token alignment; applying them to `sentence` gives the rewrite",
    ),
    Field(
        "upstream_annotations",
        ANNOTATIONS,
        "edits of the upstream M2 file, with its `noop` lines; applying them does not always give the rewrites",
    ),
)
JUDGMENT_FIELDS = (
    ID,
    GUG_ID,
    Field("judge", "string", "upstream pseudonym of the judge"),
    Field("setting", "string", "`five-way` (pair from a ranking of five texts) or `nus` (pair with the system NUS)"),
    Field("system1", "string", "first system, named as in the paper's tables"),
    Field("system2", "string", "second system, named as in the paper's tables"),
    Field("rank1", "int32", "rank of system1; lower is better"),
    Field("rank2", "int32", "rank of system2; equal ranks are a tie"),
)
CODED_FIELDS = (
    ID,
    GUG_ID,
    Field("sentence", "string", "the learner's sentence as in `coded_sentences.csv`, not tokenized"),
    Field("reference", "string", "the rewrite as in `coded_sentences.csv`, not tokenized"),
    *(
        Field(f"codes_{name.lower()}", "string", f"letters that stand for errors or edits in {text}")
        for name, text in CODED_COLUMNS.items()
    ),
)


def read_gug(upstream: Upstream, split: str | None = None) -> list[tuple[str, str, Row]]:
    """Return the set, sentence and judgments (1 to 4) of each GUG row.

    With `split`, return only the rows of this split.
    """
    columns = ("Id", "Sentence", "Expert Judgement", "Crowd Flower Judgements", "Average", "Dataset")
    found = []
    for _, row in parse_csv(upstream.text(GUG), columns, file=GUG, delimiter="\t"):
        if split is not None and SPLIT_OF_GUG_SET.get(row["Dataset"]) != split:
            continue
        judged = {
            "gug_id": int(row["Id"]),
            "gug_expert": int(row["Expert Judgement"]),
            "gug_crowd": json.loads(row["Crowd Flower Judgements"]),
            "gug_average": float(row["Average"]),
        }
        found.append((row["Dataset"], row["Sentence"], judged))
    return found


def comparison_key(sentence: str) -> str:
    """Return a sentence without white space and with plain quotation marks.

    JFLEG's tokenization changed both, so they are ignored when sentences are compared.
    """
    joined = "".join(sentence.split()).replace("&raspsquo;", "'")
    return joined.replace("``", '"').replace("''", '"')


def _gug_judgments(upstream: Upstream, sentences: list[str], split: str) -> list[Row]:
    """Return the GUG judgments of every JFLEG sentence.

    Sentence i is the i-th GUG row of the split.
    """
    rows = [(text, judged) for _, text, judged in read_gug(upstream, split)]
    if len(rows) != len(sentences):
        problem = (
            f"{counted(len(rows), 'row')} for the {split} split, but JFLEG has {counted(len(sentences), 'sentence')}"
        )
        raise InputError(problem, file=GUG)
    for number, (sentence, (text, judged)) in enumerate(zip(sentences, rows, strict=True), 1):
        if comparison_key(sentence) != comparison_key(text):
            raise InputError(
                f"GUG row {judged['gug_id']} differs from sentence {number} of the {split} split", file=GUG
            )
        if len(judged["gug_crowd"]) != CROWD_SIZE:
            found = counted(len(judged["gug_crowd"]), "crowd judgment")
            raise InputError(f"GUG row {judged['gug_id']} has {found}, not {CROWD_SIZE}", file=GUG)
    return [judged for _, judged in rows]


def _lines(upstream: Upstream, split: str, name: str, expected: int | None = None) -> list[str]:
    folder = FOLDER[split]
    return upstream.lines(f"jfleg/{folder}/{folder}.{name}", expected)


def _rewrites(upstream: Upstream, split: str, expected: int) -> list[list[str]]:
    return [_lines(upstream, split, f"ref{k}", expected) for k in range(REFERENCES)]


def default_rows(upstream: Upstream, split: str) -> Iterator[Row]:
    """Yield sentences with rewrites and GUG judgments."""
    sentences = _lines(upstream, split, "src")
    references = _rewrites(upstream, split, len(sentences))
    spellchecked = _lines(upstream, split, "spellchecked.src", len(sentences))
    judged = _gug_judgments(upstream, sentences, split)
    for index, sentence in enumerate(sentences):
        yield {
            "id": f"{FOLDER[split]}-{index + 1}",
            "sentence": sentence,
            "corrections": [lines[index] for lines in references],
            "spellchecked": spellchecked[index],
            **judged[index],
        }


def m2_rows(upstream: Upstream, split: str) -> Iterator[Row]:
    """Yield the sentences with two versions of the edits of each rewrite.

    One version is derived from the texts, the other is as published.
    """
    sentences = _lines(upstream, split, "src")
    references = _rewrites(upstream, split, len(sentences))
    name = f"jfleg/EACL_exp/m2converter/{FOLDER[split]}.ref.m2"
    blocks = parse_blocks(upstream.lines(name), name)
    check_sources([block.source for block in blocks], sentences, name)
    extracted = extract_all_edits(sentences, list(zip(*references, strict=True)))
    for index, (sentence, block) in enumerate(zip(sentences, blocks, strict=True)):
        derived = [Annotation(k, edits) for k, edits in enumerate(extracted[index])]
        yield {
            "id": f"{FOLDER[split]}-{index + 1}",
            "sentence": sentence,
            "annotations": annotation_rows(derived),
            "upstream_annotations": annotation_rows(block.annotations),
        }


def _lines_by_gug_id(upstream: Upstream, split: str) -> dict[int, int]:
    judged = _gug_judgments(upstream, _lines(upstream, split, "src"), split)
    return {row["gug_id"]: line for line, row in enumerate(judged, 1)}


def read_rankings(upstream: Upstream) -> list[Ranking]:
    """Return the pairwise human judgments.

    They have the system names of the paper and the sentence numbers of GUG.
    """
    return parse_jfleg_pairwise(upstream.text(PAIRWISE), file=PAIRWISE)


def judgment_rows(upstream: Upstream, split: str) -> Iterator[Row]:
    """Yield the pairwise human judgments, one pair per row.

    The system NUS was ranked separately from the others.
    """
    lines = _lines_by_gug_id(upstream, split)
    for ranking in read_rankings(upstream):
        first, second = ranking.places
        names = (first.systems[0], second.systems[0])
        yield {
            "id": f"{FOLDER[split]}-{lines[ranking.sentence]}",
            "gug_id": ranking.sentence,
            "judge": ranking.judge,
            "setting": "nus" if "NUS" in names else "five-way",
            "system1": names[0],
            "system2": names[1],
            "rank1": int(first.rank),
            "rank2": int(second.rank),
        }


def coded_rows(upstream: Upstream, split: str) -> Iterator[Row]:
    """Yield the hand-coded sentences.

    Letters stand for the errors in the source, in a rewrite and in four outputs.
    """
    lines = _lines_by_gug_id(upstream, split)
    columns = ("ID", "Original sentence", "Reference sentence", *CODED_COLUMNS)
    for _, row in parse_csv(upstream.text(CODED), columns, file=CODED):
        gug_id = int(row["ID"])
        yield {
            "id": f"{FOLDER[split]}-{lines[gug_id]}",
            "gug_id": gug_id,
            "sentence": row["Original sentence"],
            "reference": row["Reference sentence"],
            **{f"codes_{name.lower()}": row[name] for name in CODED_COLUMNS},
        }


_BOTH = ("validation", "test")

DATASET = DatasetDeclaration(
    name="jfleg",
    title="JFLEG with GUG judgments",
    short_title="JFLEG",
    homepage="https://github.com/keisks/jfleg",
    license="cc-by-nc-sa-4.0",
    redistributable=True,
    sources=("jfleg", "gug"),
    default_config="default",
    configs=by_name(
        Config("default", "sentences, four rewrites, GUG judgments", DEFAULT_FIELDS, _BOTH, default_rows),
        Config(
            "m2",
            "edits of each rewrite, in two versions: derived from the rewrite, and as published",
            M2_FIELDS,
            _BOTH,
            m2_rows,
        ),
        Config(
            "judgments",
            "human judgments of pairs of texts (outputs of four systems, a rewrite, the input)",
            JUDGMENT_FIELDS,
            ("validation",),
            judgment_rows,
        ),
        Config("coded", "the 100 hand-coded sentences", CODED_FIELDS, ("validation",), coded_rows),
    ),
    tokenization="NLTK",
    citation="Napoles et al. 2017, JFLEG: A Fluency Corpus and Benchmark for Grammatical Error Correction",
    judgments={
        "jfleg": HumanJudgments(
            "two judges ranked four systems, a rewrite and the input (Napoles et al. 2017); the outputs are not public",
            lambda: read_rankings(Upstream.from_environment()),
        )
    },
)
