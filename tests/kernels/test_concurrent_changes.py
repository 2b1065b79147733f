"""Arrays that another thread changes while a kernel runs give a result or an error, but no crash."""

import subprocess
import sys
import textwrap

import pytest

CALLS = {
    "greedy.sample_totals": """
        counts = numpy.ones((40_000, 3), dtype=numpy.int64)
        offsets = numpy.arange(0, 40_001, 2, dtype=numpy.int64)
        samples = numpy.zeros((60, 20_000), dtype=numpy.int32)
        changed = [offsets, samples]
        def call(): native.greedy.sample_totals(counts, offsets, 0.25, samples, 2)
    """,
    "gleu.sampled_totals": """
        counts = numpy.arange(400_000, dtype=numpy.int64).reshape(40_000, 10)
        offsets = numpy.arange(0, 40_001, 2, dtype=numpy.int64)
        states = native.gleu.generator_states(64)
        changed = [offsets, states]
        def call(): native.gleu.sampled_totals(counts, offsets, 64, True, 2, states)
    """,
    "gleu.gleu_counts": """
        def tokens(): return TokenArray(numpy.ones(200_000, dtype=numpy.int32), numpy.arange(0, 200_001, 10))
        source, output, reference = tokens(), tokens(), tokens()
        rows = numpy.arange(20_001)
        changed = [rows, source.offsets, output.offsets, reference.offsets]
        def call(): native.gleu.gleu_counts(source, output, reference, rows, 4, False, 2)
    """,
    "trueskill.runs": """
        offsets = numpy.arange(0, 10 * 10_000 + 1, 1_000)
        outcomes = numpy.ones(100_000, dtype=numpy.int8)
        changed = [offsets]
        def call(): native.trueskill.runs(10, offsets, outcomes, 20_000, 1.0, 1.0, 0.1, 1, 0, 16, 2)
    """,
}
PROGRAM = """
import threading
import numpy
from gecbench import _native as native
from gecbench.kernels.tokens import TokenArray
{prepare}
whole, done = [array.copy() for array in changed], threading.Event()
def change():
    while not done.is_set():
        for array, was in zip(changed, whole):
            array[...] = numpy.iinfo(array.dtype).max // 2
            array[...] = was
changing = threading.Thread(target=change)
changing.start()
for _ in range(25):
    try:
        call()
    except ValueError:
        pass
done.set()
changing.join()
print("lives")
"""


@pytest.mark.parametrize("name", CALLS)
def test_arrays_changed_after_the_check(name):
    pytest.importorskip("gecbench._native")
    program = PROGRAM.format(prepare=textwrap.dedent(CALLS[name]))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "lives\n"), done.stderr
