"""M2: source sentences with coded edits per annotator, as the CoNLL shared tasks publish them.

A block is `S tokens`, then one line per edit, `A start end|||type|||corrections|||required|||comment|||annotator`,
then an empty line. `noop` registers an annotator who found nothing; `-NONE-` or nothing is a deletion; `||`
separates alternative corrections. Tokens are split on Unicode whitespace.

Files of the wild hold more: text before the S line of a block, comments (`I …`), ChERRANT's corrected sentences
(`T0-A0 …`) and further numbers behind a span are passed over. A second S line in a block is refused: whose edits
follow is not said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, DeferredAnnotations, check_span
from gecbench.corpus.edits import Annotation, Edit
from gecbench.errors import InputError, error_context
from gecbench.formats.text import read_lines, universal_newlines, write_lines
from gecbench.kernels.m2 import EditTable

if TYPE_CHECKING:
    from gecbench.kernels import errant

OutOfRange = Literal["error", "drop"]
NOOP = "noop"
_PASSED_OVER = re.compile(r"I |T\d+-A\d+(?: |$)")
_COMMENT = re.compile(r"I |#")
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
    table, kept = _usual_table(lines), tuple(lines)
    if table is None:
        blocks = parse_blocks(kept, file)
        annotations = _scored_annotations(blocks, file, out_of_range)
        return Corpus(sources=[block.source for block in blocks], annotations=annotations, name=Path(file).name)
    deferred = DeferredAnnotations(lambda: _scored_annotations(parse_blocks(kept, file), file, out_of_range), table)
    sources = [kept[number][2:] for number in table.source_lines.tolist()]
    return Corpus(sources=sources, annotations=cast(Any, deferred), name=Path(file).name)


def _usual_table(lines: Sequence[str]) -> EditTable | None:
    text = "\n".join(lines)
    if text.count("\n") != len(lines) - 1:
        return None
    try:
        found = kernels.select("m2").read_edits(text.encode())
    except UnicodeEncodeError:
        return None
    return None if found is None else EditTable(*found)


def _scored_annotations(blocks: Sequence[Block], file: str, out_of_range: OutOfRange) -> list[list[Annotation]]:
    annotations = []
    for source, edit_lines in blocks:
        length = len(source.split())
        edits = ((line.annotator, _scored_edit(line, length, file, out_of_range)) for line in edit_lines)
        annotations.append(_by_annotator(edits))
    return annotations


def parse_blocks(lines: Sequence[str], file: str = "M2 text") -> list[Block]:
    """Read M2 from lines without loss of edits; what else files of the wild hold is passed over."""
    blocks: list[Block] = []
    inside = False
    before = 0  # number of the first line of text since the last empty one, if no S line came after it
    for number, line in enumerate([*lines, ""], start=1):
        if not line or line.isspace():
            if before:
                raise _no_source(lines[before - 1], file, before)
            inside = False
        elif inside:
            if not _PASSED_OVER.match(line):
                blocks[-1].lines.append(_parse_edit(line, file, number))
        elif line == "S" or line.startswith("S "):
            blocks.append(Block(line[2:], []))
            inside, before = True, 0
        elif line.startswith("A "):
            raise _no_source(line, file, number)
        elif not _COMMENT.match(line):
            before = before or number
    if not blocks:
        raise InputError("no sentences", file=file, fix="Each block of an M2 file starts with 'S '")
    return blocks


def parse_edit_fields(text: str, file: str) -> list[errant.Block]:
    """Read M2 as `errant_compare` does (`gecbench.kernels.errant.read_blocks`), or say which line is none."""
    from gecbench.kernels import errant

    text = universal_newlines(text).rstrip()
    if not text:
        raise InputError("no sentences", file=file, fix="Each block of an M2 file starts with 'S '")
    blocks = text.lstrip()
    try:
        return errant.read_blocks(blocks)
    except errant.NotAnEdit as error:
        line, number = error.args
        raise _not_an_edit(line, file, text[: -len(blocks)].count("\n") + number) from error


def write_m2(corpus: Corpus, path: str | Path) -> None:
    """Write the annotations of a corpus as M2."""
    write_lines(path, format_m2(corpus))


def format_m2(corpus: Corpus) -> list[str]:
    """Return the annotations of a corpus as lines of M2."""
    if corpus.annotations is None:
        fix = "Make edits of parallel text with errant_parallel of the errant package, or start from an M2 file"
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


def _no_source(line: str, file: str, number: int) -> InputError:
    return InputError(
        f"the block does not start with a source line but with {line[:40]!r}",
        file=file,
        line=number,
        fix="Each block starts with 'S ' and blocks are separated by an empty line",
    )


def noop_line(annotator: int) -> str:
    """Return the line of an annotator who found nothing."""
    return f"A -1 -1|||{NOOP}|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"


def _not_an_edit(line: str, file: str, number: int) -> InputError:
    fix = "A sentence starts a new block: put one empty line before it" if line.startswith("S") else _EDIT_FORM
    return InputError(f"not an edit line: {line[:40]!r}", file=file, line=number, fix=fix)


def _parse_edit(line: str, file: str, number: int) -> EditLine:
    if not line.startswith("A "):
        raise _not_an_edit(line, file, number)
    fields = line[2:].split("|||")
    if len(fields) < 6:
        raise InputError(f"{len(fields)} fields where 6 are needed", file=file, line=number, fix=_EDIT_FORM)
    try:
        start, end = map(int, fields[0].split()[:2])
        annotator = int(fields[5])
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
    with error_context(file, line.number):
        check_span(edit.start, edit.end, length)
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
