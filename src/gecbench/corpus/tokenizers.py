"""Tokenisers by name, from natural text to tokens with blanks between them, and the way back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from gecbench.corpus.checks import check_texts
from gecbench.corpus.treebank import split_treebank
from gecbench.errors import InputError, MissingDependencyError

Tokenizer = Callable[[str], str]

_CJK = "\u3000-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"


def _characters(text: str) -> str:
    return " ".join(re.sub(f"[{_CJK}]", r" \g<0> ", text).split())


def _moses() -> Tokenizer:
    tokenizer = _imported("sacremoses", "moses").MosesTokenizer(lang="en")
    return lambda text: str(tokenizer.tokenize(text, return_str=True, escape=False))


def _spacy() -> Tokenizer:
    pipeline = _imported("spacy", "spacy").blank("en")
    return lambda text: " ".join(token.text for token in pipeline(text) if not token.is_space)


def _13a() -> Tokenizer:
    return _imported("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()  # type: ignore[no-any-return]


def _intl() -> Tokenizer:
    return _imported("sacrebleu.tokenizers.tokenizer_intl").TokenizerV14International()  # type: ignore[no-any-return]


TOKENIZERS: Mapping[str, Callable[[], Tokenizer]] = {
    "treebank": lambda: split_treebank,
    "moses": _moses,
    "spacy": _spacy,
    "13a": _13a,
    "intl": _intl,
    "char": lambda: _characters,
}


def make_tokenizer(name: str) -> Tokenizer:
    """Return a tokeniser by name.

    `treebank`; `moses` (sacremoses); `spacy` (blank English pipeline); `13a` and `intl` (sacrebleu); `char` (every
    Chinese or Japanese character a token, other words whole).

    >>> make_tokenizer("treebank")("She doesn't like cats.")
    "She does n't like cats ."
    """
    if name not in TOKENIZERS:
        raise InputError(f"unknown tokeniser {name!r}", fix=f"Known tokenisers: {', '.join(TOKENIZERS)}")
    return TOKENIZERS[name]()


def tokenize(texts: Iterable[str], tokenizer: str = "treebank") -> list[str]:
    """Return natural text as tokens with single blanks between them."""
    split = make_tokenizer(tokenizer)
    return [" ".join(split(text).split()) for text in check_texts(texts, "texts")]


def detokenize(texts: Iterable[str]) -> list[str]:
    """Return tokenised text as people write it: punctuation, contractions and quotation marks joined to their words.

    >>> detokenize(["She does not like `` cats '' , ( or dogs ) ."])
    ['She does not like "cats", (or dogs).']
    """
    return [_detokenize(text.split()) for text in check_texts(texts, "texts")]


_JOIN_LEFT = r"(?i:[.,!?;:%)\]}]|\.\.\.|''|n't|'(?:s|m|d|ll|re|ve)?)"
_JOIN_RIGHT = r"(?:[(\[{$#]|``)"
_CHINESE = f"[{_CJK}]+"


def _detokenize(tokens: list[str]) -> str:
    text: list[str] = []
    inside_quotes, joined = False, True
    for token in tokens:
        closes = token == '"' and inside_quotes
        left = closes or bool(re.fullmatch(_JOIN_LEFT, token)) or bool(text and _both_chinese(text[-1], token))
        if text and not left and not joined:
            text.append(" ")
        text.append('"' if token in ("``", "''") else token)
        joined = bool(re.fullmatch(_JOIN_RIGHT, token)) or (token == '"' and not inside_quotes)
        if token == '"':
            inside_quotes = not inside_quotes
    return "".join(text)


def _both_chinese(left: str, right: str) -> bool:
    return bool(re.fullmatch(_CHINESE, left) and re.fullmatch(_CHINESE, right))


def _imported(module: str, extra: str = "") -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"the tokeniser {extra!r} needs {module}. Install it: pip install 'gecbench[{extra}]'."
        ) from error
