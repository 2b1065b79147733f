"""Ctrl-C stops a running kernel: each call would take minutes, but ends as soon as the signal arrives."""

import subprocess
import sys
import textwrap

import pytest

CALLS = {
    "gleu.sampled_totals": """
        counts = numpy.arange(8_000_000).reshape(1_600_000, 5)
        offsets = numpy.arange(0, 1_600_001, 2)
        call = lambda: native.gleu.sampled_totals(counts, offsets, 100_000, True, 2, None)
    """,
    "gleu.gleu_counts": """
        text = tokens([numpy.zeros(3_000_000)])
        call = lambda: native.gleu.gleu_counts(text, text, text, numpy.arange(2), 60_000, False, 1)
    """,
    "green.green_counts": """
        text = tokens([numpy.zeros(3_000_000)])
        call = lambda: native.green.green_counts(text, text, text, numpy.arange(2), 60_000, 1)
    """,
    "edits.ter_edits": """
        words = numpy.random.default_rng(0).integers(0, 50, (2, 2_000_000))
        call = lambda: native.edits.ter_edits(tokens(words[:1]), tokens(words[1:]), 1)
    """,
    "edits.changed_spans": """
        words = numpy.arange(5_000)
        call = lambda: native.edits.changed_spans(
            tokens([words]), tokens([5_000 + words] * 5_000), numpy.array([0, 5_000])
        )
    """,
    "grouping.group_edits": """
        size = 400_000
        places = numpy.arange(size, dtype=numpy.int32)
        spans = numpy.stack([2 * places, 2 * places + 1], axis=1)
        people = numpy.ones(1, dtype=numpy.int32)
        call = lambda: native.grouping.group_edits(
            numpy.array([0, size]), numpy.zeros(size, dtype=numpy.int32), spans, tokens([[0]] * size), people
        )
    """,
    "greedy.subset_totals": """
        counts = numpy.ones((50, 2_000, 16, 3), dtype=numpy.int64)
        subsets = numpy.arange(1, 2**16, dtype=numpy.uint32)
        call = lambda: native.greedy.subset_totals(counts, subsets, 0.25, 1)
    """,
    "trueskill.runs": """
        offsets, outcomes = numpy.array([0, 0, 1, 2, 2]), numpy.ones(2, dtype=numpy.int8)
        call = lambda: native.trueskill.runs(2, offsets, outcomes, 10**10, 0.5, 1.0, 0.1, 1, 0, 16, 1)
    """,
}
PROGRAM = """
import signal
import numpy
from gecbench import _native as native
from gecbench.kernels.tokens import TokenArray, offsets_of
def tokens(lines):
    return TokenArray(numpy.concatenate(lines).astype(numpy.int32), offsets_of(lines))
{prepare}
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    call()
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no alarm")
@pytest.mark.parametrize("name", CALLS)
def test_a_signal_stops_a_kernel(name):
    pytest.importorskip("gecbench._native")
    program = PROGRAM.format(prepare=textwrap.dedent(CALLS[name]))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr
