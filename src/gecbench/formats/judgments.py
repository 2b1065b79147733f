"""Human judgments: rankings of system outputs by judges, and the pairs they expand to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import combinations
from math import isnan, nan

from gecbench.errors import InputError


@dataclass(frozen=True)
class Place:
    """One text shown: the systems that produced it, its rank and the text if it is known.

    Lower ranks are better; a text that was shown but not ranked has the rank NaN.
    """

    systems: tuple[str, ...]
    rank: float
    text: str | None = None


@dataclass(frozen=True)
class Ranking:
    """What one judge said about one sentence in one sitting, in the order shown.

    `approved` is false where the platform rejected the answer; `seconds` is the time taken, if known.
    """

    sentence: int
    judge: str
    places: tuple[Place, ...]
    approved: bool = True
    seconds: float | None = None


@dataclass(frozen=True)
class Judgment:
    """One comparison of two systems on one sentence (or of two groups, names joined by a space)."""

    sentence: int
    judge: str
    system1: str
    system2: str
    rank1: float
    rank2: float

    @property
    def ranked(self) -> bool:
        """Whether the judge ranked both."""
        return not (isnan(self.rank1) or isnan(self.rank2))

    @property
    def outcome(self) -> int:
        """1 if the first system is better, -1 if the second is, 0 for a tie."""
        return compare_ranks(self.rank1, self.rank2)


def compare_ranks(rank1: float, rank2: float) -> int:
    """Return 1 if the first rank is better, -1 if the second is, 0 for a tie."""
    return (rank1 < rank2) - (rank1 > rank2)


def repeats_a_system(systems: tuple[str, ...], places: Iterable[Place]) -> bool:
    """Return whether a text names no system, one twice, or one of the texts before it."""
    seen = {system for place in places for system in place.systems}
    return not systems or len(set(systems)) != len(systems) or not seen.isdisjoint(systems)


def expand_pairs(rankings: Iterable[Ranking], *, groups: bool = False, unranked: bool = False) -> Iterator[Judgment]:
    """Yield every pair of systems of every ranking; systems that share a text are tied (Grundkiewicz et al. 2015).

    With `groups`, texts are compared instead of systems: no pair inside a place, names joined by a space.
    With `unranked`, pairs with a text that was not ranked come along (their `ranked` is False). A text that no
    system produced is left out.
    """
    for ranking in rankings:
        for (system1, rank1), (system2, rank2) in combinations(named_ranks(ranking, groups, unranked), 2):
            yield Judgment(ranking.sentence, ranking.judge, system1, system2, rank1, rank2)


def named_ranks(ranking: Ranking, groups: bool = False, unranked: bool = False) -> list[tuple[str, float]]:
    """Return what `expand_pairs` makes pairs of: systems (or groups) with their ranks, in the order shown."""
    places = [place for place in ranking.places if place.systems and (unranked or not isnan(place.rank))]
    if groups:
        return [(" ".join(place.systems), place.rank) for place in places]
    return [(system, place.rank) for place in places for system in place.systems]


def shown_text(text: str) -> str:
    """Return the text as a reader saw it: entities resolved (some are doubly escaped), white space joined."""
    return " ".join(unescape(unescape(text)).split())


def text_key(text: str) -> str:
    """Return what two displays of one output share: no white space, quotes or backslashes."""
    return re.sub(r"[\s\"'`\\]", "", unescape(unescape(text)))


def relabel(rankings: Iterable[Ranking], outputs: Mapping[str, Sequence[str]]) -> list[Ranking]:
    """Return rankings whose systems are found again from the texts shown, given every system's output lines.

    The systems of a place become all whose output of that sentence is the text shown, or, where the text is not
    recorded, the output of the system named first; none where nobody produced it. Places that show the same text are
    one, with the mean of the ranks they were given.
    """
    keys = {system: [text_key(line) for line in outputs[system]] for system in sorted(outputs)}
    return [replace(ranking, places=_relabelled(ranking, keys)) for ranking in rankings]


def _relabelled(ranking: Ranking, keys: Mapping[str, Sequence[str]]) -> tuple[Place, ...]:
    for system, lines in keys.items():
        if not 0 <= ranking.sentence < len(lines):
            raise InputError(
                f"sentence {ranking.sentence} was judged, but {system} has {len(lines)} lines",
                fix="Give the outputs of the whole test set, in its order",
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


class Pseudonyms:
    """Names in order of first appearance.

    >>> names = Pseudonyms()
    >>> names["someone"], names["else"], names["someone"]
    ('w1', 'w2', 'w1')
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __getitem__(self, identifier: str) -> str:
        return self._names.setdefault(identifier, f"w{len(self._names) + 1}")
