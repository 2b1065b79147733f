"""Edits extracted and classified by the installed `errant` package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

from gecbench.corpus.edits import Edit
from gecbench.errors import InputError, MissingDependencyError
from gecbench.kernels.errant import EditFields

Merge = Literal["rules", "all-split", "all-merge", "all-equal"]
MERGES: tuple[Merge, ...] = get_args(Merge)
DEFAULT_MODEL = "en_core_web_sm"
DETECTION_TYPES = ("Um", "UNK")  # found but not corrected: their correction is no text
_KEPT_SENTENCES = 2**16


def missing(model: str = DEFAULT_MODEL) -> str | None:
    """Return what to install before text can be annotated, None if nothing."""
    if find_spec("errant") is None or find_spec("spacy") is None:
        return 'text is annotated by errant, which is not installed. Install it: pip install "gecbench[errant]".'
    if Path(model).is_dir() or (model.isidentifier() and find_spec(model) is not None):
        return None
    installed = f"Install it: python -m spacy download {model}, or name another (model=…)."
    way = installed if model.isidentifier() else "There is no such folder: name another (model=…)."
    return f"text is annotated by errant, which needs the spaCy model {model}. {way}"


@dataclass(frozen=True)
class Annotator:
    """The library with its options: `lev`, `merge` and `tok` are those of `errant_parallel`.

    `model` is an installed spaCy pipeline's name, or the folder of one.
    """

    model: str = DEFAULT_MODEL
    lev: bool = False
    merge: Merge = "rules"
    tok: bool = False

    def library(self) -> Any:
        """Return errant's annotator over the model, loaded once."""
        return _load(self.model)

    def versions(self) -> dict[str, str]:
        """Return what decides on edits and types, for signatures."""
        from importlib.metadata import version

        meta = self.library().nlp.meta
        return {
            "errant": version("errant"),
            "spacy": version("spacy"),
            "model": f"{meta['lang']}_{meta['name']}:{meta['version'] or '?'}",
        }

    def parse(self, text: str) -> Any:
        """Return a text as spaCy sees it, blanks at its ends removed."""
        return self.library().parse(text.strip(), self.tok)

    def edits(self, source: str, text: str) -> tuple[Edit, ...]:
        """Return the edits that make a source into a text, by the places of its tokens; an empty source has none."""
        if not source.split() or source.split() == text.split():
            return ()
        return _annotated(self, source, text)

    def tokens(self, source: str) -> list[str]:
        """Return the tokens whose places edits name."""
        return [token.text for token in self.parse(source)] if self.tok else source.split()

    def differences(self, source: Any, text: Any) -> list[Any]:
        """Return the library's edits of two parsed texts."""
        with _known_tags(self.model):
            found: list[Any] = self.library().annotate(source, text, self.lev, self.merge)
        return found

    def renewed(self, source: str, edits: Sequence[EditFields], keep_types: bool = False) -> list[Any]:
        """Return the library's edits of an annotated sentence, extracted anew (`errant_m2 -auto`).

        Edits that only detect an error are kept beside them, with their types if so wanted.
        """
        before = self.library().parse(source)
        text, spans = apply_fields(source, edits)
        after = self.library().parse(text)
        detected = [span for span in spans if span[4] in DETECTION_TYPES]
        kept = [self.imported(before, after, span, keep_type=keep_types) for span in detected]
        return sorted([*kept, *self.differences(before, after)], key=lambda edit: (edit.o_start, edit.o_end))

    def imported(self, before: Any, after: Any, span: Span, minimise: bool = True, keep_type: bool = False) -> Any:
        """Return one annotated edit as the library's: made as small as it can be, and given a type of its own."""
        detection = span[4] in DETECTION_TYPES
        with _known_tags(self.model):
            edit = self.library().import_edit(before, after, list(span[:5]), minimise and not detection, keep_type)
        if detection:
            edit.c_toks = self.library().parse(span[5])
        return edit


Span = tuple[int, int, int, int, str, str]  # an edit's tokens before and after, its type and correction


def apply_fields(source: str, edits: Sequence[EditFields]) -> tuple[str, list[Span]]:
    """Return the corrected text of an annotated sentence, and each edit with its place there, sorted by place.

    As `errant_m2` does: corrections are taken as they stand; an edit that only detects an error changes nothing.
    """
    before = source.split()
    after, spans, shift = list(before), [], 0
    for start, end, kind, correction in sorted(edits, key=lambda edit: edit[:2]):
        words = before[start:end] if kind in DETECTION_TYPES else correction.split()
        first = start + shift
        after[first : end + shift] = words
        shift += len(words) - (end - start)
        spans.append((start, end, first, first + len(words), kind, " ".join(correction.split())))
    return " ".join(after), spans


@contextmanager
def _known_tags(model: str) -> Iterator[None]:
    """Turn errant's bare KeyError for a part of speech that it does not know into a sentence."""
    try:
        yield
    except KeyError as error:
        raise InputError(
            f"the spaCy model {model} tags a word with {error.args[0]!r}, which errant does not know",
            fix="It needs a pipeline with Penn Treebank tags, such as en_core_web_sm",
        ) from error


@lru_cache(maxsize=_KEPT_SENTENCES)
def _annotated(annotator: Annotator, source: str, text: str) -> tuple[Edit, ...]:
    found = annotator.differences(_parsed(annotator, source), annotator.parse(text))
    return tuple(edit_of(edit) for edit in found)


@lru_cache(maxsize=1)
def _parsed(annotator: Annotator, text: str) -> Any:
    return annotator.parse(text)


def edit_of(edit: Any) -> Edit:
    """Return an edit of the library as ours."""
    correction = " ".join(token.text for token in edit.c_toks)
    return Edit(edit.o_start, edit.o_end, (correction,), edit.type)


@cache
def _load(model: str) -> Any:
    if (problem := missing(model)) is not None:
        raise MissingDependencyError(problem)
    import errant
    import spacy

    if not hasattr(errant, "load"):
        raise InputError(f"import errant finds {errant.__file__}, not the library", fix="Run from another folder")
    try:
        return errant.load("en", spacy.load(model, disable=["ner"]))
    except (OSError, ValueError) as error:
        raise InputError(f"the spaCy model {model} cannot be loaded: {str(error).splitlines()[0]}") from error
