"""Uploads: the queue, the rate limit, and the folder of accepted submissions."""

import threading

from boards import DEMO, GOOD

from gecbench.errors import InputError
from gecbench.leaderboard.submission import Submission
from gecbench.leaderboard.uploads import PendingFolder, Queue, Rate


def test_queue_refuses_when_full_and_reports_failures():
    queue = Queue(most_waiting=2)
    started, go = threading.Event(), threading.Event()

    def slow(progress):
        progress("slow", 0.5)
        started.set()
        go.wait(10)
        raise InputError("no good")

    def add(work):
        job = queue.prepare()
        if job is not None:
            queue.start(job, work)
        return job

    first = add(slow)
    assert started.wait(10)
    assert first.report()["stage"] == "slow"
    second = add(lambda progress: {"rank": 1})
    assert add(slow) is None
    go.set()
    queue.close()
    assert (first.state, first.result) == ("failed", {"error": "no good."})
    assert second.state in ("done", "waiting")
    queue.discard(second)
    assert queue.find(second.id) is None
    assert queue.find(first.id) is first
    assert queue.find("other") is None


def test_rate_forgets_after_a_minute():
    now = [0.0]
    rate = Rate(2, clock=lambda: now[0])
    assert [rate.allows("a"), rate.allows("a"), rate.allows("a"), rate.allows("b")] == [True, True, False, True]
    now[0] = 61
    assert rate.allows("a")
    assert list(rate._times) == ["a"]


def test_damaged_leftovers_are_passed_over(tmp_path):
    waiting = PendingFolder(tmp_path / "waiting")
    assert list(waiting.load()) == []
    waiting.save("good", Submission(system="s", predictions=GOOD, links=["https://example.org"]), DEMO.name)
    for name, content in {"a": "", "b": "[]", "c": '{"corpus": "demo"}', "d": '{"submission": {}}'}.items():
        (tmp_path / "waiting" / f"{name}.json").write_text(content)
    ((name, submission, corpus, tries),) = waiting.load()
    assert (name, submission.system, list(submission.predictions)) == ("good", "s", list(GOOD))
    assert (corpus, tries) == ("demo", 0)
    assert submission.about()["links"] == [{"title": "", "url": "https://example.org"}]
    waiting.remove(name)
    waiting.remove(name)
    assert list(waiting.load()) == []
