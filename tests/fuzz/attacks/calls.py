"""Hostile values through the functions of Python, and hostile options through the command line."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gecbench import METRICS

from .. import formats
from ..confined import Case
from ..explore import attack
from ..formats import spoiled
from .boards import SOURCES, can_be_said
from .files import TOKENIZED

ROWS = [{"source": source, "references": [source, "a cat"]} for source in SOURCES]
TEXTS = ["a c", "the cat goes .", "b b"]


def call(function: str, **arguments: Any) -> st.SearchStrategy[Case]:
    """Return calls of a function, sometimes with a value that is replaced or has a wrong part."""
    good = st.just(arguments)
    given = spoiled(spoiled(good)).filter(lambda found: isinstance(found, dict) and found.keys() == arguments.keys())
    return given.map(lambda found: Case([], call=(function, (), found)))


_calls = st.one_of(
    call("gecbench:score", predictions=TEXTS, corpus=ROWS, metrics=["gleu", "m2"], tokenized=True),
    call("gecbench:score", predictions={"prediction": TEXTS}, corpus=ROWS, metrics="imeasure", resamples=5),
    call("gecbench:compare", systems={"A": TEXTS, "B": SOURCES}, corpus=ROWS, metrics=["gleu"], resamples=5, seed=1),
    call("gecbench:human_bound", metric="gleu", corpus=ROWS, systems={"A": TEXTS}),
    call("gecbench:make_metric", metric="gleu(order=2,iterations=3,draws=py3)"),
    call("gecbench:Corpus", sources=SOURCES, references=[[text] for text in SOURCES], ids=["1", "2", "3"], name="x"),
)

_numbers = st.sampled_from(formats.NUMBERS)
_PARAMETERS = (
    *("order", "iterations", "draws", "beta", "max_unchanged_words"),
    *("cap", "weight", "objective", "tokens", "mixing"),
)
_parameters = st.builds(
    lambda name, key, value: f"{name}({key}={value})",
    st.sampled_from([*METRICS, "x", ""]),
    st.sampled_from(_PARAMETERS),
    _numbers | formats.words,
)
_option = st.one_of(
    _parameters.map(lambda metric: ["-m", metric]),
    st.builds(lambda name, value: [f"{name}={value}"], st.sampled_from(["--resamples", "--seed"]), _numbers),
    st.builds(lambda name, value: [f"{name}={value}"], st.sampled_from(["--by", "--column", "-f"]), formats.words),
    st.sampled_from(
        [["--per-sentence"], ["--clean"], ["--tokenize", "auto"], ["-p", "-"], ["-c", "demo"], ["--gold", "s"]]
    ),
)
_options = st.builds(
    lambda options: Case(
        ["score", "-s", "s", "-r", "s", "-p", "p", *TOKENIZED, *(word for each in options for word in each)],
        {"s": "".join(f"{text}\n" for text in SOURCES).encode(), "p": "".join(f"{text}\n" for text in TEXTS).encode()},
    ),
    st.lists(_option, min_size=1, max_size=3),
).filter(lambda case: can_be_said(*case.arguments))

ATTACKS = [
    attack(
        "calls",
        "`score`, `compare`, `human_bound`, `make_metric` and `Corpus` with arguments of wrong types or sizes",
        _calls,
        "the usual rule, with a `GecbenchError` as the error",
    ),
    attack("options", "options and parameters of metrics with hostile numbers and words", _options),
]
