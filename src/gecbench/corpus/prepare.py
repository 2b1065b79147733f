"""Check and prepare predictions before a metric counts them.

Predictions are checked for extra text around them (labels, quotes, code fences), for tokenization that differs from
their sources, for damage (empty lines, subword marks, unusual white space), and for lines paired with wrong sources.
References are checked for damage, for being identical to another text, and for being swapped with the sources.
`Preprocessing` chooses the checks and the tokenizer.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, combinations, pairwise, repeat, takewhile
from typing import Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, CorpusCache, check_texts, overlap
from gecbench.corpus.derive import ungroup
from gecbench.corpus.edits import EditedTexts, apply_edits
from gecbench.corpus.tokenize import TOKENIZERS, SourceGuide, measure_tokenizer, tokenize
from gecbench.errors import InputError, counted
from gecbench.kernels.tokens import encode_lines, offsets_of

TOKENIZE_CHOICES = ("none", "auto", *TOKENIZERS)
_SHOWN = 60  # characters of a line in an error message
MIN_LINES = 8  # with fewer lines, wrappers are not reported and tokenization gives only a warning
# Tokenization: the number of lines checked, and the share of lines unlike their sources that is an error
_TOKENIZATION_PROBES = 200
_RAW_TEXT_FIX = 'Pass tokenize="auto" to tokenize them, or tokenized=True to score them as they are'
_UNLIKE_SHARE = 0.3
# Wrappers: the number of lines checked, and the share of wrapped lines that is an error
_WRAPPER_PROBES = 25
_WRAPPED_SHARE = 0.8
# Alignment: see check_alignment
_ALIGNMENT_PROBES = 2000
_SHIFTED_RUN = 10
_FOREIGN_WINDOW = 30
_SHORT_LINE = 4  # tokens
_FOREIGN_OVERLAP = 0.2
_DOUBTFUL_OVERLAP = 0.6  # lines with a higher overlap are not compared with neighboring sources
# Damage: the smallest number and share of damaged lines that is reported
_DAMAGED_LINES = 3
_DAMAGED_SHARE = 0.01
# Repeated outputs: the number of lines checked, and the smallest number and share of different sources with one output
_REPEAT_PROBES = 2000
_REPEATS = 5
_REPEATED_SHARE = 0.1
# Swapped texts: the number of sentences checked first; then (sentences, evidence needed in standard deviations)
_SWAP_FIRST_PROBES = 100
_SWAP_STEPS = ((400, 1.5), (2000, 5.0))
_CHECKED_CORPORA: CorpusCache[bool] = CorpusCache()
_CHECKED_REFERENCES: CorpusCache[bool] = CorpusCache()
_GUIDES: CorpusCache[tuple[SourceGuide | None]] = CorpusCache()


class ForeignTextWarning(UserWarning):
    """Predictions do not resemble their sources.

    - They share hardly any words with their sources, or look shifted. Either the model is untrained, or the predictions
      are paired with the wrong sources.
    - They differ from their sources mainly in upper and lower case.
    - During training, at least 10% of the outputs are empty, or share hardly any words with their sources.
    """


class RawTextWarning(UserWarning):
    """A few predictions or references do not look tokenized like their sources.

    If there are many, `InputError` is raised instead.
    """


class DamagedTextWarning(UserWarning):
    """Several lines are damaged.

    They are empty, have no capital letters, or contain NUL bytes, subword marks (@@, ##, ▁), escapes (&apos;), special
    tokens (<pad>) or non-ASCII white space. Or many of them are the same text.
    """


class MixedUpTextWarning(UserWarning):
    """Texts look swapped, are identical, or are missing or given twice.

    - Sources and references look swapped.
    - Two texts that should differ are identical.
    - Gold edits are given twice, so that a precision exceeds 1.
    - An `Accumulator` has no output for some sentences, and scores only the others (`partial=True`).
    - An `Accumulator` was given two different outputs for a sentence.
    """


class ForeignTextError(InputError):
    """Lines share hardly any words with their sources."""


class IdenticalTextError(InputError):
    """All lines of a reference set are identical to another text.

    The other text is the sources or the predictions.
    """


@dataclass(frozen=True)
class Prepared:
    """Predictions ready to be counted.

    Args:
        corpus: The corpus of the predictions.
        lines: The predictions.
        preparation: The tokenizer applied to the predictions, or None.
        name: The name of the system.
    """

    corpus: Corpus
    lines: tuple[str, ...]
    preparation: str | None = None
    name: str = "predictions"


@dataclass(frozen=True)
class Preprocessing:
    """How predictions are tokenized and checked.

    Args:
        tokenize: "none", a tokenizer's name, or "auto" to tokenize the way the corpus is tokenized.
        tokenized: Accept text that is not tokenized like its sources.
        aligned: Skip the checks for shifted lines, for swapped sources and references, and for identical texts.
        foreign: Whether predictions that do not resemble their sources, or are identical to a reference, give an
            "error" or a "warning".
        paired: Each line was made from its source, so lines that look shifted give only a warning.
    """

    tokenize: str = "none"
    tokenized: bool = False
    aligned: bool = False
    foreign: Literal["warning", "error"] = "warning"
    paired: bool = False

    def __post_init__(self) -> None:
        if self.tokenize not in TOKENIZE_CHOICES:
            fix = f"Choose one of {', '.join(TOKENIZE_CHOICES)}"
            raise InputError(f"unknown tokenizer {self.tokenize!r}", fix=fix)
        if self.foreign not in ("warning", "error"):
            raise InputError(f"unknown value foreign={self.foreign!r}", fix="Choose 'warning' or 'error'")
        for name in ("tokenized", "aligned"):
            if getattr(self, name) not in (True, False):
                raise InputError(f"{name}={getattr(self, name)!r:.80} is not True or False")

    def prepare(
        self,
        corpus: Corpus,
        predictions: Iterable[str],
        name: str = "predictions",
        file: str | None = None,
        *,
        counted: bool = False,
        raw_text_fix: str = _RAW_TEXT_FIX,
    ) -> Prepared:
        """Check predictions and tokenize them.

        The checks cover number, type, extra text, tokenization, damage and alignment. `counted=True` skips the check
        of number and type, for a caller that has already done it. `raw_text_fix` is the advice on untokenized text.
        """
        lines = tuple(predictions) if counted else check_predictions(predictions, len(corpus), name)
        if isinstance(predictions, EditedTexts):
            return self._prepare_edits(corpus, predictions, name)
        prepared = Prepared(corpus, lines)
        if not self.tokenized:
            check_wrappers(corpus.sources, lines, name, file)
        if self.tokenize != "none":
            prepared = self._tokenize(corpus, lines)
        warn_of_damage(corpus.sources, prepared.lines, name)
        _warn_of_lost_case(corpus.sources, prepared.lines, name)
        _warn_of_repeated_text(corpus.sources, prepared.lines, name)
        if self.tokenize == "none" and not self.tokenized:
            _check_references(corpus, raw_text_fix)
            check_tokenization(corpus.sources, lines, name, file, fix=raw_text_fix)
        if not self.aligned:
            self._check_alignment(prepared, name, file)
        check_corpus(corpus, self.aligned)
        if not self.aligned:
            self._check_identical(corpus, lines, name, file)
        return replace(prepared, name=name)

    def prepare_sentence(
        self, source: str, references: tuple[str, ...], prediction: str
    ) -> tuple[str, tuple[str, ...], str]:
        """Tokenize a source, its references and its prediction.

        Other sentences do not change the result. The source and the references are tokenized only if they look like raw
        text. With "auto", words of the prediction are split as in the source. Words that the source does not contain
        are split by the Treebank's rules, and Chinese and Japanese words by character.
        """
        if self.tokenize == "none":
            return source, references, prediction
        source, *known = _tokenize_gold((source, *references), self.tokenize)
        if self.tokenize != "auto":
            (prediction,) = tokenize([prediction], self.tokenize)
        elif prediction != source and not _looks_tokenized(prediction):
            prediction = _guide_without_corpus(_tokenizer_for(source)).tokenize(source, prediction)
        return source, tuple(known), prediction

    def _prepare_edits(self, corpus: Corpus, predictions: EditedTexts, name: str) -> Prepared:
        if self.tokenize != "none":
            raise InputError(f"{name} are edits of tokens, so they cannot be tokenized", fix='Use tokenize="none"')
        return Prepared(corpus, predictions, name=name)

    def _tokenize(self, corpus: Corpus, lines: tuple[str, ...]) -> Prepared:
        if self.tokenize == "auto":
            return _tokenize_by_source(corpus, lines)
        if corpus.annotations is None and corpus.groups is None and measure_tokenizer(corpus.sources) == "none":
            corpus = corpus.replace(sources=tokenize(corpus.sources, self.tokenize))
        corpus = _with_tokenized_references(corpus, lambda _source, text: tokenize([text], self.tokenize)[0])
        return Prepared(corpus, tuple(tokenize(lines, self.tokenize)), self.tokenize)

    def _check_alignment(self, prepared: Prepared, name: str, file: str | None) -> None:
        try:
            check_alignment(prepared.corpus.sources, prepared.lines, name, file)
        except InputError as error:
            if not self.paired and (self.foreign == "error" or not isinstance(error, ForeignTextError)):
                raise
            problem = f"{error.problem}. The predictions are scored as they are"
            warnings.warn(f"{problem}; {_SKIP}.", ForeignTextWarning, stacklevel=2)

    def _check_identical(self, corpus: Corpus, lines: Sequence[str], name: str, file: str | None) -> None:
        """Raise an error or warn if predictions are identical to a reference.

        A model may have memorized the reference.
        """
        for problem in identical_references(corpus, lines, name):
            if self.foreign == "error" and not self.paired:
                raise IdenticalTextError(problem, file=file, fix=_IF_INTENDED)
            warnings.warn(f"{problem}. {_IF_INTENDED}.", MixedUpTextWarning, stacklevel=2)


def tokenize_like(texts: Iterable[str], corpus: Corpus) -> list[str]:
    """Tokenize raw text the way a corpus is tokenized.

    The source of each line guides the tokenization.

    Args:
        texts: One raw text per sentence of the corpus, in order.
        corpus: The corpus whose tokenization to follow.

    Returns:
        The tokenized texts. They stay unchanged if the corpus is raw text, or if they are already tokenized like it.

    Raises:
        InputError: There is not one text per sentence, or a text is not a string.

    >>> from gecbench import Corpus
    >>> tokenize_like(["She doesn't like cats."], Corpus(["She do n't like cat ."], [["She does n't like cats ."]]))
    ["She does n't like cats ."]
    """
    return list(Preprocessing("auto", tokenized=True, aligned=True).prepare(corpus, texts, "texts").lines)


def check_predictions(predictions: Iterable[str], sentences: int, name: str = "predictions") -> tuple[str, ...]:
    """Return the predictions as a tuple, or raise an error.

    There must be one string per sentence.
    """
    checked = check_texts(predictions, name)
    if len(checked) != sentences:
        one = name.replace("predictions", "prediction", 1)
        raise InputError(
            f"{counted(len(checked), one, name)} for {counted(sentences, 'source')}",
            fix="Give one prediction per source, in order, with '' for an empty output",
        )
    return checked


def check_corpus(corpus: Corpus, aligned: bool = False, *, swapped: bool = False) -> None:
    """Warn of damaged references and sources.

    Unless `aligned`, also check for shifted references, and for swapped or identical texts.

    Each corpus is checked once. `swapped=True` skips the check for swapped texts, for a caller that has already done
    it.
    """
    if corpus.references is None or _CHECKED_CORPORA.get(corpus, aligned):
        return
    columns = corpus.reference_columns()
    for k, column in enumerate(columns):
        warn_of_damage(corpus.sources, column, _reference_name(corpus, k))
        _warn_of_lost_case(corpus.sources, column, _reference_name(corpus, k))
    warn_of_damage(columns[0], corpus.sources, "the sources")
    # With edits or a named corpus, it is certain which text is the source.
    known = corpus.has("annotations") or corpus.has("groups") or "dataset" in corpus.metadata
    if not aligned and not known:
        for problem in _identical_to_source(corpus, columns):
            raise IdenticalTextError(problem, fix=_IF_INTENDED)
        found = [*_doubled_references(corpus, columns), *_shifted_references(corpus, columns)]
        for problem in [*found, *(() if swapped else _swapped(corpus, columns))]:
            warnings.warn(f"{problem}. {_IF_INTENDED}.", MixedUpTextWarning, stacklevel=3)
    _CHECKED_CORPORA.put(corpus, aligned, True)


def misplaced_references(corpus: Corpus) -> list[str]:
    """Return a message for each reference that looks misplaced.

    Such a reference is identical to another text, or looks swapped with the sources.
    """
    columns = corpus.reference_columns()
    return [found for look in (_identical_to_source, _doubled_references, _swapped) for found in look(corpus, columns)]


def identical_references(corpus: Corpus, lines: Sequence[str], name: str) -> Iterator[str]:
    """Yield a message for each reference identical to the predictions.

    If there are fewer than eight predictions, they are not compared, because they may be identical by chance.
    """
    if len(lines) >= MIN_LINES:
        for k in range(min(map(len, corpus.references or ((),)))):
            if _same_lines(lines, (texts[k] for texts in corpus.references or ())):
                yield f"{name} are identical to {_reference_name(corpus, k)}"


def _identical_to_source(corpus: Corpus, columns: Sequence[Sequence[str]]) -> Iterator[str]:
    for k, column in enumerate(columns):
        if len(corpus) >= MIN_LINES and _same_lines(corpus.sources, column):
            yield f"{_reference_name(corpus, k)} is identical to the sources"


def _shifted_references(corpus: Corpus, columns: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a message for each reference that does not seem to belong to the sources.

    Raw references are skipped, because they are tokenized later. The command line has checked the files of references.
    """
    for k, column in enumerate(columns if "reference_files" not in corpus.metadata else ()):
        try:
            check_alignment(corpus.sources, column, f"the lines of {_reference_name(corpus, k)}")
        except InputError as error:
            if not tokenized_unlike(corpus.sources, column):
                yield error.problem


def _doubled_references(corpus: Corpus, columns: Sequence[Sequence[str]]) -> Iterator[str]:
    for one, other in combinations(range(len(columns)), 2):
        if len(corpus) >= MIN_LINES and _same_lines(columns[one], columns[other]):
            names = [*dict.fromkeys(_reference_name(corpus, k) for k in (one, other))]
            problem = "are identical but count" if len(names) > 1 else "is given twice and counts"
            yield f"{' and '.join(names)} {problem} as two references"


def _reference_name(corpus: Corpus, k: int) -> str:
    """Return the file of a reference set, or "reference" and its number from 0.

    The file is returned only if the files of all reference sets are known.
    """
    files = corpus.metadata.get("reference_files")
    most = max(map(len, corpus.references or ((),)))
    return str(files[k]) if isinstance(files, tuple) and len(files) == most else f"reference {k}"


def _same_lines(left: Iterable[str], right: Iterable[str]) -> bool:
    return all(one == other or one.split() == other.split() for one, other in zip(left, right, strict=True))


def _check_references(corpus: Corpus, fix: str) -> None:
    if _CHECKED_REFERENCES.get(corpus):
        return
    columns = corpus.reference_columns()
    for column in columns:
        probes = max(_TOKENIZATION_PROBES // len(columns), 25)
        check_tokenization(corpus.sources, column, "references", probes=probes, fix=fix)
    _CHECKED_REFERENCES.put(corpus, None, True)


def _tokenize_by_source(corpus: Corpus, lines: tuple[str, ...]) -> Prepared:
    guide = guide_of(corpus)
    if guide is None:
        return Prepared(corpus, lines, "auto:none")
    corpus = _with_tokenized_references(corpus, guide.tokenize)
    if not tokenized_alike(corpus.sources, lines):
        lines = tuple(map(guide.tokenize, corpus.sources, lines))
    return Prepared(corpus, lines, f"auto:{guide.tokenizer}")


def _with_tokenized_references(corpus: Corpus, split: Callable[[str, str], str]) -> Corpus:
    """Tokenize the reference sets that are not tokenized like the sources."""
    raw = [k for k, column in enumerate(corpus.reference_columns()) if tokenized_unlike(corpus.sources, column)]
    if not raw:
        return corpus
    pairs = zip(corpus.sources, corpus.references or (), strict=True)
    return corpus.replace(
        references=[
            [split(source, text) if k in raw else text for k, text in enumerate(texts)] for source, texts in pairs
        ]
    )


def guide_of(corpus: Corpus) -> SourceGuide | None:
    """Return the cached source guide of a corpus.

    Return None if its sources are raw text.
    """
    found = _GUIDES.get(corpus)
    return (_GUIDES.put(corpus, None, (_learn(corpus),)) if found is None else found)[0]


def share_guide(whole: Corpus, part: Corpus) -> Corpus:
    """Give a part of a corpus the source guide of the whole.

    Both are then tokenized alike. Return the part.
    """
    _GUIDES.put(part, None, (guide_of(whole),))
    return part


def _learn(corpus: Corpus) -> SourceGuide | None:
    lines = [*corpus.sources, *_corrected_lines(corpus)]
    declared = corpus.metadata.get("tokenizer")
    tokenizer = declared if isinstance(declared, str) else measure_tokenizer(lines)
    return None if tokenizer == "none" else SourceGuide(lines, tokenizer)


def _corrected_lines(corpus: Corpus) -> Iterator[str]:
    """Yield the tokenized references of a corpus.

    If the corpus has no references, yield the sources with edits applied.
    """
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


@cache
def _guide_without_corpus(tokenizer: str) -> SourceGuide:
    return SourceGuide((), tokenizer)


@lru_cache(maxsize=4096)
def _tokenize_gold(texts: tuple[str, ...], tokenizer: str) -> list[str]:
    """Return a source and its references. Tokenize the texts that look raw."""
    name = _tokenizer_for(texts[0]) if tokenizer == "auto" else tokenizer
    return [tokenize([text], name)[0] if _looks_raw(text) else text for text in texts]


def _tokenizer_for(text: str) -> str:
    return "treebank" if text.isascii() or all(character < "\u3000" for character in text) else "char"


def _looks_raw(text: str) -> bool:
    """Return whether punctuation is joined to words and never split from them."""
    signs = [sign(text) for sign in (_final_mark, _comma, _clitic)]
    return False in signs and True not in signs


def _looks_tokenized(text: str) -> bool:
    """Return whether punctuation is split from words and never joined to them."""
    signs = [sign(text) for sign in (_final_mark, _comma, _clitic)]
    return True in signs and False not in signs


_FINAL_MARKS = frozenset(".?!।॥。！？؟۔")


def check_tokenization(
    sources: Sequence[str],
    lines: Sequence[str],
    name: str = "predictions",
    file: str | None = None,
    probes: int = _TOKENIZATION_PROBES,
    fix: str = _RAW_TEXT_FIX,
) -> None:
    """Raise an error for lines that are not tokenized like their sources.

    If there are only a few such lines, warn instead.
    """
    like, unlike = compare_tokenization(sources, lines, probes)
    if not _shows_unlike(like, unlike):
        return
    first = unlike[0]
    problem = (
        f"{name} are not tokenized like their sources, for example line {first + 1}: "
        f"{_shown(lines[first])!r} for the source {_shown(sources[first])!r}"
    )
    if len(unlike) < MIN_LINES:
        warnings.warn(f"{problem}. {fix}.", RawTextWarning, stacklevel=2)
        return
    raise InputError(problem, file=file, fix=fix)


def compare_tokenization(
    sources: Sequence[str], lines: Sequence[str], probes: int = _TOKENIZATION_PROBES
) -> tuple[int, list[int]]:
    """Compare the tokenization of sampled lines with that of their sources.

    Return how many lines are tokenized alike, and the positions of the lines that are not. A line without evidence
    (such as punctuation) is in neither group.
    """
    like, unlike = 0, []
    for i in range(0, len(lines), max(1, len(lines) // probes)):
        difference = _tokenization_difference(sources[i].rstrip(), lines[i].rstrip())
        if difference > 0:
            unlike.append(i)
        elif difference < 0:
            like += 1
    return like, unlike


def tokenized_unlike(sources: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether many lines are not tokenized like their sources.

    Many means at least 30% of the lines with evidence.
    """
    return _shows_unlike(*compare_tokenization(sources, lines))


def _shows_unlike(like: int, unlike: Sequence[int]) -> bool:
    return bool(unlike) and len(unlike) >= _UNLIKE_SHARE * (like + len(unlike))


def tokenized_alike(sources: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether lines are clearly tokenized like their sources."""
    like, unlike = compare_tokenization(sources, lines)
    return like > 10 * len(unlike)


def _tokenization_difference(source: str, line: str) -> int:
    """Return how clearly a line is tokenized unlike its source.

    The result is the number of signs of different tokenization, minus the number of opposite signs.
    """
    if source == line:
        return -1
    found = 0
    for sign in (_final_mark, _comma, _clitic):
        ours, theirs = sign(source), sign(line)
        if ours is not None and theirs is not None:
            found += 1 if ours != theirs else -1
    return found or _length_difference(source, line)


def _final_mark(text: str) -> bool | None:
    """Return whether the final punctuation mark is split from its word.

    Return None if there is no final mark.
    """
    return text[-2:-1].isspace() if text[-1:] in _FINAL_MARKS and len(text) > 1 else None


def _comma(text: str) -> bool | None:
    """Return whether a comma is split from its word, or None if there is no comma."""
    return " , " in text if ", " in text else None


def _clitic(text: str) -> bool | None:
    """Return whether a contraction is split into two tokens.

    Return None if there is no contraction.
    """
    if "'" not in text and "’" not in text:
        return None
    if " n't" in text or " 's " in text:
        return True
    return False if "n't " in text or "'s " in text or "n’t " in text or "’s " in text else None


def _length_difference(source: str, line: str) -> int:
    """Return whether the tokens are much longer or shorter than in the source.

    The result is 1 if they are, -1 if they are not, and 0 if this is unclear. The result is clear only if both texts
    have the same letters, or if one text is split into single characters.
    """
    ours, theirs = len(source.split()), len(line.split())
    if "".join(source.split()) == "".join(line.split()):
        return 1 if abs(ours - theirs) > 1 else 0 if ours != theirs else -1
    sizes = sorted((len(source) / max(ours, 1), len(line) / max(theirs, 1)))
    alike = 2 * len(set(source) & set(line)) > len(set(source))
    if alike and sizes[0] < 2.5 and max(ours, theirs) >= 4:
        return 1 if sizes[1] > 4 else -1
    return 0


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


@dataclass(frozen=True)
class Wrapper:
    """Extra text that models put around a correction, and how to remove it.

    If `may_be_text`, the wrapper can be part of the sentence. Then it is removed only if the line resembles its source
    at least as much without it.
    """

    name: str
    description: str
    unwrap: Callable[[str], str]
    may_be_text: bool = False


# These patterns take linear time on any text: tests/test_patterns.py
_FENCE = re.compile(r"^```(?:(?:text|plaintext|txt|markdown|md)\b)?\s*")
_NUMBER = re.compile(r"^\s*(?:\d+[.):]|[-*•])\s+")
_LABEL = re.compile(
    r"^\s*(?:here(?:'s| is)[^:]{0,60}|(?:the )?(?:correct|revis|rewrit|fix|improv)\w*\b[^:]{0,40}"
    r"|output|answer|response|result|target|prediction|sentence|text|assistant)\s*:\s*",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(
    r"(?<!\s)\s+(?:\(?(?:explanation|note|reason(?:ing)?|(?:changes?|corrections?)(?: made)?)\s*:"
    r"|I (?:have )?(?:changed|corrected|fixed|replaced|removed|added)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_OPENING_MARKUP = re.compile(r"^(?:<\w+>|\*\*|__)\s*")
_CLOSING_MARKUP = re.compile(r"(?:</\w+>|\*\*|__)$")
_QUOTES = {'"': '"', "“": "”", "'": "'", "«": "»", "`": "`"}


def _without_fence(line: str) -> str:
    text = _FENCE.sub("", line) if "```" in line else line
    return text[:-3].rstrip() if text.endswith("```") else text


def _without_markup(line: str) -> str:
    if "<" in line or "**" in line or "__" in line:
        return _without_outer_markup(_without_outer_markup(line))
    return line


def _without_outer_markup(line: str) -> str:
    if line.startswith("<think>") and "</think>" in line:
        text = line.partition("</think>")[2].lstrip()
    else:
        text = _OPENING_MARKUP.sub("", line)
    closing = _CLOSING_MARKUP.search(text)
    return text[: closing.start()].rstrip() if closing else text


def _without_quotes(line: str) -> str:
    text = line.strip()
    if len(text) < 3 or _QUOTES.get(text[0]) != text[-1]:
        return line
    inside = text[1:-1].strip()
    first = inside.find(text[-1])
    return line if first >= 0 and not inside[first - 1 : first].isspace() and text[0] == text[-1] else inside


def wrappers_of(lines: Sequence[str]) -> tuple[Wrapper, ...]:
    """Return the kinds of extra text to look for.

    A prefix that nearly all lines share counts as a label.
    """
    common = _common_label(lines)
    return (
        Wrapper("fence", "a Markdown fence around them", _without_fence),
        Wrapper("markup", "markup around them", _without_markup),
        Wrapper("number", "a number or bullet before them", lambda line: _NUMBER.sub("", line)),
        Wrapper(
            "label",
            f"a label before them ({common.strip() or 'such as Corrected sentence:'})",
            lambda line: line.removeprefix(common) if common else _LABEL.sub("", line),
        ),
        Wrapper("explanation", "an explanation after them", lambda line: _EXPLANATION.sub("", line), True),
        Wrapper("quotes", "quotation marks around them", _without_quotes),
    )


def _common_label(lines: Sequence[str]) -> str:
    """Return the prefix that nearly all lines share.

    The prefix is a text up to a colon, or at least two words.
    """
    if len(set(lines)) == 1:  # the model gives the same answer to every sentence
        return ""
    needed = max(2, _WRAPPED_SHARE * len(lines))
    words = Counter(" ".join(line.split(" ", 2)[:2]) + " " for line in lines if line.count(" ") > 1)
    labels = Counter(line[: line.index(": ") + 2] for line in lines if ": " in line[:60])
    for starts in (words, labels):
        start, count = starts.most_common(1)[0] if starts else ("", 0)
        if count >= needed:
            return _shared_words([line for line in lines if line.startswith(start)])
    return ""


def _shared_words(lines: Sequence[str]) -> str:
    """Return the words that all lines start with, including the space after them."""
    columns = zip(*(line.split(" ")[:-1] for line in lines), strict=False)
    return "".join(f"{words[0]} " for words in takewhile(lambda words: len(set(words)) == 1, columns))


_FORMATS = (
    (re.compile(r'^\s*\{"').match, "JSON Lines: give the file the ending .jsonl"),
    (re.compile(r'^"?\w*"?,".*"$').match, "CSV: add a header and give the file the ending .csv"),
    (re.compile(r" \|\|\| ").search, "two texts per line: keep only the corrected text"),
)


def check_wrappers(
    sources: Sequence[str], lines: Sequence[str], name: str = "predictions", file: str | None = None
) -> None:
    """Raise an error if nearly all lines have extra text around them.

    Extra text that the sources have, too, does not count.
    """
    probes = range(0, len(lines), max(1, len(lines) // _WRAPPER_PROBES))
    if len(probes) < MIN_LINES:
        return
    _check_format(sources, lines, probes, name, file)
    for wrapper in wrappers_of([lines[i] for i in probes]):
        found = [i for i in probes if _wraps(wrapper, lines[i], sources[i])]
        if len(found) >= _WRAPPED_SHARE * len(probes):
            raise InputError(
                f"almost all {name} have {wrapper.description}, for example line {found[0] + 1}: "
                f"{_shown(lines[found[0]])!r}",
                file=file,
                fix="Remove the extra text with gecbench.clean(lines, sources)",
            )


def _check_format(
    sources: Sequence[str], lines: Sequence[str], probes: Sequence[int], name: str, file: str | None
) -> None:
    for find, kind in _FORMATS:
        if sum(bool(find(lines[i])) and not find(sources[i]) for i in probes) > 0.9 * len(probes):
            problem = f"{name} are not plain text: {_shown(lines[probes[0]])!r}"
            raise InputError(problem, file=file, fix=f"This looks like {kind}")


def clean(lines: Sequence[str], sources: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Remove extra text that models put around corrections.

    Examples are labels, quotation marks, code fences and explanations. If the source has the same kind of extra text,
    the line keeps it.

    Args:
        lines: The outputs of a model.
        sources: The source of each line.

    Returns:
        The cleaned lines, and the number of changed lines for each kind of extra text.

    Raises:
        InputError: There is not one line per source, or the lines are JSON, CSV or pairs of texts instead of single
            texts. These formats are detected only if there are at least eight lines.

    >>> clean(['Corrected: "She likes cats ."'], ["She like cats ."])
    (['She likes cats .'], {'label': 1, 'quotes': 1})
    """
    if len(lines) != len(sources):
        raise InputError(
            f"{counted(len(lines), 'line')} for {counted(len(sources), 'source')}",
            fix="Give one line per source, in order",
        )
    if len(lines) >= MIN_LINES:
        _check_format(sources, lines, range(len(lines)), "lines", None)
    cleaned = list(lines)
    touched = {}
    for name in [wrapper.name for wrapper in wrappers_of(lines)]:
        wrapper = next(wrapper for wrapper in wrappers_of(cleaned) if wrapper.name == name)
        wrapped = [i for i, line in enumerate(cleaned) if _wraps(wrapper, line, sources[i])]
        for i in wrapped:
            cleaned[i] = wrapper.unwrap(cleaned[i])
        if wrapped:
            touched[name] = len(wrapped)
    return cleaned, touched


def wrapped_lines(sources: Sequence[str], lines: Sequence[str]) -> list[bool]:
    """Return which lines have extra text that their source does not have.

    Each line is checked by itself.
    """
    known, pairs = wrappers_of(()), zip(sources, lines, strict=True)
    return [any(_wraps(wrapper, line, source) for wrapper in known) for source, line in pairs]


def _wraps(wrapper: Wrapper, line: str, source: str) -> bool:
    """Return whether a line has a wrapper that its source does not have."""
    bare = wrapper.unwrap(line)
    if bare == line or wrapper.unwrap(source) != source:
        return False
    return not wrapper.may_be_text or overlap(source, bare) >= overlap(source, line)


_SKIP = "pass aligned=True to skip this check"
_PAIR = f"Give one line per source, in order, or {_SKIP}"


def check_alignment(
    sources: Sequence[str], lines: Sequence[str], name: str = "predictions", file: str | None = None
) -> None:
    """Raise an error if lines do not seem to belong to their sources.

    Such lines resemble neighboring sources instead of their own, or hardly resemble their own.

    Two cases are errors, because real corrections share more tokens with their sources:

    - Ten misplaced lines in a row. In a corpus of fewer than 20 lines, half of the lines are enough, but at least five.
    - Thirty lines in a row that on average share less than 20% of their tokens with their sources. In a corpus of 10 to
      29 lines, the average of all lines counts.

    Lines of fewer than four tokens are never compared with neighboring sources. Their overlap is the share of their
    tokens that the source contains. Empty lines and lines with short sources are ignored. In a corpus of at least 4,000
    lines, an evenly spaced sample is checked.
    """
    step = max(1, len(sources) // _ALIGNMENT_PROBES)
    seen, likeness, short = _source_overlap(sources[::step], lines[::step])
    places = seen * step
    _check_neighbors(sources, lines, places[~short], likeness[~short], name, file)
    window = min(_FOREIGN_WINDOW, len(places))
    if window >= _SHIFTED_RUN:
        _check_source_overlap(sources, lines, places, likeness, window, name, file)


def foreign_lines(sources: Sequence[str], lines: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return which lines share less than 20% of their tokens with their source.

    Shifted lines look like this. Empty lines, and lines whose source has fewer than four tokens, are never returned.
    Each line is compared only with its own source, so the result does not depend on other lines.
    """
    seen, likeness, _ = _source_overlap(sources, lines)
    foreign = np.zeros(len(lines), dtype=np.bool_)
    foreign[seen] = likeness < _FOREIGN_OVERLAP
    return foreign


def misplaced_lines(lines: Sequence[str], texts: Sequence[Sequence[str]]) -> list[int]:
    """Return the numbers of lines that look like corrections of a neighbor.

    The numbers count from 1. A neighbor is the sentence before or after. `texts[i]` lists the source of sentence i and
    other texts that its correction may resemble. A copy of the source and a line of fewer than four tokens are never
    misplaced.
    """
    changed = [i for i, line in enumerate(lines) if line != texts[i][0] and len(line.split()) >= _SHORT_LINE]
    likeness = _most_shared([texts[i] for i in changed], [lines[i] for i in changed])
    places = np.array(changed, dtype=np.int64)
    return [int(place) + 1 for place in places[_misplaced(texts, lines, places, likeness)]]


def _check_neighbors(
    sources: Sequence[str],
    lines: Sequence[str],
    places: npt.NDArray[np.int64],
    likeness: npt.NDArray[np.float64],
    name: str,
    file: str | None,
) -> None:
    """Raise an error for a run of misplaced lines.

    `likeness` is the overlap of each line with its own source.
    """
    doubtful = np.flatnonzero(likeness < _DOUBTFUL_OVERLAP)
    texts = [(source,) for source in sources]
    misplaced = doubtful[_misplaced(texts, lines, places[doubtful], likeness[doubtful])]
    needed = min(_SHIFTED_RUN, max(5, len(sources) // 2))
    ends = misplaced[needed - 1 :]
    runs = ends - misplaced[: len(ends)] == needed - 1
    if runs.any():
        problem = f"{name} look shifted from line {places[misplaced[runs.argmax()]] + 1} on"
        raise InputError(f"{problem}: they resemble the sources of neighboring lines", file=file, fix=_PAIR)


def _check_source_overlap(
    sources: Sequence[str],
    lines: Sequence[str],
    places: npt.NDArray[np.int64],
    likeness: npt.NDArray[np.float64],
    window: int,
    name: str,
    file: str | None,
) -> None:
    rounding = 1e-9
    unlike = np.lib.stride_tricks.sliding_window_view(likeness, window).mean(axis=1) < _FOREIGN_OVERLAP - rounding
    for begin in np.flatnonzero(unlike)[:1]:
        seen = places[begin : begin + window].tolist()
        if 2 * len({_place(lines[i], sources) for i in seen} - {None}) > window:
            problem, evidence = "look shifted", "they resemble the sources of other lines"
            raise InputError(f"{name} {problem} from line {seen[0] + 1} on: {evidence}", file=file, fix=_PAIR)
        pairs = [(sources[i].lower(), lines[i].lower()) for i in seen]
        if 2 * sum(overlap(*pair) for pair in pairs) > window:
            problem = f"{name} and their sources differ in upper and lower case from line {seen[0] + 1} on: "
            fix = f"Restore the case, because metrics compare it, or {_SKIP}"
            raise ForeignTextError(f"{problem}{_shown(lines[seen[0]])!r}", file=file, fix=fix)
        problem, evidence = "do not belong to the sources", "the lines share hardly any words with the sources"
        raise ForeignTextError(f"{name} {problem} from line {seen[0] + 1} on: {evidence}", file=file, fix=_PAIR)


def _misplaced(
    texts: Sequence[Sequence[str]],
    lines: Sequence[str],
    places: npt.NDArray[np.int64],
    likeness: npt.NDArray[np.float64],
) -> npt.NDArray[np.bool_]:
    """Return which of the lines at these places resemble a neighbor's texts.

    Such lines share far more tokens with a neighbor's texts than with their own. The overlap with the neighbor must
    exceed 0.4, and must exceed the overlap with their own texts (`likeness`) by 0.2.
    """
    needed = np.maximum(0.4, likeness + 0.2)
    found = np.zeros(len(places), dtype=np.bool_)
    for neighbors in (places - 1, places + 1):
        inside = np.flatnonzero((neighbors >= 0) & (neighbors < len(texts)) & (needed < 1))
        others = [texts[i] for i in neighbors[inside]]
        found[inside] |= _most_shared(others, [lines[i] for i in places[inside]]) > needed[inside]
    return found


def _most_shared(texts: Sequence[Sequence[str]], lines: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the highest `overlap` of each line with one of its texts.

    No list of texts may be empty.
    """
    sizes = [*map(len, texts)]
    counts = _count_shared([*chain.from_iterable(texts)], [*chain.from_iterable(map(repeat, lines, sizes))])
    most: npt.NDArray[np.float64] = np.maximum.reduceat(counts[:, 2] / counts[:, 3], offsets_of(texts)[:-1])
    return most


def _source_overlap(
    sources: Sequence[str], lines: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the overlap of comparable lines with their sources.

    The result is the positions of these lines, their overlap, and which of them are short. Empty lines and lines with
    short sources are not comparable. The overlap of a short line is the share of its tokens that the source contains.
    The overlap of other lines is computed by `overlap`.
    """
    counts = _count_shared(sources, lines)
    seen = np.flatnonzero((counts[:, 0] >= _SHORT_LINE) & (counts[:, 1] > 0))
    tokens, shared, union = counts[seen, 1:].T
    short = tokens < _SHORT_LINE
    return seen, shared / np.where(short, tokens, union), short


def _count_shared(left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.int32]:
    """Count the tokens of each pair of lines.

    Return the number of tokens in the left line and in the right line, and of distinct tokens in both and in either.
    """
    ours, theirs = encode_lines(left), encode_lines(right)
    counts: npt.NDArray[np.int32] = kernels.select("tokens").count_shared(
        ours.text, ours.offsets(), theirs.text, theirs.offsets()
    )
    return counts


def _place(line: str, sources: Sequence[str]) -> int | None:
    """Return the first place where the overlap of source and line exceeds 0.5.

    Return None if there is no such source.
    """
    return next((i for i, source in enumerate(sources) if overlap(source, line) > 0.5), None)


_IF_INTENDED = "If this is intended, pass aligned=True to skip this check"
_MARKS = {
    "\0": ("NUL bytes", "The file may be damaged or encoded in UTF-16"),
    "@@ ": ("BPE marks (@@)", "Join the subwords first: sed 's/@@ //g'"),
    " ##": ("WordPiece marks (##)", "Join the subwords first: sed 's/ ##//g'"),
    "▁": ("SentencePiece marks (▁)", "Decode the pieces to text first"),
    "&apos;": ("escapes (&apos;)", "Replace them with the characters, for example by Python's html.unescape"),
    "&quot;": ("escapes (&quot;)", "Replace them with the characters, for example by Python's html.unescape"),
    "<pad>": ("special tokens (<pad>)", "Remove them first, for example by skip_special_tokens=True"),
    "<|endoftext|>": ("special tokens (<|endoftext|>)", "Remove them first, for example by skip_special_tokens=True"),
}
_BLANKS = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200C)))


def warn_of_damage(sources: Sequence[str], lines: Sequence[str], name: str) -> None:
    """Warn of damaged lines.

    Damage means empty lines, NUL bytes, subword marks and unusual white space that the sources do not have. Damage is
    reported if at least three lines and 1% of all lines have it. A single NUL byte is always reported.
    """
    text = "\n".join(lines)
    for mark in [*_MARKS, *("" if text.isascii() else _BLANKS)]:
        if mark.strip(" ")[0] in text and mark in text:  # a search for one character is far faster than for "@@ "
            count = sum(mark in line and mark not in source for source, line in zip(sources, lines, strict=True))
            if _is_damage(count, len(lines)) or (count and mark == "\0"):
                what, fix = _MARKS.get(mark) or _describe_blank(mark)
                _warn_of_lines(name, f"{what} in {count} of {counted(len(lines), 'line')}. {fix}")
    count = lines.count("") + sum(map(str.isspace, lines))
    if _is_damage(count, len(lines)):
        count -= sum(not line.strip() and not source.strip() for source, line in zip(sources, lines, strict=True))
        if _is_damage(count, len(lines)):
            _warn_of_lines(name, f"{count} of {len(lines)} lines are empty. They are scored as sentences without words")


def _warn_of_lost_case(sources: Sequence[str], lines: Sequence[str], name: str) -> None:
    """Warn of lines without capital letters, if their sources have some."""
    if "\n".join(lines).islower():
        count = sum(source != source.lower() for source in sources)
        if _is_damage(count, len(lines)):
            problem = f"no capital letters, but {count} of {counted(len(sources), 'source')} have some"
            _warn_of_lines(name, f"{problem}. Restore the case, because metrics compare it")


def _warn_of_repeated_text(sources: Sequence[str], lines: Sequence[str], name: str) -> None:
    """Warn if many different sentences have the same, unrelated output.

    The first lines are checked. Empty lines are reported by `warn_of_damage`.
    """
    probes = lines[:_REPEAT_PROBES]
    (text, most), *_ = Counter(probes).most_common(1)
    needed = max(_REPEATS, _REPEATED_SHARE * len(probes))
    if text.strip() and most >= needed:
        alike = list({source for source, line in zip(sources, probes, strict=False) if line == text})
        count = int(foreign_lines(alike, [text] * len(alike)).sum())
        if count >= needed:
            problem = f"{count} different sentences have the same output {_shown(text)!r}"
            _warn_of_lines(name, f"{problem}. Check whether the model failed")


def _is_damage(count: int, lines: int) -> bool:
    return lines > 1 and count >= min(lines, max(_DAMAGED_LINES, _DAMAGED_SHARE * lines))


def _describe_blank(character: str) -> tuple[str, str]:
    import unicodedata

    what = f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
    return what, "Replace this character with a space, because not every metric treats it as white space"


def _warn_of_lines(name: str, problem: str) -> None:
    warnings.warn(f"{name}: {problem}.", DamagedTextWarning, stacklevel=4)


def _swapped(corpus: Corpus, columns: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a message for each reference that seems to be swapped with the sources.

    This is a sign test over the sentences that differ. A few sentences are usually enough to see that nothing is
    swapped. More sentences are compared only while the evidence grows.
    """
    mixed = [columns[i % len(columns)][i] for i in range(len(corpus))]
    better, worse = _compare_fluency(corpus.sources, mixed, _SWAP_FIRST_PROBES)
    if better - worse > (better + worse) ** 0.5:
        return
    for k, column in enumerate(columns):
        for probes, deviations in _SWAP_STEPS:
            better, worse = _compare_fluency(corpus.sources, column, probes)
            if worse - better < deviations * (better + worse) ** 0.5 or better == worse:
                break
        else:
            share = f"where they differ, the source reads better in {worse / (better + worse):.0%} of the sentences"
            yield f"the sources and {_reference_name(corpus, k)} look swapped: {share}"


def _compare_fluency(sources: Sequence[str], texts: Sequence[str], probes: int) -> tuple[int, int]:
    """Return how many texts read better than their source, and how many worse.

    Only a sample of `probes` texts is compared. Correct phrases recur in other sentences, while errors vary. Only
    bigrams that the other text does not have are compared: the text with the larger share of recurring bigrams reads
    better.
    """
    differing = [i for i in range(len(texts)) if sources[i].strip() != texts[i].strip()]
    sample = differing[:: max(1, len(differing) // probes)]
    pairs = [(_token_pairs(sources[i]), _token_pairs(texts[i])) for i in sample]
    known = Counter(chain.from_iterable(left | right for left, right in pairs))
    better = worse = 0
    for left, right in pairs:
        ours, theirs = left - right, right - left
        if ours and theirs:
            difference = len(ours) * sum(known[pair] > 1 for pair in theirs)
            difference -= len(theirs) * sum(known[pair] > 1 for pair in ours)
            better += difference > 0
            worse += difference < 0
    return better, worse


def _token_pairs(text: str) -> set[tuple[str, str]]:
    return {*pairwise(["", *text.split(), ""])}
