"""Check and prepare predictions before any metric sees them.

Predictions are checked for wrappers (labels, quotes, code fences), for tokenization unlike their sources, for damage
(empty lines, subword marks, odd blanks), and for lines that are shifted or belong to other sources. References are
checked, too: they may be damaged, identical to another text, or swapped with the sources. `Preprocessing` holds what is
checked and which tokenizer is applied.
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
MIN_LINES = 8  # fewer prove nothing: no error for wrappers, only a warning for tokenization
# Tokenization: lines looked at, and the share of unlike ones that refuses all
_TOKENIZATION_PROBES = 200
_UNLIKE_SHARE = 0.3
# Wrappers: lines looked at, and the share of wrapped ones that refuses all
_WRAPPER_PROBES = 25
_WRAPPED_SHARE = 0.8
# Alignment: see check_alignment
_ALIGNMENT_PROBES = 2000
_SHIFTED_RUN = 10
_FOREIGN_WINDOW = 30
_SHORT_LINE = 4  # tokens
_FOREIGN_OVERLAP = 0.2
_DOUBTFUL_OVERLAP = 0.6  # lines above it are not compared with their neighbors
# Damage: the least number and share of damaged lines that is reported
_DAMAGED_LINES = 3
_DAMAGED_SHARE = 0.01
# Swapped texts: sentences looked at first; then sentences, and the evidence they must show, in standard deviations
_SWAP_FIRST_PROBES = 100
_SWAP_STEPS = ((400, 1.5), (2000, 5.0))
_CHECKED_CORPORA: CorpusCache[bool] = CorpusCache()
_CHECKED_REFERENCES: CorpusCache[bool] = CorpusCache()
_GUIDES: CorpusCache[tuple[SourceGuide | None]] = CorpusCache()


class ForeignTextWarning(UserWarning):
    """Predictions that share hardly a word with their sources, or look shifted.

    They come from an untrained model, or are paired with the wrong sources.
    """


class RawTextWarning(UserWarning):
    """Too few sentences to be sure, but they look as if they were not tokenized like their sources."""


class DamagedTextWarning(UserWarning):
    """Lines that are empty, or hold NUL bytes, marks of subwords or blanks that are not ASCII."""


class MixedUpTextWarning(UserWarning):
    """Texts that seem to be given in the wrong place: swapped, or identical to another text."""


class ForeignTextError(InputError):
    """Lines that share hardly a word with their sources."""


class IdenticalTextError(InputError):
    """A reference that is identical to the sources or to the predictions."""


@dataclass(frozen=True)
class Prepared:
    """Predictions ready to be counted, their corpus, what was done to them (None: nothing), and their system's name."""

    corpus: Corpus
    lines: tuple[str, ...]
    preparation: str | None = None
    name: str = "predictions"


@dataclass(frozen=True)
class Preprocessing:
    """What is done to predictions, and what is refused.

    `tokenize`: "none"; a tokenizer by name; or "auto", the corpus's own way, guided by the source. `tokenized=True`
    takes text as it is although it is not tokenized like its sources. `aligned=True` does so although texts do not fit
    each other: lines look shifted, texts look swapped, or a reference is identical to another text. `foreign`:
    predictions that share hardly a word with their sources, or all words with a reference, are an "error", or only a
    "warning". `paired=True`: each line was made from its source, so lines that look shifted are only a warning, too.
    """

    tokenize: str = "none"
    tokenized: bool = False
    aligned: bool = False
    foreign: Literal["warning", "error"] = "warning"
    paired: bool = False

    def __post_init__(self) -> None:
        if self.tokenize not in TOKENIZE_CHOICES:
            raise InputError(f"tokenize={self.tokenize!r} is unknown", fix=f"Use one of {', '.join(TOKENIZE_CHOICES)}")

    def prepare(
        self,
        corpus: Corpus,
        predictions: Iterable[str],
        name: str = "predictions",
        file: str | None = None,
        *,
        counted: bool = False,
    ) -> Prepared:
        """Check and prepare predictions: their number and type, wrappers, tokenization and alignment.

        `counted=True`: they come from a reader that has checked their number and type.
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
        if self.tokenize == "none" and not self.tokenized:
            _check_references(corpus)
            check_tokenization(corpus.sources, lines, name, file)
        if not self.aligned:
            self._check_alignment(prepared, name, file)
        check_corpus(corpus, self.aligned)
        if not self.aligned:
            self._check_identical(corpus, lines, name, file)
        return replace(prepared, name=name)

    def prepare_sentence(
        self, source: str, references: tuple[str, ...], prediction: str
    ) -> tuple[str, tuple[str, ...], str]:
        """Return a sentence, its references and its prediction as tokens, by themselves: no corpus is looked at.

        Sources and references stay as they are unless they are raw text. "auto" gives words of the source the form
        that they have there; other words are split by the Treebank's rules, Chinese and Japanese by character.
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
            raise InputError(f"{name} are edits of tokens", fix="They need no tokeniser: leave out tokenize")
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
            problem = f"{error.problem}. They are scored as they are; {_SKIP}"
            warnings.warn(problem, ForeignTextWarning, stacklevel=2)

    def _check_identical(self, corpus: Corpus, lines: Sequence[str], name: str, file: str | None) -> None:
        """Refuse predictions that are identical to a reference, or warn of them: a model may have learned them."""
        for problem in identical_references(corpus, lines, name):
            if self.foreign == "error" and not self.paired:
                raise IdenticalTextError(problem, file=file, fix=f"Score against other references; {_MEANT}")
            warnings.warn(f"{problem}; {_MEANT}", MixedUpTextWarning, stacklevel=2)


