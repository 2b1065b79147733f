"""One record per submission: who, on what, which figures, how they were made. Frozen, validated, content-addressed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from gecbench.corpora.load import CORPUS_FILES
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.leaderboard import schema

SCHEMA = 2
Figure = Mapping[str, Any]
BoardTable = tuple[str, str]

_FIGURE = {
    "value": schema.number,
    "low": schema.optional(schema.number),
    "high": schema.optional(schema.number),
    "parts": schema.mapping_of(schema.METRIC_NAME, schema.number),
    "bounded": schema.optional(schema.count),
    "human": schema.optional(schema.number),
    "against_others": schema.optional(schema.number),
    "ratio": schema.optional(schema.number),
    "signature": schema.text(500),
    "source": schema.optional(schema.fields_of(schema.LINK)),
    "differs": schema.text(),
}
_NO_FIGURE: Figure = dict.fromkeys(_FIGURE) | {"parts": {}, "signature": "", "differs": ""}
ABOUT: Mapping[str, schema.Check] = {
    "system": schema.text(schema.LONGEST_NAME, empty=False),
    "date": schema.day,
    "submitter": schema.text(schema.LONGEST_NAME),
    "description": schema.text(),
    "links": schema.list_of(schema.fields_of(schema.LINK), schema.MOST_LINKS),
}
_FIELDS: Mapping[str, schema.Check] = {
    **ABOUT,
    "schema": schema.one_of(SCHEMA),
    "kind": schema.one_of("scored", "reported"),
    "role": schema.one_of("system", "human", "source"),
    "corpus": schema.text(schema.LONGEST_NAME, empty=False),
    "reference_set": schema.text(schema.LONGEST_NAME, empty=False),
    "fingerprint": schema.text(64),
    "sentences": schema.optional(schema.count),
    "scores": schema.mapping_of(schema.METRIC_NAME, schema.fields_of(_FIGURE)),
    "outputs": schema.optional(schema.digest),
    "details": schema.optional(schema.digest),
    "unchanged": schema.optional(schema.number),
}
_GROUP = {"label": schema.text(), "sentences": schema.count, "value": schema.optional(schema.number)}
_RATIO = schema.optional(schema.number)
TYPE_FIELDS: Mapping[str, schema.Check] = {
    "type": schema.text(schema.LONGEST_NAME),
    "gold": schema.count,
    "correct": schema.count,
    "recall": _RATIO,
    "precision": _RATIO,
    "value": _RATIO,
}
_GROUPS = schema.mapping_of(schema.METRIC_NAME, schema.list_of(schema.fields_of(_GROUP)))
_DETAILS: Mapping[str, schema.Check] = {
    "predictions": schema.list_of(schema.string),
    "sentence_scores": schema.mapping_of(schema.METRIC_NAME, schema.list_of(schema.optional(schema.number))),
    "by_distance": _GROUPS,
    "by_grammaticality": _GROUPS,
    "by_type": schema.mapping_of(schema.METRIC_NAME, schema.list_of(schema.fields_of(TYPE_FIELDS))),
}


@dataclass(frozen=True)
class Record:
    """A system's figures on one corpus and reference set.

    `scores[metric]` is a `figure`; its `fingerprint` is the version of the corpus. `outputs` is the SHA-256 of the
    predictions, `details` that of the file that holds them.
    """

    system: str
    corpus: str
    scores: Mapping[str, Figure]
    date: str
    reference_set: str = "default"
    kind: str = "scored"
    role: str = "system"
    fingerprint: str = ""
    sentences: int | None = None
    submitter: str = ""
    description: str = ""
    links: Sequence[Mapping[str, str]] = ()
    outputs: str | None = None
    details: str | None = None
    unchanged: float | None = None
    schema: int = field(default=SCHEMA, kw_only=True)

    def __post_init__(self) -> None:
        schema.check_fields({**vars(self)}, _FIELDS)
        if self.kind == "scored" and not (self.outputs and self.details):
            raise InputError("a scored record has no outputs")
        if not self.scores:
            raise InputError("the record has no scores")

    @property
    def table(self) -> BoardTable:
        """Corpus and reference set: records of one table are ranked together."""
        return self.corpus, self.reference_set

    @cached_property
    def id(self) -> str:
        """SHA-256 of the record as it is written."""
        return digest(self.to_json())

    def to_json(self) -> bytes:
        """Return the record as canonical JSON: the same record is always the same bytes."""
        return canonical(asdict(self))

    @classmethod
    def from_json(cls, data: bytes) -> Record:
        """Read a record, or say what is wrong with it."""
        value = _upgraded(parse(data))
        schema.check_fields(value, _FIELDS)
        return cls(**value)


def figure(value: float, **known: Any) -> Figure:
    """Return a figure: a value and what is known of it.

    `low` and `high` are its interval, `parts` those that tables show beside it, `bounded` the number of sentences that
    were scored in a cheaper way. `human` is people's mean score, each against the others, `against_others` the
    system's against the same others, and `ratio` their quotient. A reported figure has its `source`, and what makes it
    `differ` from what is scored here.
    """
    return {**_NO_FIGURE, "value": value, **known}


def _upgraded(record: Any) -> Any:
    """Return a record of schema 1 with the figures' new fields, all empty."""
    if not isinstance(record, dict) or record.get("schema") != 1 or not isinstance(record.get("scores"), dict):
        return record
    scores = {name: {**_NO_FIGURE, **old} if isinstance(old, dict) else old for name, old in record["scores"].items()}
    return {**record, "schema": SCHEMA, "scores": scores}


@dataclass(frozen=True)
class Details:
    """A system's predictions, the scores of each sentence by metric, and scores of groups of sentences or edits.

    The groups are by edit distance, by how grammatical the source was judged, and by error type.
    """

    predictions: Sequence[str]
    sentence_scores: Mapping[str, Sequence[float]] = field(default_factory=dict)
    by_distance: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    by_grammaticality: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    by_type: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        schema.check_fields({**vars(self)}, _DETAILS, "details")
        if any(len(scores) != len(self.predictions) for scores in self.sentence_scores.values()):
            raise InputError("the details differ in length")

    @property
    def outputs(self) -> str:
        """SHA-256 of the predictions alone: two submissions of the same outputs share it."""
        return digest(canonical(self.predictions))

    def to_json(self) -> bytes:
        """Return the details as canonical JSON."""
        return canonical(asdict(self))

    @classmethod
    def from_json(cls, data: bytes) -> Details:
        """Read details, or say what is wrong with them."""
        value = parse(data)
        if not isinstance(value, dict) or not {"predictions"} <= set(value) <= set(_DETAILS):
            raise InputError("the details have other fields")
        return cls(**value)


def table_of(corpus: Corpus) -> BoardTable:
    """Return the name and the reference set under which a corpus is listed.

    >>> table_of(Corpus(sources=["a"], name="conll14_fluency:nucle:test"))
    ('conll14_fluency:test', 'nucle')
    """
    parts = corpus.name.split(":")
    if len(parts) == 3:
        return f"{parts[0]}:{parts[2]}", parts[1]
    file = Path(Path(corpus.name).name.removesuffix(".gz"))
    return file.stem if file.suffix in CORPUS_FILES else file.name, "default"


def canonical(value: object) -> bytes:
    """Return a value as JSON in one form only: sorted keys, no blanks, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def parse(data: bytes) -> Any:
    """Read JSON, or say that it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error})") from error


def digest(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()
