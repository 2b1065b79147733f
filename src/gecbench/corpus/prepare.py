"""Check and prepare predictions before any metric sees them.

Predictions are checked for wrappers (labels, quotes, code fences), for tokenization unlike their sources, and for lines
that are shifted or belong to other sources. `Preprocessing` holds what is checked and which tokenizer is applied.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, repeat, takewhile
from typing import Literal

import numpy as np
import numpy.typing as npt

from gecbench import kernels
from gecbench.corpus.corpus import Corpus, CorpusCache, check_texts, overlap
from gecbench.corpus.derive import ungroup
from gecbench.corpus.edits import EditedTexts, apply_edits
from gecbench.corpus.tokenize import TOKENIZERS, SourceGuide, measure_tokenizer, tokenize
from gecbench.errors import InputError
from gecbench.kernels.tokens import encode_lines, offsets_of

TOKENIZE_CHOICES = ("none", "auto", *TOKENIZERS)
_SHOWN = 60  # characters of a line in an error message
_MIN_LINES = 8  # fewer prove nothing: no error for wrappers, only a warning for tokenization
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
_CHECKED_REFERENCES: CorpusCache[bool] = CorpusCache()
_GUIDES: CorpusCache[tuple[SourceGuide | None]] = CorpusCache()


class ForeignTextWarning(UserWarning):
    """Predictions that share hardly a word with their sources.

    They come from an untrained model, or are paired with the wrong sources.
    """


class RawTextWarning(UserWarning):
    """Too few sentences to be sure, but they look as if they were not tokenized like their sources."""


class ForeignTextError(InputError):
    """Lines that share hardly a word with their sources."""


@dataclass(frozen=True)
class Prepared:
    """Predictions ready to be counted, their corpus, and what was done to them (None: nothing)."""

    corpus: Corpus
    lines: tuple[str, ...]
    preparation: str | None = None


@dataclass(frozen=True)
class Preprocessing:
    """What is done to predictions, and what is refused.

    `tokenize`: "none"; a tokenizer by name; or "auto", the corpus's own way, guided by the source. `tokenized=True`
    takes text as it is although it is not tokenized like its sources; `aligned=True` although lines look shifted.
    `foreign`: text that shares hardly a word with its sources is an "error", or only a "warning".
    """

    tokenize: str = "none"
    tokenized: bool = False
    aligned: bool = False
    foreign: Literal["warning", "error"] = "warning"

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
        elif not self.tokenized:
            _check_references(corpus)
            check_tokenization(corpus.sources, lines, name, file)
        if not self.aligned:
            self._check_alignment(prepared, name, file)
        return prepared

    def _prepare_edits(self, corpus: Corpus, predictions: EditedTexts, name: str) -> Prepared:
        if self.tokenize != "none":
            raise InputError(f"{name} are edits of tokens", fix="They need no tokeniser: leave out tokenize")
        return Prepared(corpus, predictions)

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
        except ForeignTextError:
            if self.foreign == "error":
                raise
            problem = "share hardly a word with their sources; aligned=True skips this check"
            warnings.warn(f"{name} {problem}", ForeignTextWarning, stacklevel=2)


def tokenize_like(texts: Iterable[str], corpus: Corpus) -> list[str]:
    """Return natural text as tokens, split as its corpus is and guided by the source of each line."""
    return list(Preprocessing("auto", tokenized=True, aligned=True).prepare(corpus, texts, "texts").lines)


def check_predictions(predictions: Iterable[str], sentences: int, name: str = "predictions") -> tuple[str, ...]:
    """Return the predictions as a tuple of as many strings as there are sentences."""
    checked = check_texts(predictions, name)
    if len(checked) != sentences:
        raise InputError(
            f"{len(checked)} {name} for {sentences} sources",
            fix="Give one prediction per source, in order; an empty output is an empty string",
        )
    return checked


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
    if len(unlike) < _MIN_LINES:
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


_FENCE = re.compile(r"^```(?:(?:text|plaintext|txt|markdown|md)\b)?\s*|\s*```$")
_NUMBER = re.compile(r"^\s*(?:\d+[.):]|[-*•])\s+")
_LABEL = re.compile(
    r"^\s*(?:here(?:'s| is)[^:]{0,60}|(?:the )?(?:correct|revis|rewrit|fix|improv)\w*\b[^:]{0,40}"
    r"|output|answer|response|result|target|prediction|sentence|text|assistant)\s*:\s*",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(
    r"\s+(?:\(?(?:explanation|note|reason(?:ing)?|(?:changes?|corrections?)(?: made)?)\s*:"
    r"|I (?:have )?(?:changed|corrected|fixed|replaced|removed|added)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP = re.compile(r"^<think>.*?</think>\s*|^(?:<\w+>|\*\*|__)\s*|\s*(?:</\w+>|\*\*|__)$", re.DOTALL)
_QUOTES = {'"': '"', "“": "”", "'": "'", "«": "»", "`": "`"}


def _without_fence(line: str) -> str:
    return _FENCE.sub("", line) if "```" in line else line


def _without_markup(line: str) -> str:
    if "<" in line or "**" in line or "__" in line:
        return _MARKUP.sub("", _MARKUP.sub("", line))
    return line


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
    (re.compile(r'\s*\{"'), "JSON Lines: name it .jsonl"),
    (re.compile(r'"?\w*"?,".*"$'), "a CSV table: give it a header and name it .csv"),
    (re.compile(r".* \|\|\| "), "two texts on a line: give the corrections alone"),
)


def check_wrappers(
    sources: Sequence[str], lines: Sequence[str], name: str = "predictions", file: str | None = None
) -> None:
    """Refuse lines if nearly all are wrapped in extra text (labels, quotes, fences) that their sources do not have."""
    probes = range(0, len(lines), max(1, len(lines) // _WRAPPER_PROBES))
    if len(probes) < _MIN_LINES:
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
    for pattern, kind in _FORMATS:
        if sum(bool(pattern.match(lines[i])) and not pattern.match(sources[i]) for i in probes) > 0.9 * len(probes):
            problem = f"{name} look like another format: {_shown(lines[probes[0]])!r}"
            raise InputError(problem, file=file, fix=f"It seems {kind}")


def clean(lines: Sequence[str], sources: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Return the lines without the wrappers that their sources do not have, and how many lines each rule touched."""
    if len(lines) != len(sources):
        raise InputError(f"{len(lines)} lines for {len(sources)} sources", fix="Give one line per source, in order")
    if len(lines) >= _MIN_LINES:
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


_PAIR = "Pair line by line; skip this check with aligned=True (on the command line: --aligned)"


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