def tokenize_like(texts: Iterable[str], corpus: Corpus) -> list[str]:
    """Return natural text as tokens, split as its corpus is and guided by the source of each line."""
    return list(Preprocessing("auto", tokenized=True, aligned=True).prepare(corpus, texts, "texts").lines)


def check_predictions(predictions: Iterable[str], sentences: int, name: str = "predictions") -> tuple[str, ...]:
    """Return the predictions as a tuple of as many strings as there are sentences."""
    checked = check_texts(predictions, name)
    if len(checked) != sentences:
        one = name.replace("predictions", "prediction", 1)
        raise InputError(
            f"{counted(len(checked), one, name)} for {counted(sentences, 'source')}",
            fix="Give one prediction per source, in order; an empty output is an empty string",
        )
    return checked


def check_corpus(corpus: Corpus, aligned: bool = False, *, swapped: bool = False) -> None:
    """Warn of damaged references and sources; unless `aligned`, refuse or warn of references in the wrong place.

    Each corpus is checked once. `swapped`: it is known that sources and references look swapped.
    """
    if corpus.references is None or _CHECKED_CORPORA.get(corpus, aligned):
        return
    columns = corpus.reference_columns()
    for k, column in enumerate(columns):
        warn_of_damage(corpus.sources, column, _reference_name(corpus, k))
    warn_of_damage(columns[0], corpus.sources, "the sources")
    # edits, and corpora that are known by name, leave no doubt about what is the source
    known = corpus.has("annotations") or corpus.has("groups") or "dataset" in corpus.metadata
    if not aligned and not known:
        for problem in _identical_to_source(corpus, columns):
            raise IdenticalTextError(problem, fix=f"Give corrected text; {_MEANT}")
        for problem in [*_doubled_references(corpus, columns), *(() if swapped else _swapped(corpus, columns))]:
            warnings.warn(f"{problem}; {_MEANT}", MixedUpTextWarning, stacklevel=3)
    _CHECKED_CORPORA.put(corpus, aligned, True)


def misplaced_references(corpus: Corpus) -> list[str]:
    """Return a sentence for each reference that is identical to the source or to another one, or looks swapped."""
    columns = corpus.reference_columns()
    return [found for look in (_identical_to_source, _doubled_references, _swapped) for found in look(corpus, columns)]


def identical_references(corpus: Corpus, lines: Sequence[str], name: str) -> Iterator[str]:
    """Yield a sentence for each reference that is identical to predictions; of a few lines that may be by chance."""
    if len(lines) >= MIN_LINES:
        for k in range(min(map(len, corpus.references or ((),)))):
            if _same_lines(lines, (texts[k] for texts in corpus.references or ())):
                yield f"{name} are identical to {_reference_name(corpus, k)}"


def _identical_to_source(corpus: Corpus, columns: Sequence[Sequence[str]]) -> Iterator[str]:
    for k, column in enumerate(columns):
        if len(corpus) >= MIN_LINES and _same_lines(corpus.sources, column):
            yield f"{_reference_name(corpus, k)} is identical to the source"


