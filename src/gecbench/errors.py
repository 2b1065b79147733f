"""Errors that say what is wrong, where, and how to fix it."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is slow to import, and every command imports this module
if TYPE_CHECKING:
    from collections.abc import Iterable

# How to give a corpus, in Python. The command line prints its options instead (`cli.main`).
GIVE_TEXT = "Pass gecbench.Corpus(sources=…, references=…)"
GIVE_TABLE = "Pass a data frame"


class GecbenchError(Exception):
    """Base class of all errors that gecbench raises on purpose.

    >>> from gecbench import InputError
    >>> issubclass(InputError, GecbenchError)
    True
    """


class InputError(GecbenchError, ValueError):
    """An error for input that cannot be used. It is also a `ValueError`.

    Args:
        problem: What is wrong.
        file: The file or argument with the problem.
        line: The line in that file, from 1.
        fix: How to fix it.

    >>> print(InputError("10 lines, but the source has 12", file="out.txt", fix="Write one output per line"))
    out.txt: 10 lines, but the source has 12. Write one output per line.
    """

    def __init__(
        self, problem: str, *, file: str | None = None, line: int | None = None, fix: str | None = None
    ) -> None:
        self.problem = problem
        self.file = file
        self.line = line
        self.fix = fix
        super().__init__(self._sentence())

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.problem, self.file, self.line, self.fix))

    def _sentence(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        words = f"{place}: {self.problem}" if place else self.problem
        return " ".join(part if part.endswith("?") else f"{part.rstrip('.')}." for part in (words, self.fix) if part)


class UnwritableError(InputError):
    """A file cannot be written: the disk is full or permission is denied."""


class error_context:  # noqa: N801, used like a function
    """Add a file (or an argument) and a line to an `InputError` raised without them.

    This is a class because it is entered once per edit, and `contextlib.contextmanager` takes four times as long.
    """

    __slots__ = ("line", "place")

    def __init__(self, place: str, line: int | None = None) -> None:
        self.place, self.line = place, line

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, InputError) and error.file is None:
            raise InputError(error.problem, file=self.place, line=self.line, fix=error.fix) from error


def describe_field_error(error: KeyError | TypeError) -> str:
    """Explain which field of a record is missing or unknown.

    >>> describe_field_error(KeyError("start"))
    "missing 'start'"
    """
    import re

    if isinstance(error, KeyError):
        return f"missing {error.args[0]!r}"
    for words, meaning in (
        (r"missing \d+ required .*: (.*)", "missing"),
        (r"unexpected keyword argument (.*)", "unknown"),
    ):
        if found := re.search(words, str(error)):
            return f"{meaning} {found[1]}"
    return "a value of the wrong type"


class MissingDependencyError(GecbenchError, ImportError):
    """A package that only some features of gecbench need is not installed."""


def _rebuild(problem: str, file: str | None, line: int | None, fix: str | None) -> InputError:
    return InputError(problem, file=file, line=line, fix=fix)


def plain_number(text: str) -> str:
    """Return the text of a number, or raise a ValueError if it has an underscore.

    `int` and `float` would read `1_0` as 10.
    """
    if "_" in text:
        raise ValueError(f"{text!r} is not a number")
    return text


def counted(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun in the singular or plural.

    The plural is `nouns`, or `noun` with an "s".

    >>> counted(1, "line"), counted(1312, "line"), counted(0, "entry", "entries")
    ('1 line', '1,312 lines', '0 entries')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def type_name(value: object) -> str:
    """Return the name of a value's type with its article.

    >>> type_name(3), type_name("text")
    ('an int', 'a str')
    """
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def write_advice(error: OSError) -> str | None:
    """Return how to fix a path that cannot be written, or None if this is unknown.

    >>> write_advice(FileNotFoundError()), write_advice(PermissionError())
    ('Create its folder first', None)
    """
    if isinstance(error, FileNotFoundError):
        return "Create its folder first"
    return "Give the name of a file" if isinstance(error, IsADirectoryError) else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return "Did you mean …?", or another fix if no known word is close.

    Prefer a known word that differs only in case, spaces or punctuation.

    >>> did_you_mean("glue", ["gleu", "m2"], "Choose one of gleu, m2")
    'Did you mean gleu?'
    >>> did_you_mean("xyz", ["gleu", "m2"], "Choose one of gleu, m2")
    'Choose one of gleu, m2'
    >>> did_you_mean("JFLEG-test", ["jfleg", "jfleg:test"])
    'Did you mean jfleg:test?'
    """
    from difflib import get_close_matches

    known, letters = list(known), _letters(word)
    same = [each for each in known if letters and _letters(each) == letters]
    near = same or get_close_matches(word, known, n=1, cutoff=0.72)
    return f"Did you mean {near[0]}?" if near else otherwise


def _letters(text: str) -> str:
    """Return the lowercase letters and digits of a text."""
    return "".join(filter(str.isalnum, text)).lower()


class UpstreamError(GecbenchError):
    """A file cannot be downloaded from the publishers of a corpus or program."""

    def __init__(self, problem: str, fix: str = "") -> None:
        self.problem = problem
        self.fix = fix
        super().__init__(f"{problem}. {fix}.".rstrip(" .") + ".")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.problem, self.fix))


class ArchiveError(UpstreamError):
    """An archive is damaged, too large, or contains an unsafe entry."""
