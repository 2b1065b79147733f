"""Limits on the number of files that a command runs through, and calls between packages in one direction only."""

import importlib

import pytest
import walk

from gecbench import kernels
from gecbench.cli import main

SYSTEM = "-p demo/systems/rule-based.txt"
LIMITS = {
    "gleu": (f"score -s demo/source.txt -r demo/reference0.txt demo/reference1.txt {SYSTEM}", 16),
    "m2": (f"score -m m2 --gold demo/gold.m2 {SYSTEM}", 18),
    "imeasure": (f"score -m imeasure --gold demo/gold.m2 {SYSTEM}", 20),
    "submit": (f"leaderboard submit -c demo {SYSTEM} --name x --dry-run", 34),  # one file per metric
    "run": ("run --model cmd:cat -c demo -o out.txt", 25),
    "stream": (f"score --stream -s demo/source.txt -r demo/reference0.txt {SYSTEM}", 22),
    "load": ("--call load_corpus jfleg:test", 8),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walks")
    assert main(["demo", "--write", str(folder / "demo")]) == 0
    return folder


@pytest.mark.skipif(kernels.active() != "native", reason="the Python kernels are files, too")
@pytest.mark.parametrize("name", LIMITS)
def test_a_command_runs_through_few_files_in_one_direction(name, folder, request):
    command, limit = LIMITS[name]
    if name == "load":
        request.getfixturevalue("mirror")
    found = walk.walk(command.split(), folder)
    assert len(found.files) <= limit, "\n".join(found.files)
    assert found.mutual_calls() == []


def test_the_tracer_sees_calls_after_the_import_only(tmp_path, monkeypatch):
    modules = {
        "low/counts.py": "def count(step): return step()",
        "high/metric.py": "from low import counts\ndef step(): pass\ndef score(): counts.count(step)",
        "idle.py": "def run_at_import(): pass\nrun_at_import()",
    }
    for name, text in modules.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)

    def run():
        importlib.import_module("idle")
        importlib.import_module("high.metric").score()

    found = walk.trace(run, tmp_path)
    assert found.files == ["high/metric.py", "low/counts.py"]
    assert found.mutual_calls() == [("high", "low")]
