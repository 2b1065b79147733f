"""Read human judgments: rankings of system outputs.

A `Ranking` is one judge's answer for one sentence. `expand_pairs` turns rankings into pairwise judgments. There is one
parser per file type: Appraise XML, WMT CSV, Mechanical Turk CSV and the expert groups of Sakaguchi et al. 2016.
`read_judgments` recognizes the first three.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import combinations
from math import isnan, nan
from pathlib import Path
from types import MappingProxyType

from gecbench.errors import InputError, counted
from gecbench.formats.tables import finite_number, parse_csv, whole_number
from gecbench.formats.text import read_text
from gecbench.formats.xml_reader import XmlReader

JFLEG_NAMES: Mapping[str, str] = {"turk": "Human", "NMT": "CAMB16", "CAMB": "CAMB14", "orig": "Original"}
MTURK_SLOTS = range(1, 6)
MTURK_COLUMNS = (
    *("WorkerId", "AssignmentStatus", "Input.sentID"),
    *(f"Input.{what}{slot}" for what in ("system", "sentence") for slot in MTURK_SLOTS),
    *(f"Answer.rank_{slot}" for slot in MTURK_SLOTS),
)
MTURK_UNUSED = "###"
MTURK_APPROVED = "Approved"
_SAME_TEXTS = 0.99  # in this share of the places with several systems, these systems must have the same output

_MOST_DIGITS = 20
_MOST_RANKED = 100


@dataclass(frozen=True)
class Place:
    """A text shown to a judge, with its systems and its rank.

    `systems` are the systems that produced the text. `text` is None if the text is not known. Lower ranks are better. A
    text that was not ranked has the rank NaN.
    """

    systems: tuple[str, ...]
    rank: float
    text: str | None = None


@dataclass(frozen=True)
class Ranking:
    """One judge's ranking of the outputs for one sentence, in the order shown.

    `approved` is false if the platform rejected the answer. `seconds` is the time taken, if known.
    """

    sentence: int
    judge: str
    places: tuple[Place, ...]
    approved: bool = True
    seconds: float | None = None


@dataclass(frozen=True)
class Judgment:
    """One comparison of two systems, or of two groups of systems, on one sentence.

    The name of a group consists of the names of its systems, joined by a space.
    """

    sentence: int
    judge: str
    system1: str
    system2: str
    rank1: float
    rank2: float

    @property
    def ranked(self) -> bool:
        """Whether the judge ranked both systems."""
        return not (isnan(self.rank1) or isnan(self.rank2))

    @property
    def outcome(self) -> int:
        """1 if the first system is better, -1 if the second is, 0 for a tie."""
        return compare_ranks(self.rank1, self.rank2)


def compare_ranks(rank1: float, rank2: float) -> int:
    """Return 1 if the first rank is better, -1 if the second is, 0 for a tie."""
    return (rank1 < rank2) - (rank1 > rank2)


def expand_pairs(rankings: Iterable[Ranking], *, groups: bool = False, unranked: bool = False) -> Iterator[Judgment]:
    """Yield every pair of systems in every ranking.

    Systems that share a text are tied (Grundkiewicz et al. 2015).

    Args:
        rankings: The rankings.
        groups: Compare texts instead of systems. The names of the systems that share a text are joined by a space.
        unranked: Include pairs with a text that was not ranked. These judgments have `ranked` set to False.

    Yields:
        The judgments. Texts that no system produced are left out.
    """
    for ranking in rankings:
        for (system1, rank1), (system2, rank2) in combinations(named_ranks(ranking, groups, unranked), 2):
            yield Judgment(ranking.sentence, ranking.judge, system1, system2, rank1, rank2)


def named_ranks(ranking: Ranking, groups: bool = False, unranked: bool = False) -> list[tuple[str, float]]:
    """Return the systems or groups of a ranking, with their ranks.

    These are the systems or groups that `expand_pairs` compares, in the order shown to the judge.
    """
    places = [place for place in ranking.places if place.systems and (unranked or not isnan(place.rank))]
    if groups:
        return [(" ".join(place.systems), place.rank) for place in places]
    return [(system, place.rank) for place in places for system in place.systems]


def relabel(rankings: Iterable[Ranking], outputs: Mapping[str, Sequence[str]]) -> list[Ranking]:
    """Return the rankings, with each place naming all systems that produced its text.

    `outputs` are the output lines of each system. If a place has no text, the output of its first system is used.
    Places with the same text are merged, and their ranks are averaged.
    """
    keys = {system: [text_key(line) for line in outputs[system]] for system in sorted(outputs)}
    return [replace(ranking, places=_relabeled_places(ranking, keys)) for ranking in rankings]


def _relabeled_places(ranking: Ranking, keys: Mapping[str, Sequence[str]]) -> tuple[Place, ...]:
    for system, lines in keys.items():
        if not 0 <= ranking.sentence < len(lines):
            found = counted(len(lines), "line")
            raise InputError(
                f"sentence {ranking.sentence} (counted from 0) was judged, but {system} has {found}",
                fix="Give the outputs of the whole test set, in its original order",
            )
    shown: dict[str, list[Place]] = {}
    for place in ranking.places:
        key = keys[place.systems[0]][ranking.sentence] if place.text is None else text_key(place.text)
        shown.setdefault(key, []).append(place)
    places = []
    for key, same in shown.items():
        systems = tuple(system for system, lines in keys.items() if lines[ranking.sentence] == key)
        ranks = [place.rank for place in same if not isnan(place.rank)]
        places.append(Place(systems, sum(ranks) / len(ranks) if ranks else nan, same[0].text))
    return tuple(places)


def count_from_zero(
    rankings: Sequence[Ranking], outputs: Mapping[str, Sequence[str]], *, file: str
) -> tuple[list[Ranking], int | None]:
    """Return the rankings with sentences counted from 0.

    Also return the number from which the file counts: 0, 1, or None if it is unknown.

    All systems in one `Place` of a ranking wrote the same text, so their outputs show whether the file counts from 0 or
    from 1. If no place has several systems, the smallest or the largest sentence number may decide. If the sentence
    numbers do not decide either, they do not change, and the second value is None.
    """
    keys = {system: [text_key(line) for line in lines] for system, lines in outputs.items()}
    sentences = min(map(len, keys.values()))
    numbers = {ranking.sentence for ranking in rankings}
    shared = [
        (ranking.sentence, [keys[system] for system in place.systems if system in keys])
        for ranking in rankings
        for place in ranking.places
        if len(place.systems) > 1
    ]
    fitting = [
        first for first in (0, 1) if first <= min(numbers, default=0) and max(numbers, default=0) < sentences + first
    ]
    first = 0 if 0 in numbers else 1 if fitting == [1] else None
    if shared:
        right = {k: sum(len({lines[i - k] for lines in texts}) <= 1 for i, texts in shared) for k in fitting}
        found = [k for k in fitting if right[k] >= _SAME_TEXTS * len(shared)]
        if not found:
            raise InputError(
                "some systems have the same output according to the judgments, but the given outputs differ",
                file=file,
                fix="Give the outputs of the whole test set, in the order in which its sentences are numbered",
            )
        first = found[0]
    if not fitting:
        number = f"{max(numbers)} (counted from 0)" if 0 in numbers else str(max(numbers))
        raise InputError(
            f"sentence {number} was judged, but the outputs have {counted(sentences, 'line')}",
            file=file,
            fix="Give the outputs of the whole test set, in its original order",
        )
    return [replace(ranking, sentence=ranking.sentence - (first or 0)) for ranking in rankings], first


def shown_text(text: str) -> str:
    """Return the text as judges saw it.

    Entities are resolved (some are escaped twice), and white space is collapsed.
    """
    return " ".join(unescape(unescape(text)).split())


def text_key(text: str) -> str:
    """Return the text without white space, quotes and backslashes.

    These characters vary between copies of an output.
    """
    return re.sub(r"[\s\"'`\\]", "", unescape(unescape(text)))


class Pseudonyms:
    """Pseudonyms w1, w2, … in order of first appearance.

    >>> names = Pseudonyms()
    >>> names["someone"], names["else"], names["someone"]
    ('w1', 'w2', 'w1')
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __getitem__(self, identifier: str) -> str:
        return self._names.setdefault(identifier, f"w{len(self._names) + 1}")


