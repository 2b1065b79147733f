from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from corpora_support import pins_of, tiny_mirror, tiny_upstream

import gecbench.corpora.upstream as upstream_module
from gecbench.corpora import lock
from gecbench.corpora.card import refresh_card
from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.parquet import build_dataset
from gecbench.corpora.upstream import Upstream


@pytest.fixture
def tiny(tmp_path):
    return tiny_upstream(tmp_path)


@pytest.fixture
def lock_file(tmp_path, monkeypatch):
    """Use a copy of the lock file."""
    monkeypatch.setattr(lock, "LOCK_FILE", Path(shutil.copy(lock.LOCK_FILE, tmp_path / "lock.tsv")))
    return lock.LOCK_FILE


@pytest.fixture
def built(tiny, lock_file, tmp_path):
    """Lock the tiny tree's content, as if it were upstream's, and build a dataset of it with its card."""
    for name in DATASETS:
        lock.write_lock(name, tiny)

    def build(name: str) -> Path:
        pytest.importorskip("pyarrow")
        folder = tmp_path / "datasets" / name
        source = Path(__file__).parents[2] / "datasets" / name
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("data"))
        refresh_card(name, folder / "README.md")
        build_dataset(name, folder, upstream=tiny)
        return folder

    return build


@pytest.fixture
def tiny_environment(tmp_path, monkeypatch):
    """Make the tiny tree the mirror that the environment names, with its own pins."""
    mirror = tiny_mirror(tmp_path / "mirror")
    pins = pins_of(mirror)
    monkeypatch.setattr(upstream_module, "default_pins", lambda: pins)
    monkeypatch.setenv("GECBENCH_MIRROR", str(mirror))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    return mirror


@pytest.fixture(scope="session")
def mirror():
    """Return the upstream of real files; skip where there is no mirror of them."""
    folder = os.environ.get("GECBENCH_MIRROR")
    if not folder:
        pytest.skip("GECBENCH_MIRROR is not set")
    return Upstream.from_environment()
