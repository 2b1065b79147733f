"""Checks of predictions and references: each fault gets a sentence that names the argument and the place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.errors import InputError
from gecbench.kernels.tokens import encode_lines, offsets_of

_SENTENCE_MAJOR = "references[i] must be the list of references of sentence i"


def check_texts(texts: Iterable[str], argument: str) -> tuple[str, ...]:
    """Return the texts as a tuple, or say which one is not a string."""
    if isinstance(texts, (str, bytes)):
        raise InputError(
            f"{argument} is a single {type(texts).__name__}, not a list of sentences",
            fix=f"Pass {argument}=[...], one string per sentence",
        )
    if not isinstance(texts, Iterable):
        raise InputError(f"{argument} is {_kind(texts)}", fix=f"Pass {argument}=[...], one string per sentence")
    checked = tuple(texts)
    if set(map(type, checked)) - {str}:
        for i, text in enumerate(checked):
            _check_text(text, f"{argument}[{i}]")
        return tuple(map(str, checked))
    return checked


def check_references(references: Sequence[Sequence[str]], sources: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the references as tuples, sentence-major, or say what is wrong with their shape."""
    if isinstance(references, (str, bytes)):
        raise InputError(f"references is a single {type(references).__name__}", fix=_SENTENCE_MAJOR)
    if not isinstance(references, Iterable):
        raise InputError(f"references is {_kind(references)}", fix=_SENTENCE_MAJOR)
    rows = list(references)
    plain = set(map(type, rows)) <= {list, tuple} and set(map(type, chain.from_iterable(rows))) <= {str}
    checked = tuple(map(tuple, rows)) if plain else _check_rows(rows)
    _check_shape(checked, sources)
    if not all(checked):
        i = checked.index(())
        raise InputError(f"references[{i}] is empty: no references for sentence {i + 1}", fix="Give at least one")
    return checked


