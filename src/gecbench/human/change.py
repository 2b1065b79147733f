"""Extent of change between texts (Sakaguchi et al. 2016, §3.2).

It is measured by sTER, the share of changed sentences, and the character distance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

from gecbench import kernels
from gecbench.display import progress
from gecbench.errors import InputError, counted
from gecbench.kernels.tokens import intern_lines

Texts = Sequence[str]
TextPair = tuple[str, str]
_CHUNK = 2_000


@dataclass(frozen=True)
class Change:
    """The extent of change between texts, as means over sentences.

    `ster` counts TER edits (sTER), `changed` is the share of changed sentences, and `characters` is the Levenshtein
    distance in characters.
    """

    sentences: int
    ster: float
    changed: float
    characters: float

    @property
    def identical(self) -> float:
        """The share of unchanged sentences."""
        return 1 - self.changed


def change(before: Texts, after: Texts) -> Change:
    """Measure the change from `before` to `after` (Sakaguchi et al. 2016, §3.2).

    The edits are counted like sacrebleu's TER with its defaults, which ignore case. `changed` and `characters` are
    case-sensitive. White space at both ends of a line is ignored.
    """
    return changes({"": (before, after)})[""]


def changes(comparisons: Mapping[str, tuple[Texts, Texts]]) -> dict[str, Change]:
    """Measure several changes by name.

    If the same pair of lines occurs several times, its TER edits are computed only once.
    """
    lines = {name: _pairs(before, after) for name, (before, after) in comparisons.items()}
    edits = ter_edits_of(list(dict.fromkeys(pair for pairs in lines.values() for pair in pairs)))
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
    """Return the unweighted mean of several changes of the same sentences."""
    if not several or len({each.sentences for each in several}) != 1:
        fix = "Give at least one change, and measure all changes on the same corpus"
        raise InputError("the changes were not measured on the same sentences", fix=fix)
    _, *columns = zip(*map(astuple, several), strict=True)
    return Change(several[0].sentences, *(sum(column) / len(several) for column in columns))


def ter_edits_of(pairs: Sequence[TextPair]) -> dict[TextPair, int]:
    """Return the number of TER edits for each pair of lines.

    The edits are insertions, deletions, substitutions and shifts. They are counted like sacrebleu's TER with its
    defaults, which ignore case.
    """
    found: dict[TextPair, int] = {}
    with progress(len(pairs), "TER") as bar:
        for start in range(0, len(pairs), _CHUNK):
            chunk = pairs[start : start + _CHUNK]
            tokens = intern_lines([line.lower() for side in zip(*chunk, strict=True) for line in side], "unicode")
            before, after = tokens[: len(chunk)], tokens[len(chunk) :]
            edits = kernels.select("edits").ter_edits(before, after, kernels.threads())
            found.update(zip(chunk, edits.tolist(), strict=True))
            bar.update(len(chunk))
    return found


def character_distance(first: str, second: str) -> int:
    """Return the Levenshtein distance in characters, computed with rapidfuzz."""
    from rapidfuzz.distance import Levenshtein

    return int(Levenshtein.distance(first, second))


def _pairs(before: Texts, after: Texts) -> list[TextPair]:
    if len(before) != len(after) or not before:
        raise InputError(
            f"{counted(len(before), 'sentence')} cannot be compared with {counted(len(after), 'sentence')}",
            fix="Give both sides the same number of sentences, at least one",
        )
    return [(x.strip(), y.strip()) for x, y in zip(before, after, strict=True)]
