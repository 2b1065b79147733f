"""Your own metrics: Python functions that score each sentence.

Such a metric is named as `python:module:function`.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import io
import json
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from numbers import Real
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from gecbench.corpus.corpus import Corpus
from gecbench.display import shorten
from gecbench.errors import InputError, UnwritableError, counted, type_name
from gecbench.formats.text import cache_folder, write_bytes
from gecbench.metrics.base import METRICS, Counts, Metric, Signature, Statistics, Values, parameter, require_references
from gecbench.metrics.policy import SingleRow

_FIX = "Write python:module:function, where the module may be a file in the current folder"
_REPAIR = "Correct this module, or install the packages that it imports"
_RETURNS = "The function must take lists of sources, outputs and references, and return one number per sentence"
_DECLARATION = "gecbench_metric"
_ASKED_TWICE = 3
_TOLERANCE = 1e-4  # the last digits of a neural scorer depend on the batch size
_LONGEST_WORD = 60
_Function = TypeVar("_Function", bound=Callable[..., Any])
_SOURCES: dict[str, tuple[object, str]] = {}


@dataclass(frozen=True)
class Declaration:
    """The declared name, version and direction of a function."""

    name: str
    version: str
    higher_is_better: bool = True


def metric(*, name: str, version: str, higher_is_better: bool = True) -> Callable[[_Function], _Function]:
    """Declare the name and version of your own metric, and whether higher is better.

    Use `metric` as a decorator. The function takes lists of sources, outputs and references, and returns one number per
    sentence. The score of a corpus is the mean. Score with `gecbench.score(predictions, corpus,
    "python:module:function")`. Scores are cached until the version or the text of the module changes. `score` raises an
    `InputError` if the function returns other numbers for the same sentences when called again.

    Args:
        name: The metric's name in tables and signatures.
        version: The version in signatures. Change it if scores change but the text of the module does not, such as
            after a model update.
        higher_is_better: Whether higher scores are better.

    Returns:
        A decorator that returns the function unchanged.

    Raises:
        InputError: The name or version is empty, too long or contains `|`, or gecbench has a metric of this name.

    >>> @metric(name="length-ratio", version="1.0")
    ... def length_ratio(sources, outputs, references):
    ...     return [len(output) / len(source) for source, output in zip(sources, outputs)]
    """
    declaration = Declaration(name, version, higher_is_better)
    _check_declaration(declaration)

    def declare(function: _Function) -> _Function:
        setattr(function, _DECLARATION, declaration)
        return function

    return declare


def _check_declaration(declared: Declaration) -> None:
    for what, word in (("name", declared.name), ("version", declared.version)):
        usable = isinstance(word, str) and word.strip() == word and word.isprintable() and "|" not in word
        if not usable or not 0 < len(word) <= _LONGEST_WORD:
            fix = f"Use 1 to {_LONGEST_WORD} printable characters other than '|'"
            raise InputError(f"{word!r} is not a valid {what} of a metric", fix=fix)
    if declared.name.lower() in METRICS:
        fix = 'Choose another name: @gecbench.metric(name="…", version="…")'
        raise InputError(f"gecbench already has a metric called {declared.name}", fix=fix)
    if not isinstance(declared.higher_is_better, bool):
        raise InputError(f"higher_is_better={declared.higher_is_better!r} is neither True nor False")


def find_function(text: str, kind: str) -> tuple[ModuleType, Callable[..., Any]]:
    """Import the function that `python:module:function` names.

    The module is in the current folder or in an installed package. `kind` is "model" or "metric", for error messages.
    """
    place = text.partition(":")[2]
    module_name, _, path = place.partition(":")
    if not module_name or not path:
        raise InputError(f"cannot parse the {kind} {text!r}", fix=_FIX)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        with redirect_stdout(sys.stderr):
            module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        absent = isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}.")
        fix = _FIX if absent or module_name.startswith(".") else _REPAIR
        frames = traceback.extract_tb(error.__traceback__)[2:]  # without this function and `import_module`
        where = _last_place(frame for frame in frames if frame.filename.startswith(here)) if fix == _REPAIR else ""
        problem = f"cannot import {module_name}: {type(error).__name__}: {shorten(str(error), 200)}{where}"
        raise InputError(problem, fix=fix) from error
    found: Any = module
    for part in path.split("."):
        if not hasattr(found, part):
            raise InputError(f"{module_name} has no {path!r}", fix="Give the name of a function in this module")
        found = getattr(found, part)
    if not callable(found):
        fix = "Give the name of a function in this module"
        raise InputError(f"{place} is {type_name(found)}, not a function", fix=fix)
    return module, found


@dataclass(frozen=True)
class Plugin(Metric):
    """A metric defined by a Python function.

    The function takes lists of sources, outputs and references, and returns one score per sentence. The corpus score is
    the mean of the sentence scores. Intervals and tests resample them. Cached scores are reused if the function, its
    declared version, its module's text and all sentences are the same. A few sentences are scored twice, and it is an
    error if their scores change.
    """

    name: ClassVar[str] = "python"
    title: ClassVar[str] = "python"
    description: ClassVar[str] = "A Python function of your own: python:module:function"
    papers: ClassVar[str] = ""

    function: str = parameter("", "python:module:function")

    # Set in __post_init__, like the name, title and direction.
    _declared: ClassVar[Declaration]
    _source: ClassVar[str]
    _call: ClassVar[Callable[..., Any]]
    _file: ClassVar[str | None]

    def __post_init__(self) -> None:
        module, function = find_function(self.function, "metric")
        source = _source_of(module, function)
        declared = getattr(function, _DECLARATION, None)
        if not isinstance(declared, Declaration):
            if not source:
                fix = 'Declare a version: @gecbench.metric(name="…", version="…")'
                raise InputError(f"{self.function} has no version and no source file", fix=fix)
            declared = Declaration(module.__name__, source[:12])
            _check_declaration(declared)
        own = {"name": declared.name, "title": declared.name, "higher_is_better": declared.higher_is_better}
        file = getattr(module, "__file__", None)
        made = {"_declared": declared, "_source": source, "_call": function, "_file": file}
        for attribute, value in {**own, **made}.items():
            object.__setattr__(self, attribute, value)

    @property
    def reference_policy(self) -> SingleRow:
        """The policy for a single row per sentence.

        There is only one row, because the function gets all references at once.
        """
        return SingleRow()

    def check_parts(self) -> None:
        """Raise an error, because the function must see all sentences at once."""
        fix = "Score the whole corpus, without --stream, Spark or tables of counts"
        raise InputError(f"{self.function} returns scores, which cannot be merged like counts", fix=fix)

    def count(self, corpus: Corpus, predictions: Sequence[str]) -> Statistics:
        """Return (score, 1) for each sentence. The totals give the mean."""
        references = [list(texts) for texts in require_references(corpus, self.title)]
        sources, outputs = list(corpus.sources), list(predictions)
        key = json.dumps([self.function, vars(self._declared), self._source, sources, outputs, references])
        path = cache_folder() / "plugins" / f"{hashlib.sha256(key.encode()).hexdigest()}.npy"
        scores = _read_scores(path, len(outputs))
        if scores is None:
            scores = self._checked_scores(sources, outputs, references)
            _write_scores(path, scores)
        # Scores are not integers. This works because a policy with one row per sentence and one round only adds them.
        counts: Any = np.column_stack([scores, np.ones(len(scores))])
        return Statistics(counts, np.arange(len(scores) + 1, dtype=np.int64))

    def values(self, totals: npt.NDArray[Any]) -> Values:
        """Return the mean of the sentence scores."""
        means: Values = totals[..., 0] / totals[..., 1]
        return means

    def parts(self, totals: Counts) -> dict[str, float]:
        """Return no parts."""
        return {}

    def sentence_values(self, statistics: Statistics) -> Values:
        """Return the function's scores."""
        return statistics.counts[:, 0].astype(np.float64)

    def signature(self, corpus: Corpus, predictions: Sequence[str]) -> Signature:
        """Return a signature that starts with `python` instead of the metric's name."""
        return Signature.of("python", self.signature_fields(corpus))

    def signature_fields(self, corpus: Corpus) -> dict[str, object]:
        """Return the function and its declaration.

        The declaration is the name, the version and whether higher is better. Other fields state how sentence scores
        are averaged, and how many references there are.
        """
        return {
            "function": self.function.removeprefix("python:"),
            "name": self.name,
            "release": self._declared.version,
            "better": "higher" if self.higher_is_better else "lower",
            "corpus": "mean",
            "refs": corpus.reference_range(),
        }

    @staticmethod
    def signature_parameters(signature: Signature) -> dict[str, Any]:
        """Raise an error, because a signature must not import code.

        A signature may come from anywhere.
        """
        raise ValueError(str(signature))

    def _checked_scores(self, sources: list[str], outputs: list[str], references: list[list[str]]) -> Values:
        """Return the function's scores, after computing some of them again as a check."""
        scores = self._ask(sources, outputs, references)
        some = np.unique(np.linspace(0, len(outputs) - 1, _ASKED_TWICE).astype(int)).tolist()
        again = self._ask(*([texts[i] for i in some] for texts in (sources, outputs, references)))
        for i, second in zip(some, again.tolist(), strict=True):
            first = float(scores[i])
            if abs(first - second) > _TOLERANCE * max(1.0, abs(first)):
                raise InputError(
                    f"{self.function} is not deterministic: it returned {first:g}, then {second:g} (sentence {i + 1}, "
                    f"scored again in a batch of {len(some)})",
                    fix="Use a fixed seed or temperature 0, and score each sentence on its own",
                )
        return scores

    def _ask(self, sources: Sequence[Any], outputs: Sequence[Any], references: Sequence[Any]) -> Values:
        """Call the function once and check the result."""
        fail = partial(InputError, fix=_RETURNS)
        try:
            with redirect_stdout(sys.stderr):
                found = self._call(list(sources), list(outputs), [list(texts) for texts in references])
                scores = list(found) if _is_ordered(found) else found
        except (Exception, SystemExit) as error:
            raise self._failure(error) from error
        if not isinstance(scores, list):
            raise fail(f"{self.function} returned {type_name(scores)}, not a list")
        if len(scores) != len(outputs):
            problem = f"returned {counted(len(scores), 'score')} for {counted(len(outputs), 'sentence')}"
            raise fail(f"{self.function} {problem}")
        for i, score in enumerate(scores):
            if not isinstance(score, Real) or isinstance(score, bool):
                raise fail(f"{self.function} returned {type_name(score)}, not a number, for sentence {i + 1}")
            if not np.isfinite(float(score)):
                raise fail(f"{self.function} returned {float(score)} for sentence {i + 1}")
        return np.array([float(score) for score in scores])

    def _failure(self, error: BaseException) -> InputError:
        """Describe an error raised by the function, with the line of its module."""
        frames = traceback.extract_tb(error.__traceback__)
        place = _last_place(frame for frame in frames if frame.filename == self._file)
        text = shorten(str(error), 200)
        what = type(error).__name__ + (f": {text.rstrip('.')}" if text else "")
        return InputError(f"{self.function} raised {what}{place}", fix=None if place else _RETURNS)


