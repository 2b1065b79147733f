"""Facts about the installation."""

import re

from gecbench import kernels


def test_doctor(run, monkeypatch):
    monkeypatch.setenv("GECBENCH_KERNELS", "python")
    monkeypatch.setenv("GECBENCH_MIRROR", "/nowhere/at/all")
    output = run("doctor")
    assert re.search(r"^kernels +python ", output, re.MULTILINE)
    assert "/nowhere/at/all (no such folder)" in output
    assert "sacrebleu" in output


def test_doctor_says_how_to_get_the_kernels(run, monkeypatch):
    monkeypatch.setattr(kernels, "native_module", lambda: None)
    monkeypatch.delenv("GECBENCH_MIRROR", raising=False)
    output = run("doctor")
    assert "(compiled kernels absent)" in output
    assert "GECBENCH_REQUIRE_NATIVE=1 pip install" in output
    assert "GECBENCH_MIRROR not set" in output
