from __future__ import annotations

import os

import pytest
from corpora_support import pins_of, tiny_mirror, tiny_upstream

import gecbench.corpora.upstream as upstream_module
from gecbench.corpora.upstream import Upstream


@pytest.fixture
def tiny(tmp_path):
    return tiny_upstream(tmp_path)


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
