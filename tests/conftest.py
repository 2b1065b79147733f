import os
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_EVALUATE_OFFLINE", "1")
os.environ.setdefault("HF_DATASETS_OFFLINE", "1")


@pytest.fixture(scope="session", autouse=True)
def _own_hugging_face_home(tmp_path_factory):
    """Caches made by the tests go to a folder of their own."""
    home = tmp_path_factory.mktemp("hugging-face")
    before = os.environ.get("HF_HOME")
    os.environ["HF_HOME"] = str(home)
    yield
    if before is None:
        del os.environ["HF_HOME"]
    else:
        os.environ["HF_HOME"] = before


@pytest.fixture(params=["native", "python"])
def kernels_of(request, monkeypatch):
    """Run a test once with each implementation of the kernels."""
    from gecbench import kernels

    if request.param == "native" and kernels.native_module() is None:
        pytest.skip("installed without compiled kernels")
    monkeypatch.setenv("GECBENCH_KERNELS", request.param)
    return request.param


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parent.parent
