"""Read and write M2 files. `gecbench.kernels.m2` parses them.

In a corpus, `noop` means an annotator without edits, `-NONE-` or nothing means a deletion, and `||` separates
alternative corrections.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, check_span
from gecbench.corpus.edits import Annotation, Edit, EditTable
from gecbench.errors import InputError, error_context
from gecbench.formats.text import read_lines, universal_newlines, write_lines
from gecbench.kernels.m2 import ParsedM2, no_sentences_error, parse_errant_lines, parse_lines
from gecbench.kernels.tokens import offsets_of_sizes

if TYPE_CHECKING:
    from gecbench.kernels.errant import EditRows

OutOfRange = Literal["error", "drop"]
NOOP = "noop"
_LARGEST_ANNOTATOR = 2**31
_PLACES = ("source_lines", "source_lengths", "edit_lines")


def read_m2(path: str | Path, out_of_range: OutOfRange = "error") -> Corpus:
    """Read an M2 file as a corpus of annotations."""
    return parse_m2(read_lines(path), str(path), out_of_range)


def parse_m2(lines: Sequence[str], file: str = "M2 text", out_of_range: OutOfRange = "error") -> Corpus:
    """Parse lines of M2.

    An edit beyond the end of its sentence is an error. With `out_of_range="drop"` it is dropped, as in the official
    scorer, but its annotator still counts.
    """
    parsed = _parse_fast(lines) or parse_lines(lines, file)
    table = _scored_edits(parsed, file, out_of_range)
    return Corpus(sources=_sources(parsed, lines), annotations=cast(Any, table), name=Path(file).name)


def _parse_fast(lines: Sequence[str], errant: bool = False) -> ParsedM2 | None:
    """Parse with the native kernel.

    Return None if the kernel is not in use, or if it cannot handle the lines.
    """
    text = "\n".join(lines)
    if kernels.active() == "python" or text.count("\n") != len(lines) - 1:
        return None
    try:
        found = kernels.select("m2").parse(text.encode(), errant)
    except UnicodeEncodeError:
        return None
    return None if found is None else ParsedM2(*found)


def _sources(parsed: ParsedM2, lines: Sequence[str]) -> list[str]:
    return [lines[number][2:] for number in parsed.source_lines.tolist()]


def _scored_edits(parsed: ParsedM2, file: str, out_of_range: OutOfRange) -> EditTable:
    """Return the edits to score, with corrections as texts.

    `noop` edits are left out. So are edits out of range, if `out_of_range` is "drop".
    """
    rows = np.repeat(parsed.source_lengths, np.diff(parsed.row_offsets))
    lengths = np.repeat(rows, np.diff(parsed.edit_offsets))
    starts, ends = parsed.starts, parsed.ends
    kept = np.ones(len(starts), dtype=np.bool_)
    if NOOP in parsed.strings:
        kept = parsed.types != parsed.strings.index(NOOP)
    if out_of_range == "drop":
        kept &= (starts >= 0) & (ends <= lengths)
    _check_edits(parsed, kept & ~((starts >= 0) & (starts <= ends) & (ends <= lengths)), lengths, file)
    _check_annotators(parsed, file)
    alternatives: dict[tuple[str, ...], int] = {}
    numbers = np.zeros(len(parsed.strings), dtype=np.int32)
    for k in np.flatnonzero(np.bincount(parsed.corrections[kept])).tolist():
        texts = tuple(["" if text == "-NONE-" else text.strip() for text in parsed.strings[k].split("||")])
        numbers[k] = alternatives.setdefault(texts, len(alternatives))
    return EditTable(
        row_offsets=parsed.row_offsets,
        annotators=parsed.annotators,
        edit_offsets=offsets_of_sizes(kept)[parsed.edit_offsets],
        starts=starts[kept],
        ends=ends[kept],
        types=parsed.types[kept],
        corrections=numbers[parsed.corrections[kept]],
        required=parsed.required[kept],
        comments=parsed.comments[kept],
        strings=parsed.strings,
        alternatives=[*alternatives],
    )


def _check_edits(parsed: ParsedM2, misplaced: npt.NDArray[np.bool_], lengths: npt.NDArray[Any], file: str) -> None:
    """Raise an error for the first edit whose span does not fit in its sentence."""
    if misplaced.any():
        edit = min(np.flatnonzero(misplaced).tolist(), key=parsed.edit_lines.__getitem__)
        with error_context(file, int(parsed.edit_lines[edit]) + 1):
            check_span(int(parsed.starts[edit]), int(parsed.ends[edit]), int(lengths[edit]))


def _check_annotators(parsed: ParsedM2, file: str) -> None:
    large = np.flatnonzero((parsed.annotators < -_LARGEST_ANNOTATOR) | (parsed.annotators >= _LARGEST_ANNOTATOR))
    if len(large):
        raise InputError(
            f"the annotator number {parsed.annotators[large[0]]} is too large",
            fix="Number the annotators from 0",
            file=file,
            line=int(parsed.edit_lines[parsed.edit_offsets[large[0]]]) + 1,
        )


class Block(NamedTuple):
    """One sentence of a file with its annotations unchanged.

    The annotations include `noop`, `-NONE-` and spans beyond the end.
    """

    source: str
    annotations: tuple[Annotation, ...]


def parse_blocks(lines: Sequence[str], file: str = "M2 text") -> list[Block]:
    """Return every sentence with its annotations as they are in the file."""
    parsed = _parse_fast(lines) or parse_lines(lines, file)
    arrays = {name: array for name, array in parsed._asdict().items() if name not in _PLACES}
    table = EditTable(**arrays, alternatives=[tuple(text.split("||")) for text in parsed.strings])
    return list(map(Block, _sources(parsed, lines), table.annotations))


class ErrantFile(NamedTuple):
    """An M2 file as `errant_compare` reads it.

    The fields are the sentences, the annotator numbers of each sentence, and all edits.
    """

    sources: list[str]
    annotators: list[list[int]]
    edits: EditRows


def parse_errant(text: str, file: str) -> ErrantFile:
    """Parse M2 like `errant_compare`.

    A carriage return ends a line, and white space around the text is ignored.
    """
    from gecbench.kernels.errant import EditRows

    text = universal_newlines(text).rstrip()
    if not text:
        raise no_sentences_error(file)
    blocks = text.lstrip()
    lines = blocks.split("\n")
    first = text[: -len(blocks)].count("\n") + 1
    parsed = _parse_fast(lines, errant=True) or parse_errant_lines(lines, file, first)
    numbers = parsed.annotators.tolist()
    annotators = [numbers[begin:end] or [0] for begin, end in pairwise(parsed.row_offsets.tolist())]
    arrays = {name: array for name, array in parsed._asdict().items() if name in EditRows._fields}
    return ErrantFile(_sources(parsed, lines), annotators, EditRows(**arrays))


def write_m2(corpus: Corpus, path: str | Path) -> None:
    """Write the annotations of a corpus as M2."""
    write_lines(path, format_m2(corpus))


def format_m2(corpus: Corpus) -> list[str]:
    """Return the annotations of a corpus as lines of M2."""
    if corpus.annotations is None:
        fix = "Extract edits with errant_parallel (from the errant package), or start from an M2 file"
        raise InputError(f"{corpus.name} has no annotations to write as M2", fix=fix)
    lines = []
    for source, sentence in zip(corpus.sources, corpus.annotations, strict=True):
        lines.append(f"S {source}")
        for annotation in sentence:
            lines.extend(_format_edit(edit, annotation.annotator) for edit in annotation.edits)
            if not annotation.edits:
                lines.append(noop_line(annotation.annotator))
        lines.append("")
    return lines


def noop_line(annotator: int) -> str:
    """Return the line of an annotator without edits."""
    return f"A -1 -1|||{NOOP}|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"


def _format_edit(edit: Edit, annotator: int) -> str:
    several = len(edit.corrections) > 1
    corrections = "||".join((text or "-NONE-") if several else text for text in edit.corrections)
    fields = (edit.type, corrections, edit.required, edit.comment, str(annotator))
    return f"A {edit.start} {edit.end}|||{'|||'.join(fields)}"
