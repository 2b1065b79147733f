"""No text makes a regular expression of the package, or a function over lines of text, slow: time grows with length.

Runs of every class of characters, alone and after the pattern's own words, are doubled. Processor time is measured,
the least of several runs, over three doublings: it grows eightfold if it is linear and 64-fold if it is quadratic.
"""

import ast
import importlib
import re
import string
import time
from itertools import chain
from pathlib import Path

import pytest

import gecbench
from gecbench.corpus.groups import _rules, split_treebank
from gecbench.corpus.prepare import check_tokenization, check_wrappers, clean, guide_of
from gecbench.corpus.tokenize import TOKENIZERS, detokenize, make_tokenizer
from gecbench.models.replies import read_reply

try:
    from re import _parser as parser
except ImportError:  # Python 3.10
    import sre_parse as parser

PACKAGE = Path(gecbench.__file__).parent
CLASSES = [" ", "\t", "\n", "\u00a0", "\u3000", "a", "A", "é", "я", "我", "1", *string.punctuation, *"“”„«»’‘…—•"]
FUNCTIONS = {"compile", "match", "search", "fullmatch", "sub", "split", "findall", "finditer"}
LENGTH, DOUBLINGS, LIMIT = 2_000, 3, 24
# Seconds of processor time: less than the first is too little to be quadratic, more than the second too much for linear
AT_ONCE, FOREVER = 0.0004, 0.05
# Patterns that are not written where they are compiled.
ELSEWHERE = {
    ("corpus/groups.py", "form"): [pattern.pattern for pattern, _ in _rules()],
    ("errors.py", "words"): [r"missing \d+ required .*: (.*)", r"unexpected keyword argument (.*)"],
}


def takes_longer(work, text, seconds):
    """Return whether work takes longer than some processor time, again and again."""
    return all(measure(work, text) > seconds for _ in range(4))


def measure(work, text):
    begin = time.process_time()
    work(text)
    return time.process_time() - begin


def grows_too_fast(work, make_text, longest=LENGTH):
    """Return whether `work(make_text(length))` takes far more than eight times as long for an eightfold length."""
    for length in (16, 24, 28, 32, 64, 256, longest):  # what is exponential is found before it takes forever
        text = make_text(length)
        if takes_longer(work, text, FOREVER):
            return True
    if not takes_longer(work, text, AT_ONCE):
        return False
    limit = LIMIT * min(measure(work, text) for _ in range(3))
    return any(takes_longer(work, make_text(longest << doublings), limit) for doublings in range(1, DOUBLINGS + 1))


def literals(tree):
    """Return the words that a pattern has."""
    found, word = [], ""
    for kind, value in tree:
        if kind is parser.LITERAL:
            word += chr(value)
            continue
        found, word = [*found, word], ""
        for part in value if isinstance(value, (tuple, list)) else ():
            for inner in part if isinstance(part, list) else [part]:
                if isinstance(inner, parser.SubPattern):
                    found += literals(inner)
    return sorted({*found, word} - {""})


def example(tree):
    """Return a text that a pattern matches, more or less: one of each repeated part, the first of alternatives."""
    text = ""
    for kind, value in tree:
        if kind is parser.LITERAL:
            text += chr(value)
        elif kind in (parser.MAX_REPEAT, parser.MIN_REPEAT, parser.SUBPATTERN):
            text += example(value[-1])
        elif kind is parser.BRANCH:
            text += example(value[1][0])
        elif kind in (parser.IN, parser.ANY, parser.NOT_LITERAL):
            codes = repr(value)
            text += " " if "SPACE" in codes else "1" if "DIGIT" in codes else "a"
    return text


