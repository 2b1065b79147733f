"""Extent of change between texts: sTER, share changed, identical share, character distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Any

from gecbench.errors import InputError
from gecbench.progress import progress

Texts = Sequence[str]
Pair = tuple[str, str]
_CHUNK = 100


@dataclass(frozen=True)
class Change:
    """Means over sentences: TER edits (sTER), share that differs, character Levenshtein distance."""

    sentences: int
    ster: float
    changed: float
    characters: float

    @property
    def identical(self) -> float:
        """The share of sentences that are the same in both."""
        return 1 - self.changed


def change(before: Texts, after: Texts) -> Change:
    """Return how far `after` is from `before` (Sakaguchi et al. 2016, §3.2).

    Edits are those of sacrebleu's TER with its defaults, so case does not count there; it does count for `changed` and
    `characters`. Lines are compared without leading and trailing whitespace.
    """
    return changes({"": (before, after)})[""]


def changes(
    comparisons: Mapping[str, tuple[Texts, Texts]],
    *,
    processes: int = 1,
    known: dict[Pair, float] | None = None,
) -> dict[str, Change]:
    """Return several comparisons by name; TER is slow, so it may be spread over processes.

    `known` holds TER edits of pairs of lines found before; those found now are added to it.
    """
    lines = {name: _pairs(before, after) for name, (before, after) in comparisons.items()}
    edits = {} if known is None else known
    missing = dict.fromkeys(pair for pairs in lines.values() for pair in pairs if pair not in edits)
    edits.update(ter_edits_of(list(missing), processes=processes))
    return {
        name: Change(
            sentences=len(pairs),
            ster=sum(edits[pair] for pair in pairs) / len(pairs),
            changed=sum(x != y for x, y in pairs) / len(pairs),
            characters=sum(character_distance(x, y) for x, y in pairs) / len(pairs),
        )
        for name, pairs in lines.items()
    }


def mean_change(several: Sequence[Change]) -> Change:
    """Return the mean over several comparisons of the same sentences, each weighing the same."""
    if not several or len({each.sentences for each in several}) != 1:
        raise InputError("a mean of changes needs comparisons of the same sentences")
    _, *columns = zip(*map(astuple, several), strict=True)
    return Change(several[0].sentences, *(sum(column) / len(several) for column in columns))


def ter_edits(hypothesis: str, reference: str) -> float:
    """Return how many insertions, deletions, substitutions and shifts turn the hypothesis into the reference."""
    if hypothesis.lower().split() == reference.lower().split():
        return 0.0
    return float(_ter().sentence_score(hypothesis, [reference]).num_edits)


def ter_edits_of(pairs: Sequence[Pair], *, processes: int = 1) -> dict[Pair, float]:
    """Return the TER edits of each pair of lines, on several processes if asked."""
    chunks = [pairs[start : start + _CHUNK] for start in range(0, len(pairs), _CHUNK)]
    found: dict[Pair, float] = {}
    spread = ProcessPoolExecutor(processes) if processes > 1 and len(chunks) > 1 else nullcontext()
    with spread as pool, progress(len(pairs), "TER") as bar:
        for chunk, edits in zip(chunks, (pool.map if pool else map)(_edits, chunks), strict=True):
            found.update(zip(chunk, edits, strict=True))
            bar.update(len(chunk))
    return found


def _edits(pairs: Sequence[Pair]) -> list[float]:
    return [ter_edits(*pair) for pair in pairs]


def character_distance(first: str, second: str) -> int:
    """Return the Levenshtein distance in characters, through rapidfuzz."""
    from rapidfuzz.distance import Levenshtein

    return int(Levenshtein.distance(first, second))


@lru_cache(maxsize=1)
def _ter() -> Any:
    from sacrebleu.metrics.ter import TER

    return TER()


def _pairs(before: Texts, after: Texts) -> list[Pair]:
    if len(before) != len(after) or not before:
        raise InputError(
            f"{len(before)} sentences cannot be compared with {len(after)}",
            fix="Both sides need the same sentences, at least one",
        )
    return [(x.strip(), y.strip()) for x, y in zip(before, after, strict=True)]
