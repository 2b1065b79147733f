"""Machine faults at any change of a file: kill -9, a full or read-only disk. Then the command runs again."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
import urllib.error
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from boards import DEMO, GOOD, finished, server, text, upload
from corpora_support import files_of, tiny_mirror, upstream_of
from programs import children, is_running
from waiting import eventually

import gecbench
from gecbench.corpora import build
from gecbench.leaderboard.store import FolderStore

from ..attack import Attack, Budget, Finding
from ..confined import Case, Ending, confined
from ..explore import missing as unbounded

SYSTEM = "the system"
DATASET = "jfleg"
MOST_MILLISECONDS = 500
EXPECTED = {
    "kill": {0, -signal.SIGKILL},
    "moment": {0, -signal.SIGALRM},
    "full": {0, 2},
    "denied": {0, 2},
}


@dataclass(frozen=True)
class Scene:
    """A command that writes files below a folder, the most changes that it makes, and the rules that must hold.

    `broken` says what is wrong after a fault, `unfinished` what is wrong when the command has run again to its end;
    both return "" where nothing is.
    """

    arguments: Callable[[Path], list[str]]
    changes: int
    broken: Callable[[Path], str]
    unfinished: Callable[[Path], str]


def run_with_fault(arguments: list[str], folder: Path, number: int = 0, fault: str = "kill") -> Ending:
    """Run a command with a fault at a change of a file or after some time; 0 means no fault."""
    return confined().run_in(folder.parent, Case([], call=("fault_injection:run", (number, fault, arguments), {})))


def outputs_broken(folder: Path) -> str:
    """Return what is wrong with the outputs of a run. Each must be complete or missing."""
    made = folder / "out.txt"
    return "half of the outputs" if made.exists() and made.read_bytes() != text(DEMO.sources) else ""


def outputs_unfinished(folder: Path) -> str:
    """Return what is wrong with a finished run."""
    if not (folder / "out.txt").exists() or not (folder / "out.txt.run.json").exists():
        return "no outputs, or no record of them"
    return outputs_broken(folder) or ("a partial file is left" if list(folder.glob("*.partial.jsonl")) else "")


def board_broken(folder: Path) -> str:
    """Return what is wrong with a board. Every record must be readable and have its details."""
    store = FolderStore(folder / "board")
    loaded = store.load()
    if loaded.warnings:
        return loaded.warnings[0]
    return "" if all(store.details(record) for record in loaded.records) else "a record without its details"


def board_unfinished(folder: Path) -> str:
    """Return what is wrong with a board after a submission."""
    records = FolderStore(folder / "board").load().records
    there = [record.system for record in records].count(SYSTEM)
    return board_broken(folder) or ("" if there == 1 else f"the submission is there {there} times")


def tables_broken(folder: Path) -> str:
    """Return what is wrong with tables. Every table must be readable and complete, except for parts in a journal."""
    import pyarrow.parquet

    for path in (path for path in folder.rglob("*.parquet") if path.parent.suffix != ".journal"):
        try:
            pyarrow.parquet.read_table(path)
        except (OSError, ValueError) as error:
            return f"{path.name}: {error}"
    return ""


def data_unfinished(folder: Path) -> str:
    """Return what is wrong with a dataset that was built."""
    checked = run_with_fault(["data", "verify", DATASET, "-o", "built"], folder)
    # The card speaks of the real dataset, not of the tests' small one.
    return "" if checked.status == 0 or "built/data" not in checked.errors else checked.errors


def stream(folder: Path) -> list[str]:
    """Return the command that scores a stream, or resumes one."""
    again = ["--resume"] if (folder / "scores.parquet.journal" / "state").exists() else []
    options = ["--batch-size", "10", "--per-sentence", "scores.parquet", *again]
    return ["score", "--stream", "-c", "demo", "-p", str(folder.parent / "good.txt"), "-m", "gleu", *options]


def stream_unfinished(folder: Path) -> str:
    """Return what is wrong with the table of a finished stream."""
    import pyarrow.parquet

    column = pyarrow.parquet.read_table(folder / "scores.parquet").column("gleu_score").to_pylist()
    if column != gecbench.score(GOOD, DEMO, metrics=["gleu"])["gleu"].sentence_scores().tolist():
        return "other scores than without a fault"
    return "a journal is left" if (folder / "scores.parquet.journal").exists() else ""


SCENES = {
    "run": Scene(
        lambda _: ["run", "--model", "cmd:cat", "-c", "demo", "-o", "out.txt"], 12, outputs_broken, outputs_unfinished
    ),
    "leaderboard submit": Scene(
        lambda folder: [
            *("leaderboard", "submit", "-c", "demo", "-p", str(folder.parent / "good.txt")),
            *("--name", SYSTEM, "--board", "board"),
        ],
        12,
        board_broken,
        board_unfinished,
    ),
    "data build": Scene(lambda _: ["data", "build", DATASET, "-o", "built"], 40, tables_broken, data_unfinished),
    "score --stream": Scene(stream, 32, tables_broken, stream_unfinished),
}


@contextlib.contextmanager
def stage() -> Iterator[Path]:
    """Yield a folder to write in, next to the files that the commands read."""
    with tempfile.TemporaryDirectory(prefix="gecbench-faults-", ignore_cleanup_errors=True) as name:
        outer = Path(name)
        tiny_mirror(outer / "mirror")
        real, build.LOCK_FILE = build.LOCK_FILE, outer / "lock.tsv"
        try:
            build.LOCK_FILE.write_bytes(real.read_bytes())
            build.write_lock(DATASET, upstream_of(outer / "mirror"))
        finally:
            build.LOCK_FILE = real
        (outer / "good.txt").write_bytes(text(GOOD))
        (outer / "work").mkdir()
        yield outer / "work"


def one_round(name: str, number: int, fault: str) -> str:
    """Cause a fault at a change of a file, then run the command to its end. Return what is wrong."""
    scene = SCENES[name]
    with stage() as folder:
        failed = run_with_fault(scene.arguments(folder), folder, number, fault)
        if "Traceback" in failed.errors:
            return f"a traceback:\n{failed.errors}"
        if failed.status not in EXPECTED[fault]:
            return f"status {failed.status}: {failed.errors}"
        if fault == "full" and (left := [path for path in files_of(folder) if path.endswith(".new")]):
            return f"left behind: {left}"
        if problem := scene.broken(folder):
            return problem
        again = run_with_fault(scene.arguments(folder), folder)
        if again.status != 0 and "on the board already" not in again.errors:
            return f"cannot go on, status {again.status}: {again.errors}"
        return scene.unfinished(folder)


def attack(faults: list[str]) -> Callable[[int, Budget], Iterator[Finding]]:
    """Return an attack that causes some kinds of faults in all scenes in turn."""

    def run(seed: int, budget: Budget) -> Iterator[Finding]:
        for number in budget:
            random = Random(f"{seed} {number}")
            name = list(SCENES)[number % len(SCENES)]
            fault = random.choice(faults)
            change = random.randint(1, MOST_MILLISECONDS if fault == "moment" else SCENES[name].changes)
            if problem := one_round(name, change, fault):
                yield Finding(f"{fault} {change} of gecbench {name}", problem)

    return run


def serve(seed: int, budget: Budget) -> Iterator[Finding]:
    """Kill a server at a random moment after it accepted submissions; the next one must have all of them."""
    for number in budget:
        random = Random(f"{seed} {number}")
        with tempfile.TemporaryDirectory(prefix="gecbench-faults-", ignore_cleanup_errors=True) as folder:
            if problem := serve_and_kill(Path(folder), random):
                yield Finding("a submission is lost after kill -9 of gecbench leaderboard serve", problem)


def serve_and_kill(board: Path, random: Random) -> str:
    """Return what is wrong after a server was killed and the next server had time to finish."""
    accepted = {}
    with server(board, "--per-minute", "1000", "--resamples", "100") as (address, process):
        for k in range(random.randint(1, 4)):
            with contextlib.suppress(urllib.error.URLError):
                status, job = upload(address, text([*GOOD[:-1], f"w{k} ."]), name=f"s{k}")
                if status == 202:
                    accepted[f"s{k}"] = job
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(random.choice([0, 0.05, 0.3, 1, 3]) * random.random())
        started = children(process.pid)
        process.kill()
        if random.random() < 0.5:
            for child in started:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
    try:
        eventually(lambda: not any(map(is_running, started)), "orphan")
    except AssertionError:
        return "a process that the server started outlives it"
    store = FolderStore(board)
    if store.load().warnings:
        return store.load().warnings[0]
    there = {record.system for record in store.load().records}
    with server(board, "--resamples", "100") as (address, _):
        for name, job in accepted.items():
            if name not in there and finished(address, job)["state"] != "done":
                return f"{name} failed"
        eventually(lambda: not list((board / "waiting").glob("*.json")), "something waits for ever")
    names = [record.system for record in store.load().records]
    return "" if sorted(names) == sorted(accepted) else f"accepted {sorted(accepted)}, there {sorted(names)}"


def fill(seed: int, budget: Budget) -> Iterator[Finding]:
    """Make folders of a served board unwritable for a while. All accepted submissions must be scored afterwards."""
    for number in budget:
        random = Random(f"{seed} {number}")
        with tempfile.TemporaryDirectory(prefix="gecbench-faults-", ignore_cleanup_errors=True) as folder:
            if problem := serve_and_fill(Path(folder), random):
                yield Finding("a submission is lost on a full disk under gecbench leaderboard serve", problem)


def serve_and_fill(board: Path, random: Random) -> str:
    """Return what is wrong after a board was unwritable for a while, because files replaced its folders."""
    accepted = {}
    with server(board, "--per-minute", "1000") as (address, _):
        blocked = [board / name for name in ("records", "details", "tests", "waiting") if random.random() < 0.5]
        for k in range(3):
            if k == 1:
                for path in blocked:
                    with contextlib.suppress(OSError):
                        path.rename(path.with_name(f"{path.name}.aside"))
                    path.write_text("in the way")
            status, job = upload(address, text([*GOOD[:-1], f"w{k} ."]), name=f"s{k}")
            if status == 202:
                accepted[f"s{k}"] = job
            if str(board) in str(job):
                return f"a path in an answer: {job}"
        time.sleep(random.random())
        for path in blocked:
            path.unlink()
            with contextlib.suppress(OSError):
                path.with_name(f"{path.name}.aside").rename(path)
    with server(board, "--per-minute", "1000") as (address, _):
        for name, job in accepted.items():
            if (found := finished(address, job))["state"] != "done":
                return f"{name}: {found}"
    names = [record.system for record in FolderStore(board).load().records]
    return "" if sorted(names) == sorted(accepted) else f"accepted {sorted(accepted)}, there {sorted(names)}"


def missing() -> str:
    """Return why the attacks cannot run here."""
    if reason := unbounded():
        return reason
    with contextlib.suppress(ImportError):
        import pyarrow  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401

        return ""
    return "pyarrow, starlette or uvicorn is not installed"


ATTACKS = [
    Attack(
        "kill",
        f"kill -9 at any file change or any moment of {', '.join(f'`{name}`' for name in SCENES)}",
        "no half-written file; the same command resumes and gives the same result",
        attack(["kill", "moment"]),
        missing=missing,
        prepare=confined,
    ),
    Attack(
        "disk",
        "the commands of `kill` on a disk that becomes full or read-only at any file change",
        "an error of one sentence and exit status 2; no half-written or leftover file; the same command resumes",
        attack(["full", "denied"]),
        missing=missing,
        prepare=confined,
    ),
    Attack(
        "kill-serve",
        "kill -9 of `leaderboard serve` at any moment after uploads, in half of the tries also of its child processes",
        "the next server scores every accepted submission exactly once; no process is left running",
        serve,
        missing=missing,
    ),
    Attack(
        "disk-serve",
        "folders of a served board that cannot be written to for a while, as on a full disk",
        "every accepted submission is scored exactly once; no reply shows a path of the server",
        fill,
        share=0.5,
        missing=missing,
    ),
]
