"""The one door: how predictions come in before any metric sees them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from gecbench.corpus.checks import ForeignTextError, check_alignment, check_predictions
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import EditedTexts
from gecbench.corpus.raw_text import PROBES, check_tokenization, check_wrappers, tokenized_alike, tokenized_unlike
from gecbench.corpus.source_guided import guide_of, measure_tokenizer
from gecbench.corpus.tokenizers import TOKENIZERS, tokenize
from gecbench.errors import InputError

TOKENIZE_CHOICES = ("none", "auto", *TOKENIZERS)


class ForeignTextWarning(UserWarning):
    """Predictions that share hardly a word with their sources: from a model that has not learned yet, or a mix-up."""


@dataclass(frozen=True)
class Admitted:
    """Predictions ready to be counted, their corpus, and what was done to them (None: nothing)."""

    corpus: Corpus
    lines: tuple[str, ...]
    preparation: str | None = None


@dataclass(frozen=True)
class Intake:
    """What is done to predictions, and what is refused.

    `tokenize`: "none"; a tokeniser by name; or "auto", the corpus's own way, guided by the source. `tokenized=True`
    takes text as it is although it is not tokenised like its sources; `aligned=True` although lines look shifted.
    `foreign`: text that shares hardly a word with its sources is an "error", or only a "warning".
    """

    tokenize: str = "none"
    tokenized: bool = False
    aligned: bool = False
    foreign: Literal["warning", "error"] = "warning"

    def __post_init__(self) -> None:
        if self.tokenize not in TOKENIZE_CHOICES:
            raise InputError(f"tokenize={self.tokenize!r} is unknown", fix=f"Use one of {', '.join(TOKENIZE_CHOICES)}")

    def admit(
        self, corpus: Corpus, predictions: Iterable[str], name: str = "predictions", file: str | None = None
    ) -> Admitted:
        """Check and prepare predictions: their number and type, wrappers, tokens, and the lines they stand on."""
        lines = check_predictions(predictions, len(corpus), name)
        if isinstance(predictions, EditedTexts):
            return self._admit_edits(corpus, predictions, name)
        admitted = Admitted(corpus, lines)
        if not self.tokenized:
            check_wrappers(corpus.sources, lines, name, file)
        if self.tokenize != "none":
            admitted = self._tokenize(corpus, lines)
        elif not self.tokenized:
            _check_references(corpus)
            check_tokenization(corpus.sources, lines, name, file)
        if not self.aligned:
            self._check_alignment(admitted, name, file)
        return admitted

    def _admit_edits(self, corpus: Corpus, predictions: EditedTexts, name: str) -> Admitted:
        if self.tokenize != "none":
            raise InputError(f"{name} are edits of tokens", fix="They need no tokeniser: leave out tokenize")
        return Admitted(corpus, predictions)

    def _tokenize(self, corpus: Corpus, lines: tuple[str, ...]) -> Admitted:
        if self.tokenize == "auto":
            return _tokenize_by_source(corpus, lines)
        if corpus.annotations is None and corpus.groups is None and measure_tokenizer(corpus.sources) == "none":
            corpus = corpus.replace(sources=tokenize(corpus.sources, self.tokenize))
        corpus = _with_tokenized_references(corpus, lambda _source, text: tokenize([text], self.tokenize)[0])
        return Admitted(corpus, tuple(tokenize(lines, self.tokenize)), self.tokenize)

    def _check_alignment(self, admitted: Admitted, name: str, file: str | None) -> None:
        try:
            check_alignment(admitted.corpus.sources, admitted.lines, name, file)
        except ForeignTextError:
            if self.foreign == "error":
                raise
            problem = "share hardly a word with their sources; aligned=True skips this check"
            warnings.warn(f"{name} {problem}", ForeignTextWarning, stacklevel=2)


def tokenize_like(texts: Iterable[str], corpus: Corpus) -> list[str]:
    """Return natural text as tokens, split as its corpus is and guided by the source of each line."""
    return list(Intake("auto", tokenized=True, aligned=True).admit(corpus, texts, "texts").lines)


def _check_references(corpus: Corpus) -> None:
    def check() -> None:
        columns = corpus.reference_columns()
        for column in columns:
            check_tokenization(corpus.sources, column, "references", probes=max(PROBES // len(columns), 25))

    corpus.derived("references tokenised like sources", check)


def _tokenize_by_source(corpus: Corpus, lines: tuple[str, ...]) -> Admitted:
    guide = guide_of(corpus)
    if guide is None:
        return Admitted(corpus, lines, "auto:none")
    corpus = _with_tokenized_references(corpus, guide.tokenize)
    if not tokenized_alike(corpus.sources, lines):
        lines = tuple(map(guide.tokenize, corpus.sources, lines))
    return Admitted(corpus, lines, f"auto:{guide.tokenizer}")


def _with_tokenized_references(corpus: Corpus, split: Callable[[str, str], str]) -> Corpus:
    """Return the corpus with those references tokenised, set by set, that are not tokenised like the sources."""
    raw = [k for k, column in enumerate(corpus.reference_columns()) if tokenized_unlike(corpus.sources, column)]
    if not raw:
        return corpus
    pairs = zip(corpus.sources, corpus.references or (), strict=True)
    return corpus.replace(
        references=[
            [split(source, text) if k in raw else text for k, text in enumerate(texts)] for source, texts in pairs
        ]
    )