def _is_ordered(found: object) -> bool:
    """Return whether a result can be one number per sentence, in order."""
    try:
        iter(found)  # type: ignore[call-overload]
    except TypeError:
        return False
    return not isinstance(found, (str, bytes, Mapping, Set))


def _last_place(frames: Iterable[traceback.FrameSummary]) -> str:
    """Return the file and line of the last frame, in parentheses.

    Without frames, the result is an empty string.
    """
    return "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in [*frames][-1:])


def _source_of(module: ModuleType, function: Callable[..., Any]) -> str:
    """Return a hash of the module's source code at its first use.

    Without source code, the result is an empty string. The hash stays the same until the module is reloaded, because
    until then Python does not see edits of the file.
    """
    spec, digest = _SOURCES.get(module.__name__, (None, ""))
    if digest and spec is module.__spec__ and spec is not None:
        return digest
    text = b""
    with suppress(OSError, TypeError):
        file = inspect.getsourcefile(module)
        text = Path(file).read_bytes() if file else b""
    if not text:
        with suppress(OSError, TypeError):
            text = inspect.getsource(function).encode()
    digest = hashlib.sha256(text).hexdigest() if text else ""
    _SOURCES[module.__name__] = (module.__spec__, digest)
    return digest


def _read_scores(path: Path, sentences: int) -> Values | None:
    """Return cached scores, or None if the file is missing or damaged."""
    try:
        scores: Values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    whole = scores.shape == (sentences,) and scores.dtype == np.float64 and bool(np.isfinite(scores).all())
    return scores if whole else None


def _write_scores(path: Path, scores: Values) -> None:
    """Cache scores. If the cache cannot be written, only time is lost."""
    data = io.BytesIO()
    np.save(data, scores, allow_pickle=False)
    with suppress(OSError, UnwritableError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, data.getvalue())
