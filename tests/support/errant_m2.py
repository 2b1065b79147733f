"""Generated M2 files of a system and a gold over the same sentences, and the official program to compare them with."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import strategies as st

from gecbench.kernels.errant import Selection

TYPES = ("M:DET", "U:DET", "R:NOUN", "R:NOUN:NUM", "R:OTHER", "UNK", "R:UNK", "noop")
CORRECTIONS = ("", "a", "b", "a b", "a\u3000b", "b||a", "-NONE-")
NOOP_LINE = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{}"


def edit_lines(annotators: int) -> st.SearchStrategy[list[str]]:
    edit = st.builds(
        lambda start, length, kind, correction, annotator: (
            NOOP_LINE.format(annotator)
            if kind == "noop"
            else f"A {start} {start + length}|||{kind}|||{correction}|||REQUIRED|||-NONE-|||{annotator}"
        ),
        st.integers(-1, 2),
        st.integers(0, 2),
        st.sampled_from(TYPES),
        st.sampled_from(CORRECTIONS),
        st.integers(0, annotators - 1),
    )
    return st.lists(edit, max_size=5)


@st.composite
def two_files(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a system's file and a gold file."""
    sentences = draw(st.integers(1, 5))
    hypothesis, reference = (
        draw(st.lists(edit_lines(annotators), min_size=sentences, max_size=sentences)) for annotators in (2, 3)
    )

    def text(blocks: list[list[str]]) -> str:
        return "".join("\n".join([f"S a b c d e{i}", *block]) + "\n\n" for i, block in enumerate(blocks))

    return text(hypothesis), text(reference)


FLAGS = st.builds(
    lambda *parts: [word for part in parts for word in part],
    st.sampled_from([[], ["-cs"], ["-cse"], ["-ds"], ["-dt"]]),
    st.sampled_from([[], ["-single"], ["-multi"], ["-single", "-multi"]]),
    st.sampled_from([[], ["-filt", "M:DET", "R:OTHER"], ["-filt", "noop"]]),
    st.sampled_from([[], ["-b", "1"], ["-b", "2.5"], ["--beta=0.1"]]),
    st.sampled_from([[], ["-cat", "1"], ["-cat", "2"], ["-cat", "3"]]),
    st.sampled_from([[], ["-v"]]),
)


SELECTIONS = st.builds(
    Selection,
    mode=st.sampled_from(["cs", "cse", "ds", "dt"]),
    single=st.booleans(),
    multi=st.booleans(),
    filtered=st.frozensets(st.sampled_from(TYPES), max_size=2),
    once=st.booleans(),
)


def official_compare(hypothesis: Path, reference: Path, flags: list[str]) -> str:
    """Return what the installed errant_compare prints."""
    program = pytest.importorskip("errant.commands.compare_m2")
    return printed(program.main, ["errant_compare", "-hyp", str(hypothesis), "-ref", str(reference), *flags])


def printed(main, words: list[str]) -> str:
    output = io.StringIO()
    with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(output):
        main()
    return output.getvalue()
