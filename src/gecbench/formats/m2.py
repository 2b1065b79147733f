"""M2: source sentences with coded edits per annotator, as the CoNLL shared tasks publish them.

A block is `S tokens`, then one line per edit, `A start end|||type|||corrections|||required|||comment|||annotator`,
then an empty line. `noop` registers an annotator who found nothing; `-NONE-` or nothing is a deletion; `||`
separates alternative corrections. Tokens are split on Unicode whitespace.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Annotation, Edit
from gecbench.errors import InputError
from gecbench.formats.text import read_lines, write_lines

OutOfRange = Literal["error", "drop"]
_EDIT_FORM = "An edit is: A start end|||type|||correction|||REQUIRED|||-NONE-|||annotator"


def read_m2(path: str | Path, out_of_range: OutOfRange = "error") -> Corpus:
    """Read an M2 file as a corpus of annotations."""
    return parse_m2(read_lines(path), str(path), out_of_range)


def parse_m2(lines: Sequence[str], file: str = "M2 text", out_of_range: OutOfRange = "error") -> Corpus:
    """Read M2 from lines; an edit beyond the end of its sentence is an error, or dropped as the official scorer does.

    A dropped edit still registers its annotator.
    """
    sources: list[str] = []
    annotations: list[list[Annotation]] = []
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*lines, ""], start=1):
        if line and not line.isspace():
            block.append((number, line))
        elif block:
            source, annotated = _parse_block(block, file, out_of_range)
            sources.append(source)
            annotations.append(annotated)
            block = []
    if not sources:
        raise InputError("no sentences", file=file, fix="Each block of an M2 file starts with 'S '")
    return Corpus(sources=sources, annotations=annotations, name=Path(file).name)


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
                lines.append(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotation.annotator}")
        lines.append("")
    return lines


def _parse_block(block: Sequence[tuple[int, str]], file: str, out_of_range: OutOfRange) -> tuple[str, list[Annotation]]:
    first_number, first = block[0]
    if first != "S" and not first.startswith("S "):
        raise InputError(
            f"the block does not start with a source line but with {first[:40]!r}",
            file=file,
            line=first_number,
            fix="Each block starts with 'S ' and blocks are separated by an empty line",
        )
    source = first[2:]
    length = len(source.split())
    edits: dict[int, list[Edit]] = {}
    for number, line in block[1:]:
        if line.startswith("I "):
            continue
        annotator, edit = _parse_edit(line, length, file, number, out_of_range)
        edits.setdefault(annotator, [])
        if edit is not None:
            edits[annotator].append(edit)
    return source, [Annotation(annotator, tuple(found)) for annotator, found in edits.items()]


def _parse_edit(line: str, length: int, file: str, number: int, out_of_range: OutOfRange) -> tuple[int, Edit | None]:
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
    if fields[1] == "noop":
        return annotator, None
    if not 0 <= start <= end <= length:
        if out_of_range == "drop" and (start < 0 or end > length):
            return annotator, None
        raise InputError(
            f"the span {start} {end} does not fit a sentence of {length} tokens",
            file=file,
            line=number,
            fix="Spans are half-open: 0 <= start <= end <= number of tokens",
        )
    corrections = tuple(["" if text == "-NONE-" else text.strip() for text in fields[2].split("||")])
    return annotator, Edit(start, end, corrections, fields[1], fields[3], fields[4])


def _format_edit(edit: Edit, annotator: int) -> str:
    several = len(edit.corrections) > 1
    corrections = "||".join((text or "-NONE-") if several else text for text in edit.corrections)
    fields = (edit.type, corrections, edit.required, edit.comment, str(annotator))
    return f"A {edit.start} {edit.end}|||{'|||'.join(fields)}"
