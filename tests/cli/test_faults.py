"""A failing environment: a full disk, closed streams and pipes, no home folder, a clock that is set back."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import eventually

import gecbench
from gecbench.corpora.demo import DATA
from gecbench.leaderboard.page import PagePlan
from gecbench.leaderboard.site import Site
from gecbench.leaderboard.store import FolderStore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
GOOD = str(DATA / "systems" / "good-corrector.txt")
SCORE = ["score", "-c", "demo", "-p", GOOD]
SUBMIT = ["leaderboard", "submit", "-c", "demo", "-p", GOOD, "--name", "s", "--board", "board"]
COMMANDS = {
    "version": ["--version"],
    "doctor": ["doctor"],
    "score": SCORE,
    "detokenize": ["detokenize", GOOD, "-o", "-"],
    "submit": SUBMIT,
    "refusal": ["score", "-c", "demo", "-p", "missing"],
}


def gecbench_in(folder, arguments, **options):
    command = [sys.executable, "-m", "gecbench", *arguments]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(command, cwd=folder, text=True, check=False, timeout=120, **options)


each_command = pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)


def assert_ends_well(ended, status):
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    assert ended.returncode == status


@each_command
@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)], ids=str)
def test_closed_streams(arguments, closed, tmp_path):
    ended = gecbench_in(tmp_path, arguments, preexec_fn=lambda: [os.close(number) for number in closed])
    wants_output = 1 in closed and arguments[-1] == "-"
    assert_ends_well(ended, 2 if wants_output or "missing" in arguments else 0)


@each_command
def test_a_closed_pipe(arguments, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = gecbench_in(tmp_path, arguments, stdout=writer)
    finally:
        os.close(writer)
    assert_ends_well(ended, 2 if "missing" in arguments else 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@each_command
def test_a_full_standard_output(arguments, tmp_path):
    with Path("/dev/full").open("w") as full:
        ended = gecbench_in(tmp_path, arguments, stdout=full)
    assert_ends_well(ended, 2)
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("home", [None, "/nonexistent"])
def test_no_home(home, tmp_path):
    kept = {name: value for name, value in os.environ.items() if name not in ("HOME", "HF_HOME", "XDG_CACHE_HOME")}
    environment = {**kept, **({"HOME": home} if home else {})}
    for arguments in (SCORE, SUBMIT, ["doctor"]):
        ended = gecbench_in(tmp_path, arguments, env=environment)
        assert (ended.returncode, ended.stderr) == (0, ""), arguments


def limited(size):
    """Let no file grow beyond a size, as on a full disk: what is written is cut, then refused."""

    import resource

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("size", [100, 2000])
def test_a_file_that_cannot_grow(size, tmp_path):
    old = tmp_path / "corpus.jsonl"
    old.write_text("what was there\n")
    for arguments in (["convert", "-s", GOOD, "-r", GOOD, "-o", "corpus.jsonl"], SUBMIT):
        ended = gecbench_in(tmp_path, arguments, preexec_fn=limited(size))
        assert ended.returncode == 2
        assert ended.stderr.count("\n") == 1
        assert "cannot write: File too large" in ended.stderr
    assert old.read_text() == "what was there\n"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["corpus.jsonl"]


def test_a_run_whose_partial_file_cannot_grow_goes_on(tmp_path):
    arguments = ["run", "--model", "cmd:cat", "-c", "demo", "-o", "out.txt"]
    ended = gecbench_in(tmp_path, arguments, preexec_fn=limited(1000))
    assert ended.returncode == 2
    assert "out.txt.partial.jsonl: cannot write: File too large" in ended.stderr
    ended = gecbench_in(tmp_path, arguments)
    assert ended.returncode == 0
    assert "outputs are already done" in ended.stderr
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").splitlines() == list(gecbench.load_demo().sources)


def test_a_clock_that_goes_back(tmp_path):
    """A page shows what is added after the clock was set back by a month."""
    assert gecbench_in(tmp_path, SUBMIT).returncode == 0
    store = FolderStore(tmp_path / "board")
    site = Site(store, PagePlan([gecbench.load_demo()], resamples=10))
    site.build()
    store.add(replace(store.load().records[0], system="later", kind="reported", outputs=None, details=None))
    month_ago = time.time() - 30 * 24 * 3600
    os.utime(store.folder / "records", (month_ago, month_ago))

    def shown():
        site.rebuild()
        path, _ = site.find("data/board.json")
        return "later" in path.read_text(encoding="utf-8")

    eventually(shown)
