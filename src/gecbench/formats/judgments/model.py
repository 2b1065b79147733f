"""Rankings of system outputs by judges, and the pairs they expand to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan


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
        return (self.rank1 < self.rank2) - (self.rank1 > self.rank2)


def expand_pairs(rankings: Iterable[Ranking], *, groups: bool = False, unranked: bool = False) -> Iterator[Judgment]:
    """Yield every pair of systems of every ranking; systems that share a text are tied (Grundkiewicz et al. 2015).

    With `groups`, texts are compared instead of systems: no pair inside a place, names joined by a space.
    With `unranked`, pairs with a text that was not ranked come along (their `ranked` is False). A text that no
    system produced is left out.
    """
    for ranking in rankings:
        places = [place for place in ranking.places if place.systems and (unranked or not isnan(place.rank))]
        if groups:
            named = [(" ".join(place.systems), place.rank) for place in places]
        else:
            named = [(system, place.rank) for place in places for system in place.systems]
        for (system1, rank1), (system2, rank2) in combinations(named, 2):
            yield Judgment(ranking.sentence, ranking.judge, system1, system2, rank1, rank2)


def rename_systems(rankings: Iterable[Ranking], names: Mapping[str, str]) -> list[Ranking]:
    """Return the same rankings with systems renamed; names not in the mapping stay."""
    return [
        replace(
            ranking,
            places=tuple(
                replace(place, systems=tuple(names.get(system, system) for system in place.systems))
                for place in ranking.places
            ),
        )
        for ranking in rankings
    ]
