"""Raw predictions tokenised the way of their corpus: the source first, then the corpus's habits, then a rule.

1. A blank-free chunk of the prediction is split by a tokeniser (treebank rules unless the corpus shows another way).
2. Where consecutive pieces spell what the sentence's own source spells, they get the source's token boundaries and its
   forms of quotation marks and apostrophes, whatever the tokeniser did.
3. Else, where they spell what the whole corpus always splits in one way, they get that.
4. Quotation marks take the form that the source, or else the corpus, uses; a full stop between two sentences of one
   line is split off if the corpus does so.

Measured on JFLEG and CoNLL-14 in docs/raw-text.md.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import ungroup
from gecbench.corpus.edits import apply_edits
from gecbench.corpus.raw_text import tokenized_alike
from gecbench.corpus.tokenizers import Tokenizer, detokenize, make_tokenizer
from gecbench.errors import InputError

_TYPOGRAPHIC = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "…": "..."})
_JOINED_PAIRS = {"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"}
_SENTENCE_END = re.compile(r"[^.]*\w[^.]*[a-z)'\"\d]\.")
_OPENING = "\"'(“‘`"
_CANDIDATES = ("treebank", "13a", "intl", "char")
_LONGEST_RUN = 8
_PROBES = 500
_GUIDE = "source guide"

Run = tuple[str, bool]


def plain_form(text: str) -> str:
    """Return the text with quotation marks, apostrophes and ellipses in their plain forms, for comparison."""
    return text.translate(_TYPOGRAPHIC).replace("``", '"').replace("''", '"')


class SourceGuide:
    """How a corpus is tokenised, learned from its own lines."""

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
        """Return a raw prediction as tokens, guided by its tokenised source."""
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


def guide_of(corpus: Corpus) -> SourceGuide | None:
    """Return the guide of a corpus, made once; None if its sources are not tokenised at all."""
    return corpus.derived(_GUIDE, lambda: _learn(corpus))


def share_guide(whole: Corpus, part: Corpus) -> Corpus:
    """Return a part of a corpus, whose text is then tokenised as in the whole."""
    part.derived(_GUIDE, lambda: guide_of(whole))
    return part


def _learn(corpus: Corpus) -> SourceGuide | None:
    lines = [*corpus.sources, *_corrected_lines(corpus)]
    declared = corpus.metadata.get("tokenizer")
    tokenizer = declared if isinstance(declared, str) else measure_tokenizer(lines)
    return None if tokenizer == "none" else SourceGuide(lines, tokenizer)


def _corrected_lines(corpus: Corpus) -> Iterator[str]:
    """Yield the references if they are tokenised, or what the annotators' edits make of the sources."""
    if corpus.references is not None:
        for column in corpus.reference_columns():
            if tokenized_alike(corpus.sources, column):
                yield from column
        return
    annotated = ungroup(corpus) if corpus.annotations is None and corpus.groups is not None else corpus
    for i, sentence in enumerate(annotated.annotations or ()):
        for annotation in sentence:
            with suppress(InputError):
                yield apply_edits(corpus.sources[i], annotation.edits)


def measure_tokenizer(lines: Sequence[str]) -> str:
    """Return the tokeniser that best gives lines back after they were detokenised; `none` if they are natural text."""
    sample = [" ".join(line.split()) for line in lines[:: max(1, len(lines) // _PROBES)]]
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
