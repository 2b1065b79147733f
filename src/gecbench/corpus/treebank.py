"""Treebank-style splitting of correction texts, which the I-measure's official M2 converter applies.

The official program passes every correction through a Penn Treebank tokeniser, so `known,the` becomes `known
, the`, `cannot` becomes `can not` and a full stop at the end is split off. Texts that are tokenised already
are unchanged.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

_CLITIC_PAIRS = "can|not d|'ye gim|me gon|na got|ta lem|me more|'n 't|is 't|was wan|na"
_RULES = [
    (r'(^|[ (\[{<])"', r"\1 `` "),
    (r'"', " '' "),
    (r"\.\.\.", " ... "),
    (r"[][(){}<>;@#$%&?!]|--", r" \g<0> "),
    (r"[,:](?!\d)", r" \g<0> "),
    (r"(?<=[^.])\.(?=[\])}>\"' ]*$)", " . "),
    (r"(?<=[^' ])('(?:s|m|d|ll|re|ve)?)(?= |$)", r" \1"),
    (r"(?<=[^' ])(n't)(?= |$)", r" \1"),
    *((rf"(?<!\w)({pair.replace('|', ')(')})(?!\w)", r"\1 \2") for pair in _CLITIC_PAIRS.split()),
]
_PLAIN = re.compile(r"(?!.*(?:--|cannot|gimme|gonna|gotta|lemme|wanna))[A-Za-z0-9 -]*", re.IGNORECASE)


@cache
def _rules() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(form, re.IGNORECASE), replacement) for form, replacement in _RULES]


@lru_cache(maxsize=1 << 16)
def split_treebank(text: str) -> str:
    """Return the text with punctuation, quotes and contractions split off by blanks (docs/imeasure.md, section 2)."""
    if not _PLAIN.fullmatch(text):
        for pattern, replacement in _rules():
            text = pattern.sub(replacement, text)
    return " ".join(text.split())
