"""Treebank-style splitting of correction texts, which the I-measure's official M2 converter applies.

The official program passes every correction through a Penn Treebank tokeniser, so `known,the` becomes `known
, the`, `cannot` becomes `can not` and a full stop at the end is split off. Texts that are tokenised already
are unchanged.
"""

from __future__ import annotations

import re
from functools import lru_cache

_CLITIC_PAIRS = "can|not d|'ye gim|me gon|na got|ta lem|me more|'n 't|is 't|was wan|na"
_RULES = [
    (re.compile(r'(^|[ (\[{<])"'), r"\1 `` "),
    (re.compile(r'"'), " '' "),
    (re.compile(r"\.\.\."), " ... "),
    (re.compile(r"[][(){}<>;@#$%&?!]|--"), r" \g<0> "),
    (re.compile(r"[,:](?!\d)"), r" \g<0> "),
    (re.compile(r"(?<=[^.])\.(?=[\])}>\"' ]*$)"), " . "),
    (re.compile(r"(?<=[^' ])('(?:s|m|d|ll|re|ve)?)(?= |$)", re.IGNORECASE), r" \1"),
    (re.compile(r"(?<=[^' ])(n't)(?= |$)", re.IGNORECASE), r" \1"),
    *(
        (re.compile(rf"(?<!\w)({pair.replace('|', ')(')})(?!\w)", re.IGNORECASE), r"\1 \2")
        for pair in _CLITIC_PAIRS.split()
    ),
]
_PLAIN = re.compile(r"(?!.*(?:--|cannot|gimme|gonna|gotta|lemme|wanna))[A-Za-z0-9 -]*", re.IGNORECASE)


@lru_cache(maxsize=1 << 16)
def split_treebank(text: str) -> str:
    """Return the text with punctuation, quotes and contractions split off by blanks (docs/imeasure.md, section 2)."""
    if not _PLAIN.fullmatch(text):
        for pattern, replacement in _RULES:
            text = pattern.sub(replacement, text)
    return " ".join(text.split())
