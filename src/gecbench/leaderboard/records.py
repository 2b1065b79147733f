"""The files of a board: records, their details, and settings.

The files are validated, and written as canonical JSON. Each field is declared with a check: a small function that
raises an `InputError` with the name of the field.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import date as calendar_date
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.declaration import Config, DatasetDeclaration
from gecbench.corpora.load import CORPUS_FILES
from gecbench.corpus.corpus import Corpus
from gecbench.display import is_plain
from gecbench.errors import InputError
from gecbench.metrics.base import METRICS

SCHEMA = 2
SETTINGS_FILE = "board.json"
LOGOS = ("logo.svg", "logo.png", "logo.jpg", "logo.jpeg", "logo.webp")
PRIVATE_DIGITS = 1
PRIVATE_MIN_CHANGES = 20
_DIGITS = 2
APPROACHES = ("LLM", "seq2seq", "tagger", "rules", "hybrid", "statistical MT", "classifiers")
LONGEST_NAME = 200
LONGEST_TEXT = 2_000
MOST_LINKS = 10
METRIC_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_BLANK = re.compile("[\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]")
"""Invisible letters and symbols of Unicode: Hangul fillers, two Khmer vowels, the empty Braille pattern."""
DIGEST = re.compile(r"[0-9a-f]{64}")

Figure = Mapping[str, Any]
Groups = Sequence[Mapping[str, Any]]
BoardTable = tuple[str, str]
Check = Callable[[object, str], None]


def canonical_json(value: object) -> bytes:
    """Return a value as JSON with sorted keys, without blanks, in ASCII.

    Equal values give equal bytes.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def parse_json(data: bytes) -> Any:
    """Parse JSON, or raise an error that says why it cannot be parsed."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error})") from error


def parse_canonical(data: bytes) -> Any:
    """Parse canonical JSON, and refuse all other forms of JSON.

    If other forms were accepted, the same content could have two hashes and two files.
    """
    value = parse_json(data)
    try:
        canonical = canonical_json(value)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error})") from error
    if canonical != data:
        raise InputError("the file was not written by gecbench", fix="Add the record with gecbench leaderboard submit")
    return value


def digest(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def check_names(value: object, names: Iterable[str], where: str) -> None:
    """Refuse a value that is not an object with exactly these fields."""
    if not isinstance(value, dict):
        raise InputError(f"{where} is not a JSON object")
    if missing := sorted(set(names) - set(value)):
        raise InputError(f"{where} lacks the {_fields(missing)}")
    if unknown := sorted(set(value) - set(names)):
        raise InputError(f"{where} has the unknown {_fields(unknown)}")


def _fields(names: Sequence[str]) -> str:
    return f"{'field' if len(names) == 1 else 'fields'} {', '.join(map(str, names))[:200]}"


def object_of(checks: Mapping[str, Check]) -> Check:
    """Return a check for an object with exactly these fields."""

    def check_object(value: Any, where: str) -> None:
        check_names(value, checks, where)
        for name, check in checks.items():
            check(value[name], name)

    return check_object


def mapping_of(check: Check, names: re.Pattern[str] = METRIC_NAME, most: int = 50) -> Check:
    """Return a check for an object whose values pass `check`.

    The object may have at most `most` keys, and all keys must match `names`.
    """

    def check_all(value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{where} is not a JSON object")
        _check_size(value, where, most)
        for name, item in value.items():
            if not names.fullmatch(name):
                raise InputError(f"{where} has the invalid key {name!r:.80}", fix="Use a short lower-case name")
            check(item, f"{where}.{name}")

    return check_all


def list_of(check: Check, most: int = 10**9) -> Check:
    """Return a check for a list of at most `most` values that pass `check`."""

    def check_all(value: object, where: str) -> None:
        if not isinstance(value, (list, tuple)):
            raise InputError(f"{where} is not a list")
        _check_size(value, where, most)
        for i, item in enumerate(value):
            check(item, f"{where}[{i}]")

    return check_all


def _check_size(value: Sequence[object] | Mapping[str, object], where: str, most: int) -> None:
    if len(value) > most:
        raise InputError(f"{where} has {len(value):,} entries, but at most {most:,} are allowed")


def optional(check: Check) -> Check:
    """Return a check that also accepts None."""
    return lambda value, where: None if value is None else check(value, where)


def predicate(holds: Callable[[Any], bool], words: str) -> Check:
    """Return a check that `holds` is true of a value.

    Booleans never pass, because Python counts them as integers. The error message ends with "not" and `words`, such as
    "not a SHA-256".
    """

    def check(value: object, where: str) -> None:
        if isinstance(value, bool) or not holds(value):
            raise InputError(f"{where} is {value!r:.80}, not {words}")

    return check


def one_of(*allowed: object) -> Check:
    """Return a check for one of some values."""
    return predicate(lambda value: value in allowed, f"one of {', '.join(map(repr, allowed))}")


number = predicate(lambda value: isinstance(value, (int, float)) and -1e6 < value < 1e6, "a number below a million")
count = predicate(lambda value: isinstance(value, int) and value >= 0, "a whole number of at least 0")
sha256 = predicate(lambda value: isinstance(value, str) and bool(DIGEST.fullmatch(value)), "a SHA-256")


def boolean(value: object, where: str) -> None:
    """Check for true or false."""
    if not isinstance(value, bool):
        raise InputError(f"{where} is not true or false")


def string(value: object, where: str) -> None:
    """Check for any text."""
    if not isinstance(value, str):
        raise InputError(f"{where} is not text")


def text(longest: int = LONGEST_TEXT, *, empty: bool = True) -> Check:
    """Return a check for one line of printable text."""

    def check(value: object, where: str) -> None:
        string(value, where)
        value = str(value)
        if not value.strip() and not empty:
            raise InputError(f"{where} is empty", fix="Enter at least one visible character")
        if len(value) > longest:
            problem = f"{where} has {len(value):,} characters, but at most {longest:,} are allowed"
            raise InputError(problem, fix="Shorten it")
        if not (value.isprintable() or all(map(is_plain, value))):
            raise InputError(
                f"{where} contains a control character or a text direction mark", fix="Use one line of plain text"
            )
        if blank := _BLANK.search(value):
            found = f"U+{ord(blank[0]):04X} (character {blank.start() + 1})"
            raise InputError(f"{where} contains the invisible character {found}", fix="Remove this character")
        if not empty and not any(unicodedata.category(character)[0] in "LNPS" for character in value):
            raise InputError(f"{where} has no visible character", fix="Enter at least one")

    return check


def iso_date(value: object, where: str) -> None:
    """Check for a date such as 2026-11-17, a month (2026-11) or a year (2026)."""
    form = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", value) if isinstance(value, str) else None
    try:
        if form and calendar_date(int(form[1]), int(form[2] or 1), int(form[3] or 1)):
            return
    except ValueError:
        pass
    raise InputError(f"{where} is {value!r:.80}, not a date", fix="Write it as 2026-11-17")


def web_address(value: object, where: str) -> None:
    """Check for an absolute http or https address."""
    text(500, empty=False)(value, where)
    try:
        parts = urlsplit(str(value))
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in str(value)
    except ValueError:
        good = False
    if not good:
        raise InputError(f"{where} is {value!r:.80}, not a link", fix="Links start with http:// or https://")


_NAME = text(LONGEST_NAME, empty=False)
_YEAR = predicate(lambda value: isinstance(value, int) and 1950 <= value <= 2100, "a year from 1950 to 2100")
_SCHEMA = predicate(lambda value: value == SCHEMA, f"{SCHEMA}, the schema that this version of gecbench writes")
_ABOUT_SYSTEM: Mapping[str, Any] = {"year": None, "approach": "", "size": "", "open_weights": None}
_LINK = object_of({"title": text(LONGEST_NAME), "url": web_address})
_FIGURE_FIELDS: Mapping[str, Check] = {
    "value": number,
    "low": optional(number),
    "high": optional(number),
    "parts": mapping_of(number),
    "capped": optional(count),
    "human": optional(number),
    "against_others": optional(number),
    "ratio": optional(number),
    "signature": text(500),
    "source": optional(_LINK),
    "differs": text(),
}
_EMPTY_FIGURE: Figure = dict.fromkeys(_FIGURE_FIELDS) | {"parts": {}, "signature": "", "differs": ""}
_GROUPS = mapping_of(list_of(object_of({"label": text(), "sentences": count, "value": optional(number)})))
TYPE_FIELDS: Mapping[str, Check] = {
    "type": text(LONGEST_NAME),
    "gold": count,
    "correct": count,
    "recall": optional(number),
    "precision": optional(number),
    "value": optional(number),
}
NOTES: Mapping[str, str] = {
    "p": "p: probability of a difference this large by chance (paired bootstrap). The first system of a cluster is "
    "tested against the first system of the cluster above. All other systems are tested against the first system of "
    "their own cluster",
    "p_adjusted": "p (Holm): p, adjusted by Holm's method for all tests against the same system. *: below 0.05",
    "human": "human: mean score of an annotator against the others' references. same refs: the system's score against "
    "the same references. % human: same refs divided by human",
    "cluster": "The systems of a cluster do not differ significantly from its first system. The first systems of two "
    "neighboring clusters differ significantly (*: p < 0.05, adjusted by Holm's method)",
    "capped": "Capped sentences have too many mixed references (mixes of several annotators' corrections) to search, "
    "so they are scored against their best single annotator",
    "reported": "Results as reported by others are not ranked, because their data or settings may differ",
}
"""Explanations that are printed below the scores."""


def figure(value: float, **known: Any) -> Figure:
    """Return a figure: a score with everything that a board shows about it.

    Args:
        value: The score.
        **known: Other fields. Fields that are not given stay empty. `low` and `high` are the limits of the interval.
            `parts` are measures that are shown with the score, such as precision. `capped` is the number of sentences
            whose mixed references were too many to search. `human` is the mean score of one annotator against the
            others. `against_others` is the system's score against the same references. `ratio` is `against_others`
            divided by `human`. `signature` has the settings. A reported figure has its `source`, and `differs` says
            how its data or settings differ from those of gecbench.
    """
    return {**_EMPTY_FIGURE, "value": value, **known}


def checked(check: Check, **options: Any) -> Any:
    """Declare a field of a dataclass with its check.

    `options` are passed to `dataclasses.field`.
    """
    return field(metadata={"check": check}, **options)


def check_fields(kind: type[Checked], values: Mapping[str, object]) -> None:
    """Check the values of some fields of a dataclass."""
    for each in fields(kind):
        if each.name in values:
            each.metadata["check"](values[each.name], each.name)


@dataclass(frozen=True)
class Checked:
    """A base class of dataclasses with `checked` fields, stored as canonical JSON."""

    def __post_init__(self) -> None:
        check_fields(type(self), vars(self))

    @classmethod
    def check_names(cls, value: object, where: str) -> None:
        """Refuse a value that is not an object with exactly the fields of this dataclass."""
        check_names(value, [each.name for each in fields(cls)], where)

    def to_json(self) -> bytes:
        """Return canonical JSON: the same content is always the same bytes."""
        return canonical_json(asdict(self))


@dataclass(frozen=True)
class Record(Checked):
    """A system's scores on one corpus and reference set.

    `scores[metric]` is a `figure`. `fingerprint` identifies the version of the corpus. `outputs` is the SHA-256 of the
    predictions, and `details` is the SHA-256 of the file with the predictions. `date` is the day of the submission.
    `year`, `approach`, `size` (such as "11B") and `open_weights` describe the system.
    """

    system: str = checked(_NAME)
    corpus: str = checked(_NAME)
    scores: Mapping[str, Figure] = checked(mapping_of(object_of(_FIGURE_FIELDS)))
    date: str = checked(iso_date)
    reference_set: str = checked(_NAME, default="default")
    kind: str = checked(one_of("scored", "reported"), default="scored")
    role: str = checked(one_of("system", "human", "source", "baseline"), default="system")
    fingerprint: str = checked(text(64), default="")
    sentences: int | None = checked(optional(count), default=None)
    submitter: str = checked(text(LONGEST_NAME), default="")
    description: str = checked(text(), default="")
    links: Sequence[Mapping[str, str]] = checked(list_of(_LINK, MOST_LINKS), default=())
    outputs: str | None = checked(optional(sha256), default=None)
    details: str | None = checked(optional(sha256), default=None)
    unchanged: float | None = checked(optional(number), default=None)
    year: int | None = checked(optional(_YEAR), default=None)
    approach: str = checked(one_of("", *APPROACHES), default="")
    size: str = checked(text(40), default="")
    open_weights: bool | None = checked(optional(boolean), default=None)
    schema: int = checked(_SCHEMA, default=SCHEMA, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "scored" and not (self.outputs and self.details):
            raise InputError("the record has scores, but no outputs")
        if not self.scores:
            raise InputError("the record has no scores")

    @property
    def table(self) -> BoardTable:
        """Corpus and reference set: records of one table are ranked together."""
        return self.corpus, self.reference_set

    @property
    def entry(self) -> tuple[object, ...]:
        """A key: of several records with the same key, a board lists only the first."""
        return (*self.table, self.kind, self.system, self.fingerprint, self.outputs or self.id)

    @cached_property
    def id(self) -> str:
        """SHA-256 of the record's canonical JSON."""
        return digest(self.to_json())

    @classmethod
    def from_json(cls, data: bytes) -> Record:
        """Read a record, or raise an error that says what is wrong with it."""
        given = parse_canonical(data)
        value = _upgrade(given)
        if isinstance(value, dict):
            value = {**_ABOUT_SYSTEM, **value}
        cls.check_names(value, "record")
        record = cls(**value)
        if given == value or given.get("schema") != SCHEMA or record.to_json() == data:
            return record
        raise InputError("the file was not written by gecbench", fix="Add the record with gecbench leaderboard submit")

    def to_json(self) -> bytes:
        """Return canonical JSON without empty fields about the system.

        Records of gecbench 0.2.0 lack these fields, so their hashes stay the same.
        """
        fields_of = asdict(self)
        empty = [name for name, value in _ABOUT_SYSTEM.items() if fields_of[name] == value]
        return canonical_json({name: value for name, value in fields_of.items() if name not in empty})


