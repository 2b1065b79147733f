"""The doctor command."""

import re


def test_doctor(run, monkeypatch):
    monkeypatch.setenv("GECBENCH_KERNELS", "python")
    monkeypatch.setenv("GECBENCH_MIRROR", "/nowhere/at/all")
    output = run("doctor")
    assert re.search(r"^kernels +python ", output, re.MULTILINE)
    assert "/nowhere/at/all (no such folder)" in output
    assert "sacrebleu" in output
