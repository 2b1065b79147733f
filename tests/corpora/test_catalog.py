from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from corpora_support import WORKERS

from gecbench.corpora import catalog
from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.load import load_rows

FOLDERS = Path(__file__).parents[2] / "datasets"


def test_every_row_has_exactly_the_declared_columns_and_no_worker_identifier(tiny):
    for name, declared in DATASETS.items():
        for config in declared.configs.values():
            for found in load_rows(name, config.name, upstream=tiny).values():
                assert not any(worker in repr(found) for worker in WORKERS)
                assert all(set(row) == set(config.columns) for row in found), (name, config.name)


@pytest.mark.parametrize("name", ["jfleg", "conll14_fluency"])
def test_benchmark_tasks_name_real_configurations(name):
    benchmark = yaml.safe_load((FOLDERS / name / "eval.yaml").read_text(encoding="utf-8"))
    assert {"name", "description", "evaluation_framework", "tasks"} <= set(benchmark)
    assert len({task["id"] for task in benchmark["tasks"]}) == len(benchmark["tasks"])
    for task in benchmark["tasks"]:
        assert task["split"] in DATASETS[name].config(task["config"]).splits
        assert task["id"].split("_")[0] in {"gleu", "m2", "imeasure"}


def test_no_file_that_would_break_loading():
    assert not list(FOLDERS.rglob("__init__.py"))
    for name in DATASETS:
        assert not (FOLDERS / name / f"{name}.py").exists()


def test_the_code_hash_covers_all_that_makes_rows_and_the_pins(tmp_path):
    package = Path(catalog.__file__).parent.parent
    copy = shutil.copytree(package, tmp_path / "copy", ignore=shutil.ignore_patterns("*.so", "__pycache__", "_modules"))
    hashes = [catalog.code_hash.__wrapped__(copy)]
    assert hashes == [catalog.code_hash()]
    for name in ("corpora/jfleg.py", "corpora/pins.tsv", "corpus/edits.py", "formats/m2.py"):
        with (copy / name).open("ab") as file:
            file.write(b"\n")
        hashes.append(catalog.code_hash.__wrapped__(copy))
    assert len(set(hashes)) == 5


def test_importing_corpora_imports_no_heavy_library():
    heavy = {"datasets", "pyarrow", "huggingface_hub", "tqdm"}
    code = f"import sys, gecbench.corpora.load; print(sorted({heavy} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
