"""Every kernel exists in Python and C++; environment variables choose between them and set the threads."""

import random
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from gecbench import M2, Corpus, GecbenchError, IMeasure, kernels

needs_native = pytest.mark.skipif(kernels.native_module() is None, reason="installed without compiled kernels")

KERNELS = [
    "edits",
    "errant",
    "gleu",
    "greedy",
    "green",
    "grouping",
    "imeasure",
    "m2",
    "maxmatch",
    "tokens",
    "trueskill",
]


def test_every_kernel_has_both_forms():
    for kernel in KERNELS:
        python = kernels.select(kernel, "python")
        if kernels.native_module() is not None:
            native = kernels.select(kernel, "native")
            names = [name for name in dir(native) if not name.startswith("_")]
            assert any(callable(getattr(native, name)) for name in names)
            for name in names:
                assert callable(getattr(python, name)) == callable(getattr(native, name))


def test_the_variable_forces_an_implementation(monkeypatch):
    monkeypatch.setenv("GECBENCH_KERNELS", "python")
    assert kernels.active() == "python"
    assert kernels.select("gleu").__name__ == "gecbench.kernels.gleu"
    monkeypatch.setenv("GECBENCH_KERNELS", "fortran")
    with pytest.raises(GecbenchError, match="fortran"):
        kernels.active()


def test_forcing_absent_native_kernels_is_an_error(monkeypatch):
    monkeypatch.setattr(kernels, "native_module", lambda: None)
    monkeypatch.setenv("GECBENCH_KERNELS", "native")
    with pytest.raises(GecbenchError, match="without its compiled kernels"):
        kernels.active()
    monkeypatch.delenv("GECBENCH_KERNELS")
    assert kernels.active() == "python"


def test_the_variable_sets_the_threads(monkeypatch):
    monkeypatch.delenv("GECBENCH_THREADS", raising=False)
    assert kernels.threads() >= 1
    monkeypatch.setenv("GECBENCH_THREADS", "3")
    assert kernels.threads() == 3
    for wrong in ("0", "-1", "two", "1.5", "99999"):
        monkeypatch.setenv("GECBENCH_THREADS", wrong)
        with pytest.raises(GecbenchError, match=f"GECBENCH_THREADS='{wrong}'"):
            kernels.threads()


@needs_native
@pytest.mark.parametrize("metric", [M2(), IMeasure(), IMeasure(mixing=False), IMeasure(optimise="corpus")])
def test_threads_do_not_change_results(monkeypatch, metric):
    chance = random.Random(5)
    words = [[chance.choice("abcdefgh") for _ in range(chance.randrange(12))] for _ in range(1500)]
    texts = [[" ".join(word for word in line if chance.random() < 0.8) for line in words] for _ in range(3)]
    corpus = Corpus(sources=[*map(" ".join, words)], references=list(zip(*texts[:2], strict=True)))
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("GECBENCH_THREADS", threads)
        found.append(metric.count(corpus, texts[2]))
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].counts, other.counts)
        assert found[0].diagnostics == other.diagnostics


@needs_native
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_results_are_the_same_if_threads_cannot_start():
    program = """
        import resource
        import numpy as np
        from gecbench import kernels
        runs = kernels.select("trueskill", "native").runs
        table = (2, np.array([0, 0, 1, 2, 2]), np.array([1, -1], dtype=np.int8), 50, 0.5, 1.0, 0.1, 7, 0, 3000)
        alone = runs(*table, threads=1)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**26, -1))
        assert (runs(*table, threads=1000) == alone).all()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)