def read_judgments(path: str | Path) -> list[Ranking]:
    """Read rankings from a file.

    The format (WMT CSV, Mechanical Turk CSV or ranking XML) is recognized by the start of the file.
    """
    text = read_text(path)
    header = text.lstrip().split("\n", 1)[0]
    if header.startswith("<"):
        return parse_ranking_xml(text, file=str(path))
    if "AssignmentStatus" in header:
        return parse_mturk(text, file=str(path))
    if "segmentId" in header:
        return parse_wmt_csv(text, file=str(path))
    raise InputError(
        "not a WMT CSV, a Mechanical Turk CSV or a ranking XML",
        file=str(path),
        line=1,
        fix="A WMT CSV has the columns segmentId, judgeId, system1Id, system1rank, system2Id, system2rank",
    )


def parse_ranking_xml(text: str, *, file: str, first_sentence: int = 0) -> list[Ranking]:
    """Parse the rankings of an Appraise XML file.

    `first_sentence` is the src-id of the first sentence (0 or 1). The systems of a translation are separated by spaces
    or commas. Document types and entities are not allowed.
    """
    reader = _RankingReader(file, first_sentence)
    reader.read(text.encode())
    return reader.rankings


class _RankingReader(XmlReader):
    """Collect a ranking from each element ranking-item > translation (system, rank)."""

    def __init__(self, file: str, first_sentence: int) -> None:
        super().__init__(file)
        self.first_sentence = first_sentence
        self.rankings: list[Ranking] = []
        self.item: tuple[int, str, float | None] | None = None
        self.places: list[Place] = []

    def open(self, name: str, attributes: dict[str, str]) -> None:
        if name == "ranking-item":
            if self.item is not None:
                raise self.wrong("<ranking-item> inside another <ranking-item>", "Close the first before the second")
            sentence = self.number(attributes, "src-id", name) - self.first_sentence
            self.item = (sentence, self.attribute(attributes, "user", name), self.seconds(attributes))
            self.places = []
        elif name == "translation":
            if self.item is None:
                raise self.wrong("<translation> outside <ranking-item>", "Move it into a <ranking-item>")
            self.places.append(self.place(attributes))

    def close(self, name: str) -> None:
        if name == "ranking-item" and self.item is not None:
            sentence, judge, seconds = self.item
            self.rankings.append(Ranking(sentence, judge, tuple(self.places), seconds=seconds))
            self.item = None

    def place(self, attributes: dict[str, str]) -> Place:
        names = self.attribute(attributes, "system", "translation")
        systems = tuple(name for name in re.split(r"[\s,]+", names) if name)
        if _repeats_a_system(systems, self.places):
            problem = "repeats a system of the same <ranking-item>" if systems else "is empty"
            raise self.wrong(f"system={names!r} {problem}", "Name at least one system, and each system only once")
        if len(systems) + sum(len(place.systems) for place in self.places) > _MOST_RANKED:
            raise self.wrong(f"more than {_MOST_RANKED} systems in one <ranking-item>")
        return Place(systems, self.number(attributes, "rank", "translation"))

    def attribute(self, attributes: dict[str, str], name: str, element: str) -> str:
        if name not in attributes:
            raise self.wrong(f"<{element}> has no attribute {name!r}")
        return attributes[name]

    def number(self, attributes: dict[str, str], name: str, element: str) -> int:
        text = self.attribute(attributes, name, element)
        return whole_number(text, name, file=self.file, line=self.parser.CurrentLineNumber)

    def seconds(self, attributes: dict[str, str]) -> float | None:
        if "duration" not in attributes:
            return None
        form = re.fullmatch(r"(\d+):(\d+):(\d+(?:\.\d+)?)", attributes["duration"])
        if form is None:
            raise self.wrong(f"duration={attributes['duration']!r} is not hours:minutes:seconds")
        if max(map(len, form.groups())) > _MOST_DIGITS:
            raise self.wrong(f"a number in the duration has more than {_MOST_DIGITS} digits")
        return int(form[1]) * 3600 + int(form[2]) * 60 + float(form[3])


