"""Which essay, paragraph and place each CoNLL-14 sentence comes from."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from gecbench.corpora.edits import Row
from gecbench.errors import InputError

_DOCUMENT = re.compile(r'<DOC nid="(\d+)">(.*?)</DOC>', re.DOTALL)
_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.DOTALL)
_PARAGRAPH = re.compile(r"<(TITLE|P)>(.*?)</\1>", re.DOTALL)


def paragraphs(sgml: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield essay, paragraph number, kind (TITLE or P) and text."""
    for document in _DOCUMENT.finditer(sgml):
        text = _TEXT.search(document[2])
        if text is None:
            raise InputError(f"essay {document[1]} has no TEXT")
        for number, paragraph in enumerate(_PARAGRAPH.finditer(text[1])):
            yield int(document[1]), number, paragraph[1], html.unescape(paragraph[2])


def place_sentences(sentences: Sequence[str], sgml: str) -> list[Row]:
    """Return the place of every sentence: walk the essays, consuming their characters but white space.

    A place is the essay, the paragraph in it and the sentence in the paragraph (both from 0), and the paragraph's kind.
    """
    places: list[Row] = []
    remaining = iter(sentences)
    for essay, number, kind, text in paragraphs(sgml):
        left = "".join(text.split())
        count = 0
        while left:
            sentence = next(remaining, None)
            if sentence is None:
                raise InputError(f"the sentences end before paragraph {number} of essay {essay}")
            letters = "".join(sentence.split())
            if not letters or not left.startswith(letters):
                raise InputError(f"sentence {len(places) + 1} is not in paragraph {number} of essay {essay}")
            left = left[len(letters) :]
            places.append({"essay": essay, "paragraph": number, "sentence_in_paragraph": count, "kind": kind})
            count += 1
    if next(remaining, None) is not None:
        raise InputError(f"the essays end before sentence {len(places) + 1}")
    return places