def _doubled_references(corpus: Corpus, columns: Sequence[Sequence[str]]) -> Iterator[str]:
    for one, other in combinations(range(len(columns)), 2):
        if len(corpus) >= MIN_LINES and _same_lines(columns[one], columns[other]):
            names = [*dict.fromkeys(_reference_name(corpus, k) for k in (one, other))]
            problem = "are identical, but count" if len(names) > 1 else "is given twice, and counts"
            yield f"{' and '.join(names)} {problem} as two references"


def _reference_name(corpus: Corpus, k: int) -> str:
    """Return the file of a reference, if all were read from files and none was left out, or its number, from 0."""
    files = corpus.metadata.get("reference_files")
    most = max(map(len, corpus.references or ((),)))
    return str(files[k]) if isinstance(files, tuple) and len(files) == most else f"reference {k}"


def _same_lines(left: Iterable[str], right: Iterable[str]) -> bool:
    return all(one == other or one.split() == other.split() for one, other in zip(left, right, strict=True))


def _check_references(corpus: Corpus) -> None:
    if _CHECKED_REFERENCES.get(corpus):
        return
    columns = corpus.reference_columns()
    for column in columns:
        check_tokenization(corpus.sources, column, "references", probes=max(_TOKENIZATION_PROBES // len(columns), 25))
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
    """Return the corpus with those references tokenized, set by set, that are not tokenized like the sources."""
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
    """Return the guide of a corpus, made once; None if its sources are not tokenized at all."""
    found = _GUIDES.get(corpus)
    return (_GUIDES.put(corpus, None, (_learn(corpus),)) if found is None else found)[0]


def share_guide(whole: Corpus, part: Corpus) -> Corpus:
    """Return a part of a corpus, whose text is then tokenized as in the whole."""
    _GUIDES.put(part, None, (guide_of(whole),))
    return part


def _learn(corpus: Corpus) -> SourceGuide | None:
    lines = [*corpus.sources, *_corrected_lines(corpus)]
    declared = corpus.metadata.get("tokenizer")
    tokenizer = declared if isinstance(declared, str) else measure_tokenizer(lines)
    return None if tokenizer == "none" else SourceGuide(lines, tokenizer)


def _corrected_lines(corpus: Corpus) -> Iterator[str]:
    """Yield the references if they are tokenized, or what the annotators' edits make of the sources."""
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
    """Return a source and its references, those of them as tokens that look raw."""
    name = _tokenizer_for(texts[0]) if tokenizer == "auto" else tokenizer
    return [tokenize([text], name)[0] if _looks_raw(text) else text for text in texts]


def _tokenizer_for(text: str) -> str:
    return "treebank" if text.isascii() or all(character < "\u3000" for character in text) else "char"


def _looks_raw(text: str) -> bool:
    """Return whether punctuation is joined to words, and nowhere split from them."""
    signs = [sign(text) for sign in (_final_mark, _comma, _clitic)]
    return False in signs and True not in signs


def _looks_tokenized(text: str) -> bool:
    signs = [sign(text) for sign in (_final_mark, _comma, _clitic)]
    return True in signs and False not in signs


_FINAL_MARKS = frozenset(".?!।॥。！？؟۔")


def check_tokenization(
    sources: Sequence[str],
    lines: Sequence[str],
    name: str = "predictions",
    file: str | None = None,
    probes: int = _TOKENIZATION_PROBES,
) -> None:
    """Refuse lines that are not tokenized like their sources; warn where there are only a handful of them."""
    like, unlike = compare_tokenization(sources, lines, probes)
    if not _shows_unlike(like, unlike):
        return
    first = unlike[0]
    problem = (
        f"{name} are not tokenised like their sources, for example line {first + 1}: "
        f"{_shown(lines[first])!r} beside the source {_shown(sources[first])!r}"
    )
    fix = (
        'Pass tokenize="auto" (on the command line: --tokenize auto), '
        "or tokenized=True (--tokenized) to score them as they are"
    )
    if len(unlike) < MIN_LINES:
        warnings.warn(f"{problem}. {fix}.", RawTextWarning, stacklevel=2)
        return
    raise InputError(problem, file=file, fix=fix)


def compare_tokenization(
    sources: Sequence[str], lines: Sequence[str], probes: int = _TOKENIZATION_PROBES
) -> tuple[int, list[int]]:
    """Return how many sampled lines show punctuation split or joined as in their source, and those that do not."""
    like, unlike = 0, []
    for i in range(0, len(lines), max(1, len(lines) // probes)):
        difference = _difference(sources[i].rstrip(), lines[i].rstrip())
        if difference > 0:
            unlike.append(i)
        elif difference < 0:
            like += 1
    return like, unlike


def tokenized_unlike(sources: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether lines show that they are not tokenized like their sources."""
    return _shows_unlike(*compare_tokenization(sources, lines))


def _shows_unlike(like: int, unlike: Sequence[int]) -> bool:
    return bool(unlike) and len(unlike) >= _UNLIKE_SHARE * (like + len(unlike))


def tokenized_alike(sources: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether lines are tokenized like their sources beyond doubt."""
    like, unlike = compare_tokenization(sources, lines)
    return like > 10 * len(unlike)


def _difference(source: str, line: str) -> int:
    """Return the number of signs by which a line is tokenized unlike its source, less those by which it is alike."""
    if source == line:
        return -1
    found = 0
    for sign in (_final_mark, _comma, _clitic):
        ours, theirs = sign(source), sign(line)
        if ours is not None and theirs is not None:
            found += 1 if ours != theirs else -1
    return found or _blanks(source, line)


def _final_mark(text: str) -> bool | None:
    """Return whether a final mark stands apart from its word; None if there is none."""
    return text[-2:-1].isspace() if text[-1:] in _FINAL_MARKS and len(text) > 1 else None


def _comma(text: str) -> bool | None:
    return " , " in text if ", " in text else None


def _clitic(text: str) -> bool | None:
    if "'" not in text and "’" not in text:
        return None
    if " n't" in text or " 's " in text:
        return True
    return False if "n't " in text or "'s " in text or "n’t " in text or "’s " in text else None


def _blanks(source: str, line: str) -> int:
    """Compare the tokens of texts with the same letters, or of texts whose tokens are single characters."""
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
    """Something that models put around a correction, and how to remove it.

    One that `may_be_text` is removed only if the line is then no less like its source.
    """

    name: str
    description: str
    unwrap: Callable[[str], str]
    may_be_text: bool = False


# Patterns that take time in proportion to the text, whatever it is: tests/test_patterns.py
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
    """Return the known wrappers; a text before a colon that nearly all lines begin with counts as a label."""
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
    """Return what nearly all lines begin with: a text before a colon, or two words and more."""
    if len(set(lines)) == 1:  # a model that always answers the same
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
    """Return the words that all lines begin with, the blank after them included."""
    columns = zip(*(line.split(" ")[:-1] for line in lines), strict=False)
    return "".join(f"{words[0]} " for words in takewhile(lambda words: len(set(words)) == 1, columns))


_FORMATS = (
    (re.compile(r'^\s*\{"').match, "JSON Lines: name it .jsonl"),
    (re.compile(r'^"?\w*"?,".*"$').match, "a CSV table: give it a header and name it .csv"),
    (re.compile(r" \|\|\| ").search, "two texts on a line: give the corrections alone"),
)


def check_wrappers(
    sources: Sequence[str], lines: Sequence[str], name: str = "predictions", file: str | None = None
) -> None:
    """Refuse lines if nearly all are wrapped in extra text (labels, quotes, fences) that their sources do not have."""
    probes = range(0, len(lines), max(1, len(lines) // _WRAPPER_PROBES))
    if len(probes) < MIN_LINES:
        return
    _check_format(sources, lines, probes, name, file)
    for wrapper in wrappers_of([lines[i] for i in probes]):
        found = [i for i in probes if _wraps(wrapper, lines[i], sources[i])]
        if len(found) >= _WRAPPED_SHARE * len(probes):
            raise InputError(
                f"nearly all {name} have {wrapper.description}, for example line {found[0] + 1}: "
                f"{_shown(lines[found[0]])!r}",
                file=file,
                fix="Remove it, or let gecbench.clean(lines, sources) do so (on the command line: --clean)",
            )


def _check_format(
    sources: Sequence[str], lines: Sequence[str], probes: Sequence[int], name: str, file: str | None
) -> None:
    for find, kind in _FORMATS:
        if sum(bool(find(lines[i])) and not find(sources[i]) for i in probes) > 0.9 * len(probes):
            problem = f"{name} look like another format: {_shown(lines[probes[0]])!r}"
            raise InputError(problem, file=file, fix=f"It seems {kind}")


def clean(lines: Sequence[str], sources: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Return the lines without the wrappers that their sources do not have, and how many lines each rule touched."""
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
    """Return which lines carry a wrapper that their source has not, each judged by itself."""
    known, pairs = wrappers_of(()), zip(sources, lines, strict=True)
    return [any(_wraps(wrapper, line, source) for wrapper in known) for source, line in pairs]


def _wraps(wrapper: Wrapper, line: str, source: str) -> bool:
    """Return whether a line has a wrapper that its source has not."""
    bare = wrapper.unwrap(line)
    if bare == line or wrapper.unwrap(source) != source:
        return False
    return not wrapper.may_be_text or overlap(source, bare) >= overlap(source, line)


_SKIP = "skip this check with aligned=True (on the command line: --aligned)"
_PAIR = f"Pair line by line; {_SKIP}"


def check_alignment(
    sources: Sequence[str], lines: Sequence[str], name: str = "predictions", file: str | None = None
) -> None:
    """Raise where lines resemble the neighboring sources and not their own, or resemble their own hardly at all.

    Ten misplaced lines in a row (five or half of a shorter corpus) are an error, as are thirty in a row (or a shorter
    corpus of ten or more) that share less than a fifth of their tokens with their sources: corrections share more. A
    few odd lines may be the system's own. Lines of less than four tokens are not looked for elsewhere, and belong to
    their source as far as it has their tokens; empty lines and lines with short sources are ignored. Of more than two
    thousand lines some are looked at, evenly.
    """
    step = max(1, len(sources) // _ALIGNMENT_PROBES)
    seen, likeness, short = _source_overlap(sources[::step], lines[::step])
    places = seen * step
    _check_neighbors(sources, lines, places[~short], likeness[~short], name, file)
    window = min(_FOREIGN_WINDOW, len(places))
    if window >= _SHIFTED_RUN:
        _check_source_overlap(sources, lines, places, likeness, window, name, file)


def foreign_lines(sources: Sequence[str], lines: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return which lines share less than a fifth of their tokens with their source, as shifted lines do.

    Each is judged by its own source alone, so it does not matter which lines are around it.
    """
    seen, likeness, _ = _source_overlap(sources, lines)
    foreign = np.zeros(len(lines), dtype=np.bool_)
    foreign[seen] = likeness < _FOREIGN_OVERLAP
    return foreign


def misplaced_lines(lines: Sequence[str], texts: Sequence[Sequence[str]]) -> list[int]:
    """Return the numbers, from 1, of lines that look like the correction of a neighboring sentence, not of their own.

    `texts[i]` are the source of sentence i and whatever else its correction may resemble. A copy of the source and a
    line of less than four tokens are never misplaced.
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
    """Refuse a run of lines each of which is misplaced, by how far they belong to their own sources."""
    doubtful = np.flatnonzero(likeness < _DOUBTFUL_OVERLAP)
    texts = [(source,) for source in sources]
    misplaced = doubtful[_misplaced(texts, lines, places[doubtful], likeness[doubtful])]
    needed = min(_SHIFTED_RUN, max(5, len(sources) // 2))
    ends = misplaced[needed - 1 :]
    runs = ends - misplaced[: len(ends)] == needed - 1
    if runs.any():
        problem = f"{name} look shifted from line {places[misplaced[runs.argmax()]] + 1} on"
        raise InputError(f"{problem}: they resemble the sources of neighbouring lines", file=file, fix=_PAIR)


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
            problem = f"{name} are not in the case of their sources from line {seen[0] + 1} on: "
            fix = f"Restore the case, which metrics compare; {_SKIP}"
            raise ForeignTextError(f"{problem}{_shown(lines[seen[0]])!r}", file=file, fix=fix)
        problem, evidence = "do not belong to the sources", "they share hardly a word with their lines"
        raise ForeignTextError(f"{name} {problem} from line {seen[0] + 1} on: {evidence}", file=file, fix=_PAIR)


def _misplaced(
    texts: Sequence[Sequence[str]],
    lines: Sequence[str],
    places: npt.NDArray[np.int64],
    likeness: npt.NDArray[np.float64],
) -> npt.NDArray[np.bool_]:
    """Return which of the lines at these places share far more tokens with a neighbor's texts than with their own.

    Far more: over two fifths of them, and a fifth more than with their own, which is their `likeness`.
    """
    needed = np.maximum(0.4, likeness + 0.2)
    found = np.zeros(len(places), dtype=np.bool_)
    for neighbors in (places - 1, places + 1):
        inside = np.flatnonzero((neighbors >= 0) & (neighbors < len(texts)) & (needed < 1))
        others = [texts[i] for i in neighbors[inside]]
        found[inside] |= _most_shared(others, [lines[i] for i in places[inside]]) > needed[inside]
    return found


def _most_shared(texts: Sequence[Sequence[str]], lines: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the `overlap` of each line, none of them empty, with that of its texts which it resembles most."""
    sizes = [*map(len, texts)]
    counts = _count_shared([*chain.from_iterable(texts)], [*chain.from_iterable(map(repeat, lines, sizes))])
    most: npt.NDArray[np.float64] = np.maximum.reduceat(counts[:, 2] / counts[:, 3], offsets_of(texts)[:-1])
    return most


def _source_overlap(
    sources: Sequence[str], lines: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the lines that say something, how far each belongs to its source, and which of them are short.

    That is the `overlap` of long lines, and of short ones the share of tokens that the source has.
    """
    counts = _count_shared(sources, lines)
    seen = np.flatnonzero((counts[:, 0] >= _SHORT_LINE) & (counts[:, 1] > 0))
    tokens, shared, union = counts[seen, 1:].T
    short = tokens < _SHORT_LINE
    return seen, shared / np.where(short, tokens, union), short


def _count_shared(left: Sequence[str], right: Sequence[str]) -> npt.NDArray[np.int32]:
    """Return the tokens of each left line and of each right one, how many they share, and how many there are."""
    ours, theirs = encode_lines(left), encode_lines(right)
    counts: npt.NDArray[np.int32] = kernels.select("tokens").count_shared(
        ours.text, ours.offsets(), theirs.text, theirs.offsets()
    )
    return counts


def _place(line: str, sources: Sequence[str]) -> int | None:
    """Return the first source that shares over half of its tokens with the line."""
    return next((i for i, source in enumerate(sources) if overlap(source, line) > 0.5), None)


_MEANT = "skip this check with aligned=True (on the command line: --aligned) if it is meant"
_MARKS = {
    "\0": ("NUL bytes", "The file may be damaged, or in UTF-16"),
    "@@ ": ("BPE marks (@@)", "Join the subwords first: sed 's/@@ //g'"),
    "▁": ("SentencePiece marks (▁)", "Decode the pieces to text first"),
}
_BLANKS = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200C)))


def warn_of_damage(sources: Sequence[str], lines: Sequence[str], name: str) -> None:
    """Warn of lines that are empty, or hold NUL bytes, marks of subwords or odd blanks, where their sources do not.

    A few are the system's own; three lines and a hundredth of all are reported.
    """
    text = "\n".join(lines)
    for mark in [*_MARKS, *("" if text.isascii() else _BLANKS)]:
        if mark in text:
            count = sum(mark in line and mark not in source for source, line in zip(sources, lines, strict=True))
            if _is_damage(count, len(lines)) or (count and mark == "\0"):
                what, fix = _MARKS.get(mark) or _describe_blank(mark)
                _warn_of_lines(name, f"{what} in {count} of {len(lines)} lines. {fix}")
    count = sum(not line or line.isspace() for line in lines)
    if _is_damage(count, len(lines)):
        count -= sum(not line.strip() and not source.strip() for source, line in zip(sources, lines, strict=True))
        if _is_damage(count, len(lines)):
            _warn_of_lines(name, f"{count} of {len(lines)} lines are empty. They are scored as sentences without words")


def _is_damage(count: int, lines: int) -> bool:
    return lines > 1 and count >= min(lines, max(_DAMAGED_LINES, _DAMAGED_SHARE * lines))


def _describe_blank(character: str) -> tuple[str, str]:
    import unicodedata

    what = f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
    return what, "Not every metric takes it for a blank: replace it with a space"


def _warn_of_lines(name: str, problem: str) -> None:
    warnings.warn(f"{name}: {problem}.", DamagedTextWarning, stacklevel=4)


def _swapped(corpus: Corpus, columns: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each reference whose errors the sources seem to correct.

    A sign test over the sentences that differ. A few sentences nearly always show that nothing is swapped; more are
    looked at only while the evidence grows.
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
            share = f"{worse / (better + worse):.0%} of the sentences that differ read better in the source"
            yield f"the source and {_reference_name(corpus, k)} look swapped: {share}"


def _compare_fluency(sources: Sequence[str], texts: Sequence[str], probes: int) -> tuple[int, int]:
    """Return how many texts read better than their source, and how many read worse; of many that differ, a sample.

    Correct text repeats itself, errors are of many kinds: of the pairs of neighboring tokens that only one of both has,
    the better one has more that occur in another sentence, too.
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