def _repeats_a_system(systems: Sequence[str], places: Iterable[Place]) -> bool:
    """Return whether the systems of a text are missing or repeated.

    A system is repeated if this text names it twice, or if an earlier text names it.
    """
    seen = {system for place in places for system in place.systems}
    return not systems or len(set(systems)) != len(systems) or not seen.isdisjoint(systems)


def parse_wmt_csv(
    text: str, *, file: str, first_sentence: int = 0, names: Mapping[str, str] = MappingProxyType({})
) -> list[Ranking]:
    """Parse the rankings of a WMT CSV.

    `first_sentence` is the segmentId of the first sentence (0 or 1). A rank of -1 means "not ranked", as in WMT's
    five-way files. Systems in `names` are renamed.
    """
    rankings: list[Ranking] = []
    columns = ("segmentId", "system1Id", "system2Id", "system1rank", "system2rank")
    for line, row in parse_csv(text, columns, file=file):
        judge = row.get("judgeId", row.get("judgeID"))
        if not judge:
            raise InputError("the judge is missing", file=file, line=line, fix="Fill in the column judgeId")
        sentence = whole_number(row["segmentId"], "segmentId", file=file, line=line) - first_sentence
        rankings.append(Ranking(sentence, judge, _wmt_places(row, names, file, line)))
    return rankings


