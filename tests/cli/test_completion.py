"""Completion scripts: valid in their shells, and bash completes with them."""

import re
import shutil
import subprocess

import pytest


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run, shell, tmp_path):
    script = run("completion", shell)
    assert "leaderboard" in script
    assert "fail-under" in script
    assert "imeasure" in script or shell != "zsh"
    if shutil.which(shell):
        path = tmp_path / "script"
        path.write_text(script, encoding="utf-8")
        subprocess.run([shell, "-n", str(path)], check=True)


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_commands_names_and_files(run, tmp_path):
    (tmp_path / "script").write_text(run("completion", "bash"), encoding="utf-8")
    (tmp_path / "unusual.txt").touch()
    (function,) = re.findall(r"^complete .*-F (\w+) gecbench$", (tmp_path / "script").read_text(), re.MULTILINE)
    ask = "source ./script; words() { COMP_WORDS=($@); COMP_CWORD=$(($# - 1)); COMPREPLY=(); "
    ask += f'{function}; echo "${{COMPREPLY[@]}}"; }}; '
    ask += "words gecbench comp; words gecbench score --fail; words gecbench score -p unus; "
    ask += "words gecbench score -m gleu im; words gecbench score -c un; words gecbench score -c jf; "
    ask += "words gecbench human rank conll14-; words gecbench reproduce sak"
    done = subprocess.run(["bash", "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [set(line.split()) for line in done.stdout.splitlines()] == [
        {"compare", "completion", "compute_gleu"},
        {"--fail-under"},
        {"unusual.txt"},
        {"imeasure"},
        {"unusual.txt"},
        {"jfleg"},
        {"conll14-crowd", "conll14-references"},
        {"sakaguchi2016"},
    ]
