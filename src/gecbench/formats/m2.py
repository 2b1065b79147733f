"""M2: source sentences with coded edits per annotator, as the CoNLL shared tasks publish them.

A block is `S tokens`, then one line per edit, `A start end|||type|||corrections|||required|||comment|||annotator`,
then an empty line. `noop` registers an annotator who found nothing; `-NONE-` or nothing is a deletion; `||`
separates alternative corrections. Tokens are split on Unicode whitespace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Annotation, Edit
from gecbench.errors import InputError
from gecbench.formats.text import read_lines, read_text, write_lines

OutOfRange = Literal["error", "drop"]
NOOP = "noop"
EditFields = tuple[int, int, str, str]  # start, end, type and correction, as they stand
_EDIT_FORM = "An edit is: A start end|||type|||correction|||REQUIRED|||-NONE-|||annotator"


class EditLine(NamedTuple):
    """An edit line as published: `noop`, `-NONE-` and spans beyond the end are kept."""

    number: int
    annotator: int
    edit: Edit


class Block(NamedTuple):
    """One sentence of a file, its edit lines as published."""

    source: str
    lines: list[EditLine]

    def annotations(self) -> list[Annotation]:
        """Return the published edits by annotator."""
        return _by_annotator((line.annotator, line.edit) for line in self.lines)


def read_m2(path: str | Path, out_of_range: OutOfRange = "error") -> Corpus:
    """Read an M2 file as a corpus of annotations."""
    return parse_m2(read_lines(path), str(path), out_of_range)


def parse_m2(lines: Sequence[str], file: str = "M2 text", out_of_range: OutOfRange = "error") -> Corpus:
    """Read M2 from lines; an edit beyond the end of its sentence is an error, or dropped as the official scorer does.

    A dropped edit still registers its annotator.
    """
    blocks = parse_blocks(lines, file)
    annotations = []
    for source, edit_lines in blocks:
        length = len(source.split())
        edits = ((line.annotator, _scored_edit(line, length, file, out_of_range)) for line in edit_lines)
        annotations.append(_by_annotator(edits))
    return Corpus(sources=[block.source for block in blocks], annotations=annotations, name=Path(file).name)


def parse_blocks(lines: Sequence[str], file: str = "M2 text") -> list[Block]:
    """Read M2 from lines without loss; lines that begin with `I ` are comments."""
    blocks: list[Block] = []
    inside = False
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            inside = False
        elif not inside:
            blocks.append(Block(_parse_source(line, file, number), []))
            inside = True
        elif not line.startswith("I "):
            blocks[-1].lines.append(_parse_edit(line, file, number))
    if not blocks:
        raise InputError("no sentences", file=file, fix="Each block of an M2 file starts with 'S '")
    return blocks


def read_edit_fields(path: str | Path) -> list[tuple[str, dict[int, list[EditFields]]]]:
    """Read M2 as `errant_compare` does: each block's first line without `S `, and edits as they stand by annotator.

    Blocks are separated by one empty line; all lines of a block but its first are edits, the last field the annotator.
    """
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise InputError("no sentences", file=str(path), fix="Each block of an M2 file starts with 'S '")
    blocks, spans, annotators = [], _Spans(), _Numbers()
    for block in text.split("\n\n"):
        source, *lines = block.split("\n")
        edits: dict[int, list[EditFields]] = {}
        for line in lines:
            fields = line.split("|||")
            try:
                edit = (*spans[fields[0]], fields[1], fields[2])
                edits.setdefault(annotators[fields[-1]], []).append(edit)
            except (IndexError, ValueError) as error:
                where = text.count("\n", 0, text.index(line)) + 1
                raise InputError(
                    f"not an edit line: {line[:40]!r}", file=str(path), line=where, fix=_EDIT_FORM
                ) from error
        blocks.append((source[2:], edits))
    return blocks


class _Spans(dict[str, tuple[int, int]]):
    """Start and end of `A start end`, each text read once."""

    def __missing__(self, text: str) -> tuple[int, int]:
        start, end = text[2:].split()[:2]
        self[text] = int(start), int(end)
        return self[text]


class _Numbers(dict[str, int]):
    """Whole numbers, each text read once."""

    def __missing__(self, text: str) -> int:
        self[text] = int(text)
        return self[text]


def write_m2(corpus: Corpus, path: str | Path) -> None:
    """Write the annotations of a corpus as M2."""
    write_lines(path, format_m2(corpus))


def format_m2(corpus: Corpus) -> list[str]:
    """Return the annotations of a corpus as lines of M2."""
    if corpus.annotations is None:
        raise InputError(f"{corpus.name} has no annotations to write as M2")
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
    """Return the line of an annotator who found nothing."""
    return f"A -1 -1|||{NOOP}|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"


def _parse_source(line: str, file: str, number: int) -> str:
    if line != "S" and not line.startswith("S "):
        raise InputError(
            f"the block does not start with a source line but with {line[:40]!r}",
            file=file,
            line=number,
            fix="Each block starts with 'S ' and blocks are separated by an empty line",
        )
    return line[2:]


def _parse_edit(line: str, file: str, number: int) -> EditLine:
    if not line.startswith("A "):
        fix = (
            "A second sentence starts a new block: put an empty line before it" if line.startswith("S") else _EDIT_FORM
        )
        raise InputError(f"not an edit line: {line[:40]!r}", file=file, line=number, fix=fix)
    fields = line[2:].split("|||")
    if len(fields) < 6:
        raise InputError(f"{len(fields)} fields where 6 are needed", file=file, line=number, fix=_EDIT_FORM)
    try:
        first, last = fields[0].split()
        start, end, annotator = int(first), int(last), int(fields[5])
    except ValueError as error:
        raise InputError(
            f"the span {fields[0]!r} or the annotator {fields[5]!r} is not a whole number",
            file=file,
            line=number,
            fix=_EDIT_FORM,
        ) from error
    edit = Edit(start, end, tuple(fields[2].split("||")), fields[1], fields[3], fields[4])
    return EditLine(number, annotator, edit)


def _scored_edit(line: EditLine, length: int, file: str, out_of_range: OutOfRange) -> Edit | None:
    edit = line.edit
    if edit.type == NOOP or (out_of_range == "drop" and (edit.start < 0 or edit.end > length)):
        return None
    if not 0 <= edit.start <= edit.end <= length:
        raise InputError(
            f"the span {edit.start} {edit.end} does not fit a sentence of {length} tokens",
            file=file,
            line=line.number,
            fix="Spans are half-open: 0 <= start <= end <= number of tokens",
        )
    corrections = tuple(["" if text == "-NONE-" else text.strip() for text in edit.corrections])
    return edit if corrections == edit.corrections else replace(edit, corrections=corrections)


def _by_annotator(found: Iterable[tuple[int, Edit | None]]) -> list[Annotation]:
    edits: dict[int, list[Edit]] = {}
    for annotator, edit in found:
        edits.setdefault(annotator, []).extend(() if edit is None else (edit,))
    return [Annotation(annotator, tuple(made)) for annotator, made in edits.items()]


def _format_edit(edit: Edit, annotator: int) -> str:
    several = len(edit.corrections) > 1
    corrections = "||".join((text or "-NONE-") if several else text for text in edit.corrections)
    fields = (edit.type, corrections, edit.required, edit.comment, str(annotator))
    return f"A {edit.start} {edit.end}|||{'|||'.join(fields)}"