def patterns():
    """Return every pattern of the package: its place, the pattern, its flags and the functions that may apply it."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        calls = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in FUNCTIONS
        ]
        names = vars(importlib.import_module(module_name(place))) if calls else {}
        for call in calls:
            form = ast.unparse(call.args[0])
            several = ELSEWHERE.get((place, form)) or [eval(form, {**names, "re": re})]
            for k, pattern in enumerate(several):
                found[f"{place}:{call.lineno}" + (f":{k}" if k else "")] = (pattern, flags_of(call), call.func.attr)
    return found


def module_name(place):
    return ".".join(["gecbench", *Path(place).with_suffix("").parts]).removesuffix(".__init__")


def flags_of(call):
    known = [ast.unparse(node) for node in chain(call.args[1:], (keyword.value for keyword in call.keywords))]
    return eval(" | ".join(["0", *(flag for flag in known if flag.startswith("re."))]), {"re": re})


def appliers(compiled, function):
    several = ("search", "fullmatch", "sub") if function == "compile" else (function,)
    for name in several:
        method = getattr(compiled, name)
        if name == "sub":
            yield lambda text, method=method: method(text[:0], text)
        elif name == "finditer":
            yield lambda text, method=method: [*method(text)]
        else:
            yield method


def runs(pattern, flags):
    """Yield functions from a length to a text: a run of something, after something, before what fits no pattern."""
    tree = parser.parse(pattern, flags)
    words, whole = literals(tree), example(tree)
    parts = {whole[begin:end] for begin in range(16) for end in range(begin + 1, begin + 9)}
    beginnings = {whole[:end] for end in range(40)}
    units = sorted({*CLASSES, *words, *(f"{word} " for word in words), *parts, *beginnings} - {""})
    convert = (lambda text: text.encode()) if isinstance(pattern, bytes) else (lambda text: text)
    for prefix in sorted({"", *words, *beginnings}):
        for unit in units if prefix in ("", *words) else CLASSES:
            yield (
                (prefix, unit),
                lambda length, prefix=prefix, unit=unit: convert(prefix + unit * (length // len(unit)) + "\0"),
            )


PATTERNS = patterns()


def test_patterns_are_found():
    assert len(PATTERNS) > 40
    assert {place.partition("/")[0] for place in PATTERNS} >= {"corpus", "models", "formats", "leaderboard", "cli"}


@pytest.mark.parametrize("place", PATTERNS)
def test_pattern_is_linear(place):
    pattern, flags, function = PATTERNS[place]
    compiled = re.compile(pattern, flags)
    for (prefix, unit), make_text in runs(pattern, flags):
        for apply in appliers(compiled, function):
            assert not grows_too_fast(apply, make_text), f"{compiled.pattern!r} on a run of {unit!r} after {prefix!r}"


@pytest.mark.parametrize(
    ("pattern", "unit"),
    [(r"\s+x", " "), (r"^a*\w*1", "a"), (r"<b>.*?</b>", "<b>"), (r"(a|aa)+1", "a")],
    ids=["blanks", "two repeats", "words of the pattern", "exponential"],
)
def test_slow_patterns_are_found(pattern, unit):
    tried = dict(runs(pattern, 0))
    compiled = re.compile(pattern)
    assert unit in {tried_unit for (_, tried_unit) in tried}
    assert grows_too_fast(compiled.search, tried["", unit], 1000)


DEMO = gecbench.load_corpus("demo")
SOURCES = [*DEMO.sources[:10]]


def first_line(check):
    """Apply a check to lines the first of which is given: enough of them that it looks at each."""
    return lambda text: check(SOURCES, [f"{SOURCES[0]} {text}", *SOURCES[1:]])


WORK = {
    "check_wrappers": first_line(check_wrappers),
    "check_tokenization": first_line(check_tokenization),
    "clean": first_line(lambda sources, lines: clean(lines, sources)),
    "read_reply": lambda text: read_reply(text, SOURCES[0]),
    "detokenize": lambda text: detokenize([text]),
    "detokenize, spaced": lambda text: detokenize([" ".join(text)]),
    "split_treebank": split_treebank.__wrapped__,
    "auto": lambda text: guide_of(DEMO).tokenize(SOURCES[0], text),
    "auto, glued": lambda text: guide_of(DEMO).tokenize(SOURCES[0], f"word{text}word."),
    **{f"tokenize by {name}": make_tokenizer(name) for name in TOKENIZERS if name in ("13a", "intl", "char")},
}


@pytest.mark.parametrize("name", WORK)
def test_work_on_a_line_is_linear(name):
    for unit in (*CLASSES, "I changed ", "```\n", "<think>", "a-", "n't", "can", "ab, "):
        assert not grows_too_fast(WORK[name], lambda length, unit=unit: unit * (length // len(unit)), 500), unit
