"""Signs that text is not what its sources are: not tokenised alike, or wrapped in something that is no correction.

Looked for in a sample, so that the check costs little beside scoring.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from gecbench.corpus.checks import overlap
from gecbench.errors import InputError

PROBES = 200
_WRAPPER_PROBES = 25
_ENOUGH = 8
_UNLIKE_SHARE = 0.3
_WRAPPED_SHARE = 0.8
_SHOWN = 60


class RawTextWarning(UserWarning):
    """Too few sentences to be sure, but they look as if they were not tokenised like their sources."""


def check_tokenization(
    sources: Sequence[str],
    lines: Sequence[str],
    name: str = "predictions",
    file: str | None = None,
    probes: int = PROBES,
) -> None:
    """Refuse lines that are not tokenised like their sources; warn where there are only a handful of them."""
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
    if len(unlike) < _ENOUGH:
        warnings.warn(f"{problem}. {fix}.", RawTextWarning, stacklevel=2)
        return
    raise InputError(problem, file=file, fix=fix)


def compare_tokenization(sources: Sequence[str], lines: Sequence[str], probes: int = PROBES) -> tuple[int, list[int]]:
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
    """Return whether lines show that they are not tokenised like their sources."""
    return _shows_unlike(*compare_tokenization(sources, lines))


def _shows_unlike(like: int, unlike: Sequence[int]) -> bool:
    return bool(unlike) and len(unlike) >= _UNLIKE_SHARE * (like + len(unlike))


def tokenized_alike(sources: Sequence[str], lines: Sequence[str]) -> bool:
    """Return whether lines are tokenised like their sources beyond doubt."""
    like, unlike = compare_tokenization(sources, lines)
    return like > 10 * len(unlike)


def _difference(source: str, line: str) -> int:
    """Return the number of signs by which a line is tokenised unlike its source, less those by which it is alike."""
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


_FINAL_MARKS = frozenset(".?!।॥。！？؟۔")


@dataclass(frozen=True)
class Wrapper:
    """Something that models put around a correction, and how to take it away.

    What `may_be_text` is taken away only if the line is then no less like its source.
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
    """Refuse lines nearly all of which carry something that is no correction and that their sources do not have."""
    probes = range(0, len(lines), max(1, len(lines) // _WRAPPER_PROBES))
    if len(probes) < _ENOUGH:
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
    if len(lines) >= _ENOUGH:
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


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
