"""Tasks in a child process: their limits, and that no child outlives its server."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from boards import GOOD, call, finished, server, text, upload, variant
from programs import children, is_running
from waiting import eventually
from worker_tasks import answer, break_down, end, fill, refuse, run_into_a_full_disk, sleep, spin

from gecbench.errors import GecbenchError, InputError, UnwritableError
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.worker import StoppedError, TaskLimitError, TaskLimits, Worker

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


def test_a_task_answers_from_another_process():
    seen = []
    found = Worker().run(answer, progress=lambda *stage: seen.append(stage))
    assert found["process"] != os.getpid()
    assert seen == [("halfway", 0.5)]


LIMITED = {
    "time": (sleep, TaskLimits(seconds=0.3), "longer than the limit of 0.3 s"),
    "processor time": (spin, TaskLimits(seconds=20, processor_seconds=1), "more CPU time than the limit of 1 s"),
    "memory": (fill, TaskLimits(memory=2**28), "more memory than the limit of 0.25 GB"),
    "its end": (end, TaskLimits(), "scoring process stopped unexpectedly"),
}


@posix
@pytest.mark.parametrize(("task", "limits", "message"), LIMITED.values(), ids=LIMITED)
def test_a_task_that_meets_a_limit_fails_with_a_sentence(task, limits, message):
    if task is fill and sys.platform != "linux":
        pytest.skip("only Linux limits the memory")
    with pytest.raises(TaskLimitError, match=message):
        Worker().run(task, limits=limits)


def test_errors_arrive_as_they_were_raised():
    with pytest.raises(InputError, match=r"^out.txt:3: no good. Do better.$"):
        Worker().run(refuse)
    with pytest.raises(UnwritableError) as found:
        Worker().run(run_into_a_full_disk)
    assert "/srv" not in str(found.value)
    with pytest.raises(GecbenchError, match=r"The scorer failed \(ZeroDivisionError\)\. Write to the board"):
        Worker().run(break_down)


def test_a_worker_that_is_closed_stops_its_task():
    worker, started = Worker(), threading.Event()
    threading.Thread(target=lambda: started.wait(20) and worker.close(), daemon=True).start()
    with pytest.raises(StoppedError):
        worker.run(sleep, progress=lambda *_: started.set())
    with pytest.raises(StoppedError):
        worker.run(answer)


PARENT = """
import sys; sys.path[:] = {path!r}
import worker_tasks
from gecbench.leaderboard.worker import Worker
Worker().run(worker_tasks.{task}, progress=lambda *_: print("started", flush=True))
"""


@linux
@pytest.mark.parametrize("task", ["sleep", "spin"])
def test_a_child_ends_with_its_parent(task):
    command = [sys.executable, "-c", PARENT.format(path=sys.path, task=task)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout.readline() == b"started\n"
        (child,) = children(parent.pid)
        parent.kill()
    eventually(lambda: not is_running(child), "the child is an orphan")


def test_a_submission_that_takes_too_long_fails_and_the_page_stays(tmp_path):
    pytest.importorskip("uvicorn", reason="the extra [leaderboard] is not installed")
    with server(tmp_path, "--scoring-seconds", "0.01") as (address, _):
        status, job = upload(address, text(GOOD))
        assert status == 202
        assert finished(address, job)["error"].startswith("Scoring takes longer than the limit of 0.01 s. ")
        assert call(address)[0] == 200
    assert not FolderStore(tmp_path).load().records
    assert not list((tmp_path / "waiting").glob("*.json"))


@linux
def test_the_page_is_served_while_a_submission_is_scored(tmp_path):
    """The child is held, as one would be by input that takes for ever; the server answers, and ends it when it ends."""
    pytest.importorskip("uvicorn", reason="the extra [leaderboard] is not installed")
    with server(tmp_path) as (address, process):
        eventually(lambda: not children(process.pid), "the first build does not end")
        _, job = upload(address, text(variant("held")))
        held = eventually(lambda: children(process.pid), "nothing is scored")
        for child in held:
            os.kill(child, signal.SIGSTOP)
        for _ in range(20):
            assert call(f"{address}data/board.json")[0] == 200
            assert call(f"{address}api/submissions/{job['id']}")[0] == 200
        process.kill()
        process.wait()
        for child in held:
            os.kill(child, signal.SIGCONT)
        eventually(lambda: not any(map(is_running, held)), "a child is an orphan")
    with server(tmp_path) as (address, _):
        assert finished(address, job)["state"] == "done"
