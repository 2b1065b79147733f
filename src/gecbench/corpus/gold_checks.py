"""Checks of coded gold: annotators, spans and corrections are of the right kind, and spans fit their sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gecbench.corpus.edits import Annotation, Edit
from gecbench.corpus.error_groups import ErrorGroup, GroupedSentence, Replacement
from gecbench.errors import InputError

_LARGEST = 2**31
_HALF_OPEN = "Spans are half-open: 0 <= start <= end <= number of tokens"


def check_span(start: int, end: int, tokens: int) -> None:
    """Refuse a span that does not fit a sentence of so many tokens."""
    if not 0 <= start <= end <= tokens:
        raise InputError(f"the span {start} {end} does not fit a sentence of {tokens} tokens", fix=_HALF_OPEN)


def check_annotators(annotators: int | None, size: int) -> None:
    """Refuse more annotators of a sentence than its part of a file has characters: each costs time and memory."""
    if annotators is not None and annotators > size:
        raise InputError(f"{annotators} annotators of a sentence that takes {size} bytes in the file")


def check_sentence_annotations(sentence: Sequence[Annotation], tokens: int) -> None:
    """Refuse annotations of a sentence of so many tokens that no file of edits could hold."""
    for annotation in sentence:
        _check(annotation, Annotation, "an annotation")
        _check_number(annotation.annotator, "annotator")
        for edit in annotation.edits:
            if not _is_usual(edit, tokens):
                _check_edit(edit, tokens)
    if len(sentence) > 1 and len({annotation.annotator for annotation in sentence}) != len(sentence):
        raise InputError("lists an annotator twice", fix="Put all edits of an annotator into one Annotation")


def check_sentence_groups(sentence: GroupedSentence, tokens: int) -> None:
    """Refuse error groups of a sentence of so many tokens that no gold file could hold."""
    _check(sentence, GroupedSentence, "the sentence")
    _check(sentence.script, str, "script")
    if sentence.annotators is not None:
        _check_number(sentence.annotators, "annotators")
    for group in sentence.groups:
        _check(group, ErrorGroup, "a group")
        _check(group.required, bool, "required")
        _check(group.type, str, "type")
        for alternative in group.alternatives:
            _check(alternative.annotator, str, "annotator")
            for change in alternative.replacements:
                _check_replacement(change, tokens)


def _is_usual(edit: Edit, tokens: int) -> bool:
    """Return whether an edit is what nearly all are, one correction of plain kinds: there is nothing to refuse."""
    return (
        type(edit) is Edit
        and type(edit.start) is int is type(edit.end)
        and 0 <= edit.start <= edit.end <= tokens
        and type(edit.corrections) is tuple
        and len(edit.corrections) == 1
        and type(edit.corrections[0]) is str is type(edit.type) is type(edit.required) is type(edit.comment)
    )


def _check_edit(edit: Edit, tokens: int) -> None:
    _check(edit, Edit, "an edit")
    _check_place(edit, tokens)
    texts: Any = edit.corrections
    if not isinstance(texts, (tuple, list)) or not texts or set(map(type, texts)) - {str}:
        raise InputError(f"corrections is {texts!r:.60}, not a list of strings", fix='A deletion is [""]')
    for name in ("type", "required", "comment"):
        _check(getattr(edit, name), str, name)


def _check_replacement(change: Replacement, tokens: int) -> None:
    _check(change, Replacement, "a replacement")
    _check_place(change, tokens)
    _check(change.text, str, "text")


def _check_place(change: Edit | Replacement, tokens: int) -> None:
    if type(change.start) is not int or type(change.end) is not int:
        _check_number(change.start, "start")
        _check_number(change.end, "end")
    check_span(change.start, change.end, tokens)


def _check_number(value: object, name: str) -> None:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not -_LARGEST <= value < _LARGEST:  # type: ignore[operator]
        raise InputError(f"{name} is {value!r:.60}, not a whole number of at most 31 bits")


def _check(value: object, kind: type, name: str) -> None:
    if not isinstance(value, kind):
        raise InputError(f"{name} is {value!r:.60}, not {_KINDS.get(kind, kind.__name__)}")


_KINDS = {str: "a string", bool: "true or false"}