def _wmt_places(row: Mapping[str, str], names: Mapping[str, str], file: str, line: int) -> tuple[Place, ...]:
    places: list[Place] = []
    number = 1
    while f"system{number}Id" in row:
        system, rank = row[f"system{number}Id"].strip(), row.get(f"system{number}rank", "")
        value = finite_number(rank, f"system{number}rank", file=file, line=line)
        name = names.get(system, system)
        if not system or any(name in place.systems for place in places):
            problem = f"{system} is compared with itself" if system else f"system{number}Id is empty"
            raise InputError(problem, file=file, line=line, fix="Give two different systems")
        places.append(Place((name,), nan if value == -1 else value))
        number += 1
    return tuple(places)


def parse_jfleg_pairwise(text: str, *, file: str) -> list[Ranking]:
    """Parse JFLEG's pairwise.csv, with the system names of the paper.

    The sentence numbers are GUG ids.
    """
    return parse_wmt_csv(text, file=file, names=JFLEG_NAMES)


def parse_mturk(
    text: str, *, file: str, statuses: Collection[str] | None = (MTURK_APPROVED,), workers: Pseudonyms | None = None
) -> list[Ranking]:
    """Parse the rankings of a Mechanical Turk CSV.

    Judges are named w1, w2, … in order of appearance, never by WorkerId. Only assignments with one of `statuses` are
    read, or all assignments if `statuses` is None. Pass the same `workers` to use the same names in several files.
    """
    judges = Pseudonyms() if workers is None else workers
    rankings: list[Ranking] = []
    for line, row in parse_csv(text, MTURK_COLUMNS, file=file):
        judge, status = judges[row["WorkerId"]], row["AssignmentStatus"]
        if statuses is None or status in statuses:
            sentence = whole_number(row["Input.sentID"], "Input.sentID", file=file, line=line)
            seconds = row.get("WorkTimeInSeconds")
            taken = float(whole_number(seconds, "WorkTimeInSeconds", file=file, line=line)) if seconds else None
            rankings.append(Ranking(sentence, judge, _mturk_places(row, file, line), status == MTURK_APPROVED, taken))
    return rankings