def _upgrade(record: Any) -> Any:
    """Convert a record of schema 1 to the current schema.

    The fields that figures of schema 1 lack are empty.
    """
    if not isinstance(record, dict) or record.get("schema") != 1 or not isinstance(record.get("scores"), dict):
        return record
    scores = {
        name: {**_EMPTY_FIGURE, **old} if isinstance(old, dict) else old for name, old in record["scores"].items()
    }
    return {**record, "schema": SCHEMA, "scores": scores}


@dataclass(frozen=True)
class Details(Checked):
    """A system's predictions, and its scores of sentences and of groups by metric.

    Sentences are grouped by the distance between source and references, and by the judged grammaticality of the source.
    Edits are grouped by error type. Only boards of gecbench 0.2.0 have `by_distance`. This field is not shown:
    its groups depend on the outputs, so systems cannot be compared.
    """

    predictions: Sequence[str] = checked(list_of(string))
    sentence_scores: Mapping[str, Sequence[float]] = checked(
        mapping_of(list_of(optional(number))), default_factory=dict
    )
    by_distance: Mapping[str, Groups] = checked(_GROUPS, default_factory=dict)
    by_source_distance: Mapping[str, Groups] = checked(_GROUPS, default_factory=dict)
    by_grammaticality: Mapping[str, Groups] = checked(_GROUPS, default_factory=dict)
    by_type: Mapping[str, Groups] = checked(mapping_of(list_of(object_of(TYPE_FIELDS))), default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(len(scores) != len(self.predictions) for scores in self.sentence_scores.values()):
            raise InputError("the details have different numbers of predictions and sentence scores")

    @property
    def outputs(self) -> str:
        """SHA-256 of the predictions, the same for all submissions of the same outputs."""
        return digest(canonical_json(self.predictions))

    @classmethod
    def from_json(cls, data: bytes) -> Details:
        """Read details, or raise an error that says what is wrong with them.

        All fields except `predictions` may be missing, as in files of earlier versions.
        """
        value = parse_canonical(data)
        known = {each.name for each in fields(cls)}
        if not isinstance(value, dict) or not {"predictions"} <= set(value) <= known:
            names = ", ".join(sorted(known - {"predictions"}))
            raise InputError(f"the details of a record must have predictions, and may have {names}, but nothing else")
        return cls(**value)


@dataclass(frozen=True)
class Settings(Checked):
    """The settings of a board, stored in its `board.json`.

    A folder without this file has the default settings. `corpora` has the name and the fingerprint of each corpus. A
    corpus in a file is named by its path, relative to the board's folder. `per_day` is the number of submissions that a
    submitter may make per day, or None for no limit. On a private board, a submission must differ in `min_changes`
    sentences from the source and from each earlier submission of the same submitter.
    """

    title: str = checked(_NAME, default="GEC leaderboard")
    description: str = checked(text(), default="")
    license: str = checked(text(LONGEST_NAME), default="")
    link: str | None = checked(optional(web_address), default=None)
    logo: str | None = checked(optional(one_of(*LOGOS)), default=None)
    metric: str | None = checked(optional(one_of(*METRICS)), default=None)
    corpora: Sequence[Mapping[str, str]] = checked(
        list_of(object_of({"corpus": text(500, empty=False), "fingerprint": text(64)}), 50), default=()
    )
    publish_references: bool = checked(boolean, default=False)
    per_day: int | None = checked(optional(count), default=None)
    min_changes: int = checked(count, default=PRIVATE_MIN_CHANGES)

    def ranked_by(self, table: BoardTable) -> str:
        """Return the metric that ranks a table.

        This is the metric of the board, or by default the official metric of the corpus.
        """
        return self.metric or default_metric(table)

    @property
    def private(self) -> bool:
        """Whether the board keeps its references secret."""
        return bool(self.corpora) and not self.publish_references

    def needed_changes(self, sentences: int) -> int:
        """Return in how many sentences a submission must differ.

        On a private board, the number is `min_changes`, but at most 5% of the sentences. On other boards, it is 0.
        """
        return min(self.min_changes, max(1, sentences // 20)) if self.private else 0

    @property
    def digits(self) -> int:
        """The number of decimals of scores in percent: 1 on a private board, otherwise 2."""
        return PRIVATE_DIGITS if self.private else _DIGITS

    @classmethod
    def from_json(cls, data: bytes) -> Settings:
        """Read settings, or raise an error that says what is wrong with them."""
        value = parse_json(data)
        if isinstance(value, dict):
            value = {"min_changes": PRIVATE_MIN_CHANGES, **value}  # boards of 0.2.0 lack this field
            if "licence" in value:  # the spelling of 0.2.0
                value["license"] = value.pop("licence")
        cls.check_names(value, SETTINGS_FILE)
        return cls(**value)


def declared_config(table: BoardTable) -> tuple[DatasetDeclaration, Config] | None:
    """Return gecbench's declaration of a table's corpus and reference set, if any.

    The result is None if gecbench does not declare the corpus or the reference set.
    """
    declared = DATASETS.get(table[0].partition(":")[0])
    if declared is None:
        return None
    config = declared.configs.get(declared.default_config if table[1] == "default" else table[1])
    return None if config is None else (declared, config)


def default_metric(table: BoardTable) -> str:
    """Return the official metric of a table's corpus, or GLEU if it has none.

    >>> default_metric(("conll14_fluency:test", "nucle")), default_metric(("jfleg:test", "default"))
    ('m2', 'gleu')
    """
    found = declared_config(table)
    name = "" if found is None else found[0].official_metric(found[1]).partition("(")[0]
    return name if name in METRICS else next(iter(METRICS))


def corpus_name(table: BoardTable) -> str:
    """Return the full name of a table's corpus.

    The option `-c` accepts this name if gecbench declares the corpus.

    >>> corpus_name(("conll14_fluency:test", "nucle"))
    'conll14_fluency:nucle:test'
    """
    name, reference_set = table
    if reference_set == "default":
        return name
    dataset, _, split = name.partition(":")
    return f"{dataset}:{reference_set}:{split}"


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
