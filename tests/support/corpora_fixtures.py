from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from corpora_support import pins_of, tiny_mirror, upstream_of

import gecbench.corpora.upstream as upstream_module
from gecbench.corpora import build
from gecbench.corpora.build import build_dataset, refresh_card
from gecbench.corpora.catalog import DATASETS


@pytest.fixture
def tiny_folder(tmp_path):
    """Return a mirror of the tiny tree, for tests that change it."""
    return tiny_mirror(tmp_path / "mirror")


@pytest.fixture
def tiny(tiny_folder):
    return upstream_of(tiny_folder)


@pytest.fixture
def lock_file(tmp_path, monkeypatch):
    """Use a copy of the lock file."""
    monkeypatch.setattr(build, "LOCK_FILE", Path(shutil.copy(build.LOCK_FILE, tmp_path / "lock.tsv")))
    return build.LOCK_FILE


@pytest.fixture
def built(tiny, lock_file, tmp_path):
    """Lock the tiny tree's content, as if it were upstream's, and build a dataset of it with its card."""
    for name in DATASETS:
        build.write_lock(name, tiny)

    def build_tiny(name: str) -> Path:
        pytest.importorskip("pyarrow")
        folder = tmp_path / "datasets" / name
        source = Path(__file__).parents[2] / "datasets" / name
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("data"))
        refresh_card(name, folder / "README.md")
        build_dataset(name, folder, upstream=tiny)
        return folder

    return build_tiny


@pytest.fixture
def tiny_environment(tiny_folder, tmp_path, monkeypatch):
    """Make the tiny tree the mirror that the environment names, with its own pins."""
    pins = pins_of(tiny_folder)
    monkeypatch.setattr(upstream_module, "default_pins", lambda: pins)
    monkeypatch.setenv("GECBENCH_MIRROR", str(tiny_folder))
    monkeypatch.setenv("GECBENCH_ACCEPT_LICENSE", "bea19")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    return tiny_folder