def _mturk_places(row: Mapping[str, str], file: str, line: int) -> tuple[Place, ...]:
    places: list[Place] = []
    for slot in MTURK_SLOTS:
        names, rank = row[f"Input.system{slot}"], row[f"Answer.rank_{slot}"]
        if names == MTURK_UNUSED:
            continue
        systems = tuple(names.split())
        if _repeats_a_system(systems, places):
            problem = f"Input.system{slot} {'repeats a system' if systems else 'is empty'}"
            fix = f"Name each system once, or write {MTURK_UNUSED} if no text was shown"
            raise InputError(problem, file=file, line=line, fix=fix)
        value = whole_number(rank, f"Answer.rank_{slot}", file=file, line=line) if rank else nan
        places.append(Place(systems, value, row[f"Input.sentence{slot}"]))
    return tuple(places)


def parse_expert_groups(text: str, *, file: str, first_sentence: int = 0) -> list[Ranking]:
    """Parse the expert groups of Sakaguchi et al. 2016.

    Each line is `sentence TAB agreement TAB {'A B||C||D': [['1', '2', '2'], …], …}`.

    Only the first group of texts of each line is read, as in the study. Each list of ranks of this group becomes one
    ranking. The file does not name judges, so they are called e1, e2, … by position. The sentence numbers count from 0,
    although the study treated them as counting from 1.
    """
    rankings: list[Ranking] = []
    for line, words in enumerate(text.split("\n"), start=1):
        fields = words.removesuffix("\r").split("\t")
        if fields == [""]:
            continue
        if len(fields) != 3:
            problem = f"{counted(len(fields), 'field')}, but each line needs 3: sentence, agreement and rankings"
            raise InputError(problem, file=file, line=line, fix="Separate the fields with tabs")
        sentence = whole_number(fields[0], "sentence", file=file, line=line) - first_sentence
        rankings.extend(_line_rankings(sentence, _ranks_by_group(fields[2], file, line), file, line))
    return rankings


def _ranks_by_group(text: str, file: str, line: int) -> dict[str, list[list[str]]]:
    try:
        table = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        table = None
    if isinstance(table, dict) and table and all(_is_group(*entry) for entry in table.items()):
        return table
    fix = "Write {'A B||C': [['1', '2'], ...]}, a list of ranks per judge"
    raise InputError("the third field is not a table of rankings", file=file, line=line, fix=fix)


def _is_group(names: object, rank_lists: object) -> bool:
    return (
        isinstance(names, str)
        and isinstance(rank_lists, list)
        and all(isinstance(ranks, list) and all(isinstance(rank, str) for rank in ranks) for ranks in rank_lists)
    )


def _line_rankings(sentence: int, table: dict[str, list[list[str]]], file: str, line: int) -> list[Ranking]:
    rankings: list[Ranking] = []
    names, rank_lists = next(iter(table.items()))
    groups = [tuple(group.split()) for group in names.split("||")]
    for number, ranks in enumerate(rank_lists, start=1):
        if len(ranks) != len(groups):
            problem = f"{counted(len(ranks), 'rank')} for {counted(len(groups), 'text')}"
            raise InputError(problem, file=file, line=line, fix="Write one rank per text")
        values = [whole_number(rank, "rank", file=file, line=line) for rank in ranks]
        places = tuple(Place(group, value) for group, value in zip(groups, values, strict=True))
        rankings.append(Ranking(sentence, f"e{number}", places))
    return rankings
