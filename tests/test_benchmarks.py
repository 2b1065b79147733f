"""The benchmarks run, report what they skip, and detect a slowdown. No time is asserted here."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gecbench import M2, derive_references, kernels, load_demo
from gecbench.formats.m2 import read_m2

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
pytestmark = [
    pytest.mark.skipif(not BENCHMARKS.exists(), reason="not part of an installed package"),
    pytest.mark.skipif(not hasattr(os, "wait4"), reason="processor time of programs needs os.wait4"),
]


def run(script: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "GECBENCH_MIRROR"}
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / script), *map(str, arguments)],
        env={**kept, **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def load(script: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return runpy.run_path(str(BENCHMARKS / script))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    path = tmp_path_factory.mktemp("benchmarks") / "run.json"
    done = run("run.py", "--only", "version", "gleu", "rapidfuzz", "--seconds", "0", "--save", path)
    assert done.returncode == 0, done.stderr
    return done.stdout, path


def test_the_table_has_before_goal_and_measured(saved: tuple[str, Path]) -> None:
    shown, path = saved
    assert re.search(r"\| `gecbench --version` +\| +26 × \| +≤ 3 × python \| +[\d.]+ × \([\d.]+ m?s\) \|", shown)
    found = json.loads(path.read_text(encoding="utf-8"))["rows"]["version"]
    assert found["figure"] == pytest.approx(found["seconds"] / found["yardstick"], rel=1e-3)
    assert found["megabytes"] > 1


def test_what_is_missing_is_said(saved: tuple[str, Path], tmp_path: Path) -> None:
    assert (
        "- Skipped, real data is missing (set GECBENCH_MIRROR to a folder with the corpora): GLEU (JFLEG test)."
        in saved[0]
    )
    (tmp_path / "jiwer.py").write_text("raise ImportError", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    absent = run("run.py", "--only", "jiwer", "--seconds", "0", PYTHONPATH=path)
    assert absent.returncode == 0
    assert re.search(r"^- Skipped, .*: edits of each pair, jiwer\.$", absent.stdout, re.MULTILINE)


def test_other_libraries_are_measured_too(saved: tuple[str, Path]) -> None:
    assert re.search(r"\| edits of each pair \| rapidfuzz [\d.]+ \|( +[\d.]+ .?s \|){2} +[\d.]+ \|", saved[0])
    assert "Measured on the demo corpus" in saved[0]


@pytest.mark.parametrize(("factor", "status", "word"), [(0.01, 1, "slower"), (100, 0, "faster")])
def test_a_slip_is_seen(saved: tuple[str, Path], tmp_path: Path, factor: float, status: int, word: str) -> None:
    old = json.loads(saved[1].read_text(encoding="utf-8"))
    old["rows"]["version"]["cost"] *= factor
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(old), encoding="utf-8")
    done = run("run.py", "--only", "version", "--seconds", "0", "--compare", earlier)
    assert done.returncode == status, done.stderr
    assert re.search(rf"\| version +\|.* {word} \|", done.stdout)


def test_wrong_options_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no JSON", encoding="utf-8")
    for wrong in (("--only", "no-such-row"), ("--compare", tmp_path / "text"), ("--compare", tmp_path / "absent")):
        done = run("run.py", *wrong)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


@pytest.mark.skipif(kernels.native_module() is None, reason="the Python kernel takes seconds")
def test_growth_is_measured_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text('{"rows": {"version": {}}, "growth": {"machine": {}, "axes": {"length": {}}}}', encoding="utf-8")
    done = run("growth.py", "--only", "clause", "--seconds", "0", "--save", path, GECBENCH_KERNELS="native")
    assert done.returncode == 0, done.stderr
    results = json.loads(path.read_text(encoding="utf-8"))
    axes = results["growth"]["axes"]
    assert [point["size"] for point in axes["clause"]["m2"]] == [500, 2_000, 10_000]
    assert axes["length"] == {}
    assert results["rows"] == {"version": {}}
    assert re.search(r"\| exponent +\| +[\d.]+ \|", done.stdout)


def test_exponents_are_those_of_powers(monkeypatch: pytest.MonkeyPatch) -> None:
    exponent = load("growth.py", monkeypatch)["exponent"]
    points = [{"size": size, "seconds": 5e-7 * size**2} for size in (10, 30, 100, 300)]
    assert exponent(points) == pytest.approx(2)
    assert exponent([{"size": 1, "seconds": 99.0}, *points]) == pytest.approx(2)
    assert exponent(points[:1]) is None


def test_simulations_of_certain_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    """A perfect system has the interval [1, 1]; equal outputs differ in no resample, so p is 1."""
    intervals = load("intervals.py", monkeypatch)
    demo, chance = load_demo(), np.random.default_rng(1)
    perfect = M2(annotators="0").score_corpus(demo, [texts[0] for texts in derive_references(demo).references or ()])
    assert perfect.value == 1
    assert intervals["covers"](perfect, 20, chance)
    assert not intervals["covers"](replace(perfect, value=0.999), 20, chance)
    assert intervals["null_p_values"]([perfect, perfect], 20, chance) == [1, 1, 1]


def test_intervals_need_the_corpora() -> None:
    done = run("intervals.py")
    assert (done.returncode, done.stderr) == (1, "Set GECBENCH_MIRROR to a folder with the corpora.\n")


def test_made_up_m2_gives_the_made_up_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = load("texts.py", monkeypatch)
    made = texts["make"](tmp_path, 200, references=3, annotators=2)
    references = zip(*map(texts["lines_of"], made.references[:2]), strict=True)
    corpus = derive_references(read_m2(made.gold))
    assert list(corpus.references or ()) == list(references)
    assert list(corpus.sources) == texts["lines_of"](made.source)


def test_the_documents_show_every_saved_table(monkeypatch: pytest.MonkeyPatch) -> None:
    document = load("document.py", monkeypatch)
    texts = [path.read_text(encoding="utf-8") for path in document["DOCUMENTS"]]
    marks = [name for text in texts for name in document["MARK"].findall(text)]
    assert sorted(marks) == sorted(document["parts"]())
    shown = "".join(map(document["filled"], texts))
    assert "<!-- results: " not in shown
    assert all(table in shown for table in document["parts"]().values())


def test_the_site_shows_a_plot_of_every_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    document = load("document.py", monkeypatch)
    shown = document["with_figures"](document["DOCUMENTS"][0].read_text(encoding="utf-8"))
    figures = document["figures"]()
    assert re.findall(r"^!\[By .*\]\((.*)\)$", shown, re.MULTILINE) == list(figures)
    exponent = re.search(r"^\| exponent +\| +([\d.]+)", document["parts"]()["sentences"], re.MULTILINE)[1]
    assert f"GLEU (exponent {exponent})" in figures["figures/growth-sentences.svg"]
