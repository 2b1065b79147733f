"""Tokenizers by name, from raw text to tokens separated by spaces, and back; and one guided by the source.

`SourceGuide` tokenizes a raw prediction the way its corpus is tokenized: words that the source has take the source's
form, other words follow the habits of the corpus.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

from gecbench.corpus.corpus import check_texts
from gecbench.corpus.groups import split_treebank
from gecbench.errors import InputError, MissingDependencyError

Tokenizer = Callable[[str], str]
_CJK = "\u3000-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"


def _characters(text: str) -> str:
    return " ".join(re.sub(f"[{_CJK}]", r" \g<0> ", text).split())


def _moses() -> Tokenizer:
    tokenizer = _import_library("sacremoses", "moses").MosesTokenizer(lang="en")
    return lambda text: str(tokenizer.tokenize(text, return_str=True, escape=False))


def _spacy() -> Tokenizer:
    pipeline = _import_library("spacy", "spacy").blank("en")
    return lambda text: " ".join(token.text for token in pipeline(text) if not token.is_space)


def _13a() -> Tokenizer:
    return _import_library("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()  # type: ignore[no-any-return]


def _intl() -> Tokenizer:
    return _import_library("sacrebleu.tokenizers.tokenizer_intl").TokenizerV14International()  # type: ignore[no-any-return]


TOKENIZERS: Mapping[str, Callable[[], Tokenizer]] = {
    "treebank": lambda: split_treebank,
    "moses": _moses,
    "spacy": _spacy,
    "13a": _13a,
    "intl": _intl,
    "char": lambda: _characters,
}


def make_tokenizer(name: str) -> Tokenizer:
    """Return a tokenizer by name.

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
    """Return tokenized text as people write it: punctuation, contractions and quotation marks joined to their words.

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


def _import_library(module: str, extra: str = "") -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"the tokeniser {extra!r} needs {module}. Install it: pip install 'gecbench[{extra}]'."
        ) from error


_TYPOGRAPHIC = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "…": "..."})
_JOINED_PAIRS = {"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"}
_SENTENCE_END = re.compile(r"[^.]*\w[^.]*[a-z)'\"\d]\.")
_OPENING = "\"'(“‘`"
_CANDIDATES = ("treebank", "13a", "intl", "char")
_LONGEST_RUN = 8
_SAMPLE_SIZE = 500
Run = tuple[str, bool]


def plain_form(text: str) -> str:
    """Return the text with quotation marks, apostrophes and ellipses in their plain forms, for comparison."""
    return text.translate(_TYPOGRAPHIC).replace("``", '"').replace("''", '"')


class SourceGuide:
    """How a corpus is tokenized, learned from its own lines."""

    def __init__(self, lines: Iterable[str], tokenizer: str) -> None:
        self.tokenizer = tokenizer
        self._split: Tokenizer = make_tokenizer(tokenizer)
        known: defaultdict[Run, set[tuple[str, ...]]] = defaultdict(set)
        marks: Counter[str] = Counter()
        full_stops = 0
        for line in dict.fromkeys(lines):
            tokens = line.split()
            marks.update(token for token in tokens if token in ("``", '"'))
            full_stops += _split_full_stops(tokens)
            for run, spelled in _runs(tokens):
                known[run].add(spelled)
        self._habits = {run: next(iter(ways)) for run, ways in known.items() if len(ways) == 1}
        self._splits_full_stops = full_stops >= 0
        self._directed_quotes = marks["``"] > marks['"']

    def tokenize(self, source: str, text: str) -> str:
        """Return a raw prediction as tokens, guided by its tokenized source."""
        source_tokens = source.split()
        own: dict[Run, tuple[str, ...] | None] = {}
        for run, spelled in _runs(source_tokens):
            own[run] = spelled if own.get(run, spelled) == spelled else None
        tokens: list[str] = []
        chunks = text.split()
        for chunk, following in pairwise([*chunks, ""]):
            pieces = self._pieces(plain_form(chunk), following)
            tokens.extend(self._guided(pieces, own, final=not following))
        directed = "``" in source_tokens or ('"' not in source_tokens and self._directed_quotes)
        return " ".join(_direct_quotes(tokens) if directed else tokens)

    def _pieces(self, chunk: str, following: str) -> list[str]:
        if not following:
            return [plain_form(piece) for piece in self._split(chunk).split()]
        if self._splits_full_stops and _SENTENCE_END.fullmatch(chunk) and following.lstrip(_OPENING)[:1].isupper():
            chunk = f"{chunk[:-1]} ."
        return [plain_form(piece) for piece in self._split(f"{chunk} x").split()[:-1]]

    def _guided(self, pieces: list[str], own: dict[Run, tuple[str, ...] | None], final: bool) -> Iterator[str]:
        start = 0
        while start < len(pieces):
            for end in range(len(pieces), start, -1):
                spelled, ends_line = "".join(pieces[start:end]), final and end == len(pieces)
                found = (
                    own.get((spelled, ends_line))
                    or own.get((spelled, not ends_line))
                    or self._habits.get((spelled, ends_line))
                )
                if found:
                    yield from found
                    break
            else:
                yield pieces[start]
                end = start + 1
            start = end


def measure_tokenizer(lines: Sequence[str]) -> str:
    """Return the tokenizer that best gives lines back after they were detokenized; `none` if they are natural text."""
    sample = [" ".join(line.split()) for line in lines[:: max(1, len(lines) // _SAMPLE_SIZE)]]
    natural = detokenize(sample)
    best, best_share = "none", sum(map(str.__eq__, sample, natural))
    for name in _CANDIDATES:
        split = make_tokenizer(name)
        share = sum(" ".join(split(text).split()) == line for text, line in zip(natural, sample, strict=True))
        if share > best_share:
            best, best_share = name, share
    return best


def _runs(tokens: Sequence[str]) -> Iterator[tuple[Run, tuple[str, ...]]]:
    """Yield each run of tokens that natural text may write as one chunk: its spelling, whether it ends the line."""
    plain = [plain_form(token) for token in tokens]
    for start in range(len(tokens)):
        spelled = ""
        for end in range(start, min(len(tokens), start + _LONGEST_RUN)):
            if end > start and not _joins(plain[end - 1], plain[end]):
                break
            spelled += plain[end]
            yield (spelled, end == len(tokens) - 1), tuple(tokens[start : end + 1])


def _joins(left: str, right: str) -> bool:
    if right[0] in ".,!?;:)]}%'\"" or left[-1] in '([{$#"' or left == "'":
        return True
    return right.lower() == "n't" or (left + right).lower() in _JOINED_PAIRS or _is_chinese(left[-1], right[0])


def _is_chinese(left: str, right: str) -> bool:
    return left >= "\u3000" and right >= "\u3000"


def _split_full_stops(tokens: Sequence[str]) -> int:
    """Return how many full stops inside the line are split from their words, less those that are not."""
    split = sum(
        middle == "." and left[-1].islower() and right[0].isupper()
        for left, middle, right in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )
    return split - sum(bool(_SENTENCE_END.fullmatch(left)) and right[0].isupper() for left, right in pairwise(tokens))


def _direct_quotes(tokens: Iterable[str]) -> Iterator[str]:
    """Write plain quotation marks as opening and closing ones by turns."""
    inside = False
    for token in tokens:
        if token in ('"', "``", "''"):
            inside = not inside if token == '"' else token == "``"
            yield ("``" if inside else "''") if token == '"' else token
        else:
            yield token