def _check_rows(rows: Sequence[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    for i, texts in enumerate(rows):
        if texts is None or isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
            raise InputError(
                f"references[{i}] is {_kind(texts)}, not a list of strings",
                fix=f"{_SENTENCE_MAJOR}: wrap single references as [[reference] for reference in references]",
            )
    return tuple(check_texts(texts, f"references[{i}]") for i, texts in enumerate(rows))


def check_predictions(predictions: Iterable[str], sentences: int, name: str = "predictions") -> tuple[str, ...]:
    """Return the predictions as a tuple of as many strings as there are sentences."""
    checked = check_texts(predictions, name)
    if len(checked) != sentences:
        raise InputError(
            f"{len(checked)} {name} for {sentences} sources",
            fix="Give one prediction per source, in order; an empty output is an empty string",
        )
    return checked


def check_line_count(lines: int, sentences: int, name: str, file: str, fix: str) -> None:
    """Refuse a file with another number of lines than there are sentences in what `name` names."""
    if lines != sentences:
        raise InputError(
            f"{lines} lines, but {name} has {sentences} sentences", file=file, line=min(lines, sentences) + 1, fix=fix
        )


def _check_shape(references: tuple[tuple[str, ...], ...], sources: Sequence[str]) -> None:
    transposed_fix = f"{_SENTENCE_MAJOR}: pass list(zip(*references))"
    if len(references) != len(sources):
        if references and all(len(texts) == len(sources) for texts in references):
            raise InputError(
                f"references look transposed: {len(references)} lists of {len(sources)} texts "
                f"for {len(sources)} sources",
                fix=transposed_fix,
            )
        raise InputError(f"references for {len(references)} sentences, but {len(sources)} sources", fix=_SENTENCE_MAJOR)
    if _square_and_transposed(references, sources):
        raise InputError("references look transposed: they resemble the sources column by column", fix=transposed_fix)


def _square_and_transposed(references: tuple[tuple[str, ...], ...], sources: Sequence[str]) -> bool:
    if len(sources) < 2 or any(len(texts) != len(sources) for texts in references):
        return False
    if sum(len(source.split()) for source in sources) < 4 * len(sources):
        return False
    by_row = _mean_overlap(sources, references)
    by_column = _mean_overlap(sources, tuple(zip(*references, strict=True)))
    return by_column > 0.5 and by_column > 1.5 * by_row


def _mean_overlap(sources: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    pairs = [(source, text) for source, texts in zip(sources, references, strict=True) for text in texts]
    return sum(overlap(source, text) for source, text in pairs) / len(pairs)


def overlap(left: str, right: str) -> float:
    """Return the Jaccard overlap of the token sets of two sentences (1 if both are empty)."""
    first, second = set(left.split()), set(right.split())
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def _check_text(text: object, place: str) -> None:
    if not isinstance(text, str):
        raise InputError(f"{place} is {_kind(text)}, not a string", fix="An empty sentence is ''")


def _kind(value: object) -> str:
    if value is None:
        return "None"
    return f"a {type(value).__name__}" + (f" ({value!r})" if isinstance(value, (str, int, float)) else "")


_PROBES = 2000
_RUN = 10
_WINDOW = 30
_SHORT = 4
_UNLIKE = 0.2
_DOUBTFUL = 0.6
_PAIR = "Pair line by line; skip this check with aligned=True (on the command line: --aligned)"


class ForeignTextError(InputError):
    """Lines that share hardly a word with their sources."""


def check_alignment(
    sources: Sequence[str], lines: Sequence[str], name: str = "predictions", file: str | None = None
) -> None:
    """Raise where lines resemble the neighbouring sources and not their own, or resemble their own hardly at all.

    Ten misplaced lines in a row (five or half of a shorter corpus) are an error, as are thirty in a row (or a shorter
    corpus of ten or more) that share less than a fifth of their tokens with their sources: corrections share more. A
    few odd lines may be the system's own. Lines of less than four tokens are not looked for elsewhere, and belong to
    their source as far as it has their tokens; empty ones, and those of short sources, say nothing. Of more than two
    thousand lines some are looked at, evenly.
    """
    step = max(1, len(sources) // _PROBES)
    seen, likeness, short = _likeness(sources[::step], lines[::step])
    places = seen * step
    _check_neighbours(sources, lines, places[~short], likeness[~short], name, file)
    window = min(_WINDOW, len(places))
    if window >= _RUN:
        _check_likeness(sources, lines, places, likeness, window, name, file)


def _check_neighbours(
    sources: Sequence[str],
    lines: Sequence[str],
    places: npt.NDArray[np.int64],
    likeness: npt.NDArray[np.float64],
    name: str,
    file: str | None,
) -> None:
    """Refuse a run of lines each of which is misplaced, by how far they belong to their own sources."""
    doubtful = np.flatnonzero(likeness < _DOUBTFUL)
    texts = [(source,) for source in sources]
    misplaced = doubtful[_misplaced(texts, lines, places[doubtful], likeness[doubtful])]
    needed = min(_RUN, max(5, len(sources) // 2))
    ends = misplaced[needed - 1 :]
    runs = ends - misplaced[: len(ends)] == needed - 1
    if runs.any():
        problem = f"{name} look shifted from line {places[misplaced[runs.argmax()]] + 1} on"
        raise InputError(f"{problem}: they resemble the sources of neighbouring lines", file=file, fix=_PAIR)


def _misplaced(
    texts: Sequence[Sequence[str]],
    lines: Sequence[str],
    places: npt.NDArray[np.int64],
    likeness: npt.NDArray[np.float64],
) -> npt.NDArray[np.bool_]:
    """Return which of the lines at these places share far more tokens with a neighbour's texts than with their own.

    Far more: over two fifths of them, and a fifth more than with their own, which is their `likeness`.
    """
    needed = np.maximum(0.4, likeness + 0.2)
    found = np.zeros(len(places), dtype=np.bool_)
    for neighbours in (places - 1, places + 1):
        inside = np.flatnonzero((neighbours >= 0) & (neighbours < len(texts)) & (needed < 1))
        others = [texts[i] for i in neighbours[inside]]
        found[inside] |= _most_shared(others, [lines[i] for i in places[inside]]) > needed[inside]
    return found


def _most_shared(texts: Sequence[Sequence[str]], lines: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the `overlap` of each line, none of them empty, with that of its texts which it resembles most."""
    sizes = [*map(len, texts)]
    counts = _count_shared([*chain.from_iterable(texts)], [*chain.from_iterable(map(repeat, lines, sizes))])
    most: npt.NDArray[np.float64] = np.maximum.reduceat(counts[:, 2] / counts[:, 3], offsets_of(texts)[:-1])
    return most


def _likeness(
    sources: Sequence[str], lines: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the lines that say something, how far each belongs to its source, and which of them are short.

    That is the `overlap` of long lines, and of short ones the share of tokens that the source has.
    """
    counts = _count_shared(sources, lines)
    seen = np.flatnonzero((counts[:, 0] >= _SHORT) & (counts[:, 1] > 0))
    tokens, shared, union = counts[seen, 1:].T
    short = tokens < _SHORT
    return seen, shared / np.where(short, tokens, union), short


def _count_shared(left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.int32]:
    """Return the tokens of each left line and of each right one, how many they share, and how many there are."""
    ours, theirs = encode_lines(left), encode_lines(right)
    counts: npt.NDArray[np.int32] = kernels.select("overlap").count_shared(
        ours.text, ours.offsets(), theirs.text, theirs.offsets()
    )
    return counts


def foreign_lines(sources: Sequence[str], lines: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return which lines share less than a fifth of their tokens with their source, as shifted lines do.

    Each is judged by its own source alone, so it does not matter which lines are around it.
    """
    seen, likeness, _ = _likeness(sources, lines)
    foreign = np.zeros(len(lines), dtype=np.bool_)
    foreign[seen] = likeness < _UNLIKE
    return foreign


def misplaced_lines(lines: Sequence[str], texts: Sequence[Sequence[str]]) -> list[int]:
    """Return the numbers, from 1, of lines that look like the correction of a neighbouring sentence, not of their own.

    `texts[i]` are the source of sentence i and whatever else its correction may resemble. A copy of the source and a
    line of less than four tokens are never misplaced.
    """
    changed = [i for i, line in enumerate(lines) if line != texts[i][0] and len(line.split()) >= _SHORT]
    likeness = _most_shared([texts[i] for i in changed], [lines[i] for i in changed])
    places = np.array(changed, dtype=np.int64)
    return [int(place) + 1 for place in places[_misplaced(texts, lines, places, likeness)]]


def _check_likeness(
    sources: Sequence[str],
    lines: Sequence[str],
    places: npt.NDArray[np.int64],
    likeness: npt.NDArray[np.float64],
    window: int,
    name: str,
    file: str | None,
) -> None:
    rounding = 1e-9
    unlike = np.lib.stride_tricks.sliding_window_view(likeness, window).mean(axis=1) < _UNLIKE - rounding
    for begin in np.flatnonzero(unlike)[:1]:
        seen = places[begin : begin + window].tolist()
        if 2 * len({_place(lines[i], sources) for i in seen} - {None}) > window:
            problem, evidence = "look shifted", "they resemble the sources of other lines"
            raise InputError(f"{name} {problem} from line {seen[0] + 1} on: {evidence}", file=file, fix=_PAIR)
        problem, evidence = "do not belong to the sources", "they share hardly a word with their lines"
        raise ForeignTextError(f"{name} {problem} from line {seen[0] + 1} on: {evidence}", file=file, fix=_PAIR)


def _place(line: str, sources: Sequence[str]) -> int | None:
    """Return the first source that shares over half of its tokens with the line."""
    return next((i for i, source in enumerate(sources) if overlap(source, line) > 0.5), None)
