"""A system's outputs as they are handed in: read, bounded, and refused where they cannot be a system's."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.corpus.checks import check_line_count, misplaced_lines
from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.formats.columns import parse_predictions
from gecbench.metrics.ratios import percent

MOST_BYTES = 8 * 2**20
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7-Zip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"Rar!": "RAR",
}
_PLAIN = "Give plain text, one output per line, or JSON Lines"


class TooLargeError(InputError):
    """More bytes than the limit."""


def read_outputs(data: bytes, file: str, corpus: Corpus, most_bytes: int = MOST_BYTES) -> list[str]:
    """Return the predictions in a file's content: text, or a table by its ending."""
    check_size(len(data), file, most_bytes)
    for magic, kind in _COMPRESSED.items():
        if data.startswith(magic):
            raise InputError(f"is compressed ({kind})", file=file, fix=_PLAIN)
    if b"\0" in data:
        raise InputError("is binary: it holds zero bytes", file=file, fix=_PLAIN)
    predictions = list(parse_predictions(data, file, corpus))
    for number, text in enumerate(predictions, start=1):
        _check_line(text, file, number)
    return predictions


def check_size(size: int, file: str, most_bytes: int = MOST_BYTES) -> None:
    """Refuse more bytes than the limit."""
    if size > most_bytes:
        limit = f"{most_bytes / 2**20:g} MB" if most_bytes >= 2**20 else f"{most_bytes} bytes"
        raise TooLargeError(f"is larger than the limit of {limit}", file=file)


def check_outputs(
    predictions: Sequence[str],
    corpus: Corpus,
    file: str,
    *,
    aligned: bool = False,
    copy: bool = False,
    sealed: bool = False,
) -> list[str]:
    """Refuse outputs that cannot be a system's; return warnings about those that look odd.

    `aligned` skips the check for shifted lines, `copy` lets the unchanged source pass (as a baseline), and `sealed`
    compares with the sources alone, so that no warning tells of a reference.
    """
    misplaced = [] if aligned else misplaced_lines(predictions, _texts(corpus, sealed))
    _check_misplaced(misplaced, len(corpus), file)
    return [*_copies(predictions, corpus, file, copy), *_oddities(predictions, corpus, misplaced)]


def check_lengths(predictions: Sequence[str], corpus: Corpus, file: str) -> None:
    """Refuse another number of outputs than there are sentences, and outputs that are far too long."""
    fix = "Write one output per line, in order; an empty output is an empty line"
    check_line_count(len(predictions), len(corpus), corpus.name, file, fix)
    for number, (source, text) in enumerate(zip(corpus.sources, predictions, strict=True), start=1):
        if len(text.split()) > 100 + 10 * len(source.split()):
            raise InputError(
                f"{len(text.split())} tokens, where the source has {len(source.split())}",
                file=file,
                line=number,
                fix="A correction is about as long as its source",
            )


def unchanged_share(predictions: Sequence[str], corpus: Corpus) -> float:
    """Return the share of sentences whose tokens are those of the source."""
    pairs = zip(corpus.sources, predictions, strict=True)
    return sum(source.split() == text.split() for source, text in pairs) / len(corpus)


def _copies(predictions: Sequence[str], corpus: Corpus, file: str, copy: bool) -> list[str]:
    share = unchanged_share(predictions, corpus)
    if share == 1 and not copy:
        raise InputError(
            "every line is a copy of the source",
            file=file,
            fix="Give the system's outputs; --baseline lets the source itself be listed",
        )
    return [f"{percent(share, 0)} % of the lines are copies of the source"] if 0.95 <= share < 1 else []


def _texts(corpus: Corpus, sealed: bool) -> list[tuple[str, ...]]:
    references = [()] * len(corpus) if sealed or corpus.references is None else corpus.references
    return [(source, *texts) for source, texts in zip(corpus.sources, references, strict=True)]


def _check_misplaced(misplaced: Sequence[int], sentences: int, file: str) -> None:
    if len(misplaced) >= 3 and len(misplaced) > sentences / 5:
        raise InputError(
            f"{len(misplaced)} lines look like corrections of a neighbouring sentence",
            file=file,
            line=misplaced[0],
            fix="Pair line by line; skip this check with --aligned",
        )


def _oddities(predictions: Sequence[str], corpus: Corpus, misplaced: Sequence[int]) -> list[str]:
    warnings = []
    if misplaced:
        shown = ", ".join(map(str, misplaced[:5])) + (", …" if len(misplaced) > 5 else "")
        warnings.append(f"{len(misplaced)} lines look like corrections of a neighbouring sentence: {shown}")
    empty = sum(not text.strip() for text in predictions) - sum(not source.strip() for source in corpus.sources)
    if empty > 0:
        warnings.append(f"{empty} outputs are empty")
    return warnings


def _check_line(text: str, file: str, number: int) -> None:
    if "\n" in text:
        raise InputError("the output holds a line break", file=file, line=number, fix="Write each sentence on one line")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError("the output holds a lone surrogate", file=file, line=number, fix="Write valid Unicode")
