"""Extract and classify edits with the installed `errant` package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from gecbench.corpus.edits import Edit
from gecbench.corpus.edits import span as span_of
from gecbench.errors import InputError, MissingDependencyError

Merge = Literal["rules", "all-split", "all-merge", "all-equal"]
DEFAULT_MODEL = "en_core_web_sm"
DETECTION_TYPES = ("Um", "UNK")  # errors that were only marked, so there is no correction to apply
_KEPT_SENTENCES = 2**16
_NEEDS_ERRANT = (  # one message for both steps
    "extracting edits from text needs errant. Install it with its spaCy model: "
    'pip install "gecbench[errant]" && python -m spacy download {model}.'
)
_NEEDS_MODEL = "extracting edits from text with errant needs the spaCy model {model}. "
_EXAMPLES = "'errant(model=NAME)' or 'cleme(model=NAME)'"
_DOWNLOAD = f"Install it: python -m spacy download {{model}}, or choose another model, as in {_EXAMPLES}."
_NO_FOLDER = f"There is no folder of this name, so give the path of an existing folder, as in {_EXAMPLES}."
REQUIREMENTS = {
    "errant": _NEEDS_ERRANT.format(model=DEFAULT_MODEL),
    "spacy": _NEEDS_ERRANT.format(model=DEFAULT_MODEL),
    DEFAULT_MODEL: (_NEEDS_MODEL + _DOWNLOAD).format(model=DEFAULT_MODEL),
}


def missing(model: str = DEFAULT_MODEL) -> str | None:
    """Return how to install what is missing for annotating texts, or None."""
    is_name = model.isidentifier()
    if find_spec("errant") is None or find_spec("spacy") is None:
        return _NEEDS_ERRANT.format(model=model if is_name else DEFAULT_MODEL)
    if Path(model).is_dir() or (is_name and find_spec(model) is not None):
        return None
    return (_NEEDS_MODEL + (_DOWNLOAD if is_name else _NO_FOLDER)).format(model=model)


@dataclass(frozen=True)
class Annotator:
    """The errant library with the options of `errant_parallel`.

    The options are `lev`, `merge` and `tok`. `model` is the name of an installed spaCy pipeline, or its folder.
    """

    model: str = DEFAULT_MODEL
    lev: bool = False
    merge: Merge = "rules"
    tok: bool = False

    def library(self) -> Any:
        """Return errant's annotator for the model, loaded once."""
        return _load(self.model)

    def versions(self) -> dict[str, str]:
        """Return the versions that determine edits and types, for signatures."""
        from importlib.metadata import version

        meta = self.library().nlp.meta
        return {
            "errant": version("errant"),
            "spacy": version("spacy"),
            "model": f"{meta['lang']}_{meta['name']}:{meta['version'] or '?'}",
        }

    def parse(self, text: str) -> Any:
        """Parse a text with spaCy, without white space at its ends."""
        return self.library().parse(text.strip(), self.tok)

    def edits(self, source: str, text: str) -> tuple[Edit, ...]:
        """Return the edits from a source to a text, or none for an empty source."""
        if not source.split() or source.split() == text.split():
            return ()
        return _annotated(self, source, text)

    def tokens(self, source: str) -> list[str]:
        """Return the tokens that edit spans refer to."""
        return [token.text for token in self.parse(source)] if self.tok else source.split()

    def differences(self, source: Any, text: Any) -> list[Any]:
        """Return the library's edits between two parsed texts."""
        with _known_tags(self.model):
            found: list[Any] = self.library().annotate(source, text, self.lev, self.merge)
        return found

    def reannotate(self, source: str, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """Extract and classify annotated edits again, like `errant_m2 -auto`.

        Edits that only detect an error are kept. The first of several corrections is applied.
        """
        if not edits:
            return ()
        before = self.library().parse(source)
        text, spans = _apply_first_corrections(source, edits)
        after = self.library().parse(text)
        detected = [self._to_errant_edit(before, after, span) for span in spans if span[4] in DETECTION_TYPES]
        found = sorted([*detected, *self.differences(before, after)], key=lambda edit: (edit.o_start, edit.o_end))
        return tuple(map(_from_errant_edit, found))

    def _to_errant_edit(self, before: Any, after: Any, span: Span) -> Any:
        """Convert an edit that only detects an error to an errant edit with its own type."""
        with _known_tags(self.model):
            edit = self.library().import_edit(before, after, list(span[:5]), False, False)
        edit.c_toks = self.library().parse(span[5])
        return edit


Span = tuple[int, int, int, int, str, str]  # start and end before, start and end after, type, correction


def _apply_first_corrections(source: str, edits: Sequence[Edit]) -> tuple[str, list[Span]]:
    """Return the corrected text of an annotated sentence, and its edits.

    The edits are in text order, with their positions before and after correction. As in `errant_m2`, corrections are
    used unchanged, and an edit that only detects an error changes nothing.
    """
    before = source.split()
    after, spans, shift = list(before), [], 0
    for edit in sorted(edits, key=span_of):
        correction = edit.corrections[0].split()
        words = before[edit.start : edit.end] if edit.type in DETECTION_TYPES else correction
        first = edit.start + shift
        after[first : edit.end + shift] = words
        shift += len(words) - (edit.end - edit.start)
        spans.append((edit.start, edit.end, first, first + len(words), edit.type, " ".join(correction)))
    return " ".join(after), spans


@contextmanager
def _known_tags(model: str) -> Iterator[None]:
    """Explain errant's bare KeyError for an unknown part-of-speech tag."""
    try:
        yield
    except KeyError as error:
        raise InputError(
            f"the spaCy model {model} tags a word with {error.args[0]!r}, which errant does not know",
            fix="Use a model with Penn Treebank tags, such as en_core_web_sm",
        ) from error


@lru_cache(maxsize=_KEPT_SENTENCES)
def _annotated(annotator: Annotator, source: str, text: str) -> tuple[Edit, ...]:
    found = annotator.differences(_parsed(annotator, source), annotator.parse(text))
    return tuple(map(_from_errant_edit, found))


@lru_cache(maxsize=1)
def _parsed(annotator: Annotator, text: str) -> Any:
    return annotator.parse(text)


def _from_errant_edit(edit: Any) -> Edit:
    correction = " ".join(token.text for token in edit.c_toks)
    return Edit(edit.o_start, edit.o_end, (correction,), edit.type)


@cache
def _load(model: str) -> Any:
    if (problem := missing(model)) is not None:
        raise MissingDependencyError(problem)
    import errant
    import spacy

    if not hasattr(errant, "load"):
        problem = f"'import errant' loads {errant.__file__}, not the errant library"
        raise InputError(problem, fix="Run from another folder")
    try:
        return errant.load("en", spacy.load(model, disable=["ner"]))
    except (OSError, ValueError) as error:
        raise InputError(f"the spaCy model {model} cannot be loaded: {str(error).splitlines()[0]}") from error
